import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClients } from '../http/clients.ts';
import { Admission } from './admission.ts';

type Request = Parameters<Admission['admit']>[0];

/** Admits a client of each address, one after the other. @returns those that were disconnected */
function disconnectedOf(addresses: readonly string[], maxStreams: number): number[] {
  const clients = createClients({ limits: { maxStreams, maxStreamsPerAddress: maxStreams, maxShare: 1 } });
  const admission = new Admission(clients);
  const disconnected: number[] = [];
  for (const [i, remoteAddress] of addresses.entries()) {
    const request = { headers: {}, socket: { remoteAddress } } as unknown as Request;
    admission.admit(request).endBy(() => disconnected.push(i));
  }
  return disconnected;
}

test('the newest client of the address that holds the most goes first, also where time passes while clients are compared', t => {
  let now = 0;
  t.mock.method(performance, 'now', () => {
    now += 10;
    return now;
  });
  const [many, others] = ['127.0.0.2', ['127.0.0.3', '127.0.0.4']];
  assert.deepEqual(disconnectedOf([many, many, many, many, ...others], 4), [3, 2]);
});
