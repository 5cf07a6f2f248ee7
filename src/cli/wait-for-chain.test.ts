import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { ChainBuilder } from '../../test/support/chain-builder.ts';
import { enlargedBody } from '../../test/support/enlarged-body.ts';
import { LONGEST_TURN, turnsDuring } from '../../test/support/loop-turns.ts';
import { freePort } from '../../test/support/postgres.ts';
import { until } from '../../test/support/until.ts';
import type { Delivery } from '../ingest/journal/entries.ts';
import { readOptions } from './options/options.ts';
import { waitForChain } from './wait-for-chain.ts';

const TESTNET = 0x80000000;
const chain = new ChainBuilder('waiting', TESTNET);
const unnamed = chain.block({ txs: [] });
const named = chain.block({ parent: unnamed });

test('while serve waits for a block that names the network, a large block that does not keeps no turn of the event loop for long', async t => {
  const data = mkdtempSync(join(tmpdir(), 'waiting-'));
  t.after(() => rmSync(data, { recursive: true }));
  const [port, eventPort] = [await freePort(), await freePort()];
  const ports = ['--port', String(port), '--event-port', String(eventPort), '--metrics-port', '0'];
  const options = readOptions(['serve', '--data', data, ...ports], {});
  const stop = new AbortController();
  const waiting = waitForChain(options, pino({ level: 'silent' }), stop.signal);
  t.after(async () => {
    stop.abort();
    await waiting;
  });
  const post = async ({ path, body }: Pick<Delivery, 'path' | 'body'>): Promise<number> => {
    const headers = { 'content-length': body.length };
    const sent = request({ port: eventPort, host: '127.0.0.1', path, method: 'POST', headers, agent: false });
    sent.on('error', () => undefined).end(body);
    const [response] = await once(sent, 'response').catch(() => []);
    response?.resume();
    return response?.statusCode ?? 0;
  };
  await until(async () => (await post(unnamed.burn.delivery)) === 200, 'it takes no events');
  const { longest } = await turnsDuring(async () => {
    assert.equal(await post({ path: '/new_block', body: enlargedBody(unnamed.delivery.body, 20_000_000) }), 200);
    assert.equal(await post(named.delivery), 200);
    assert.equal(await waiting, TESTNET, 'what names the network is found behind the large block');
  });
  assert.ok(longest < LONGEST_TURN, `${longest} ms`);
});
