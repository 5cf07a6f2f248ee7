import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { type Logger, pino } from 'pino';
import { type ClientLimits, createClients, DEFAULT_CLIENT_LIMITS } from './clients.ts';
import { createServer } from './server.ts';

const largest = (limits: Partial<ClientLimits>, processes: number, address: string | undefined): number => {
  const { ledger } = createClients({ limits, processes });
  let held = 0;
  while (held < 1e6 && typeof ledger.hold('requests', address, 1) !== 'string') held++;
  return held;
};

test('each of N processes has 1/N of what all clients and of what one address may hold, but at least one', () => {
  const limits = { maxConcurrentRequests: 100, maxShare: 1 / 4 };
  assert.deepEqual([largest(limits, 1, undefined), largest(limits, 1, 'a')], [100, 25]);
  assert.deepEqual([largest(limits, 4, undefined), largest(limits, 4, 'a')], [25, 6]);
  const { ledger } = createClients({ limits, processes: 256 });
  const of = (resource: 'connections' | 'node_requests' | 'replays') =>
    ledger.atMostShare(resource, Number.POSITIVE_INFINITY);
  assert.deepEqual([of('connections'), of('node_requests'), of('replays')], [9, 1, 1]);
});

test('an address has room for a page of the explorer and one of its requests, however small the share', () => {
  assert.equal(largest({ maxConcurrentRequests: 300 }, 100, 'a'), 2);
});

test('a share of all leaves the lower limit of an address as it is', () => {
  const { ledger } = createClients({ limits: { maxShare: 1 } });
  assert.equal(ledger.atMostShare('streams', 1e6), DEFAULT_CLIENT_LIMITS.maxStreamsPerAddress);
});

test('what was refused and ended is counted by resource', () => {
  const { ledger } = createClients({ limits: { maxConnections: 2, maxShare: 1 / 2, maxStreams: 1 } });
  let closed = 0;
  for (let i = 0; i < 3; i++) ledger.hold('connections', 'a', 1, { progress: () => i, close: () => closed++ });
  for (const address of ['a', 'b']) ledger.hold('streams', address, 1);
  const figures = new Map(ledger.figures().map(each => [each.resource, each]));
  assert.equal(closed, 2);
  assert.deepEqual(figures.get('connections'), {
    resource: 'connections',
    held: 1,
    refused: { address: 0, total: 0 },
    closed: 2,
  });
  assert.deepEqual(figures.get('streams')?.refused, { address: 0, total: 1 });
});

test('a server logs an address that holds its full share for a minute, one line of a resource in a minute', () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1e12 });
  const lines: object[] = [];
  const logger = { ...pino({ level: 'silent' }), warn: (facts: object) => lines.push(facts) } as unknown as Logger;
  const api = createServer({
    version: '0',
    tip: { current: () => undefined },
    logger,
    limits: { maxStreamsPerAddress: 2 },
  });
  const { ledger } = api.clients;
  for (const address of ['192.0.2.1', '192.0.2.2']) ledger.hold('streams', address, 2);
  mock.timers.tick(59_000);
  assert.deepEqual(lines, []);
  mock.timers.tick(2_000);
  assert.deepEqual(lines, [{ resource: 'streams', address: '192.0.2.1' }]);
  ledger.hold('streams', '192.0.2.3', 2);
  mock.timers.tick(60_000);
  assert.deepEqual(lines.slice(1), [{ resource: 'streams', address: '192.0.2.3' }]);
  mock.timers.reset();
});

test('the page about limits has a row for every resource', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reliability.md'), 'utf8');
  const [, section = ''] = page.split('## What a client may hold\n');
  const rows = Array.from(section.split('\n## ')[0]?.matchAll(/^\| `(\w+)`/gm) ?? [], ([, name]) => name);
  assert.deepEqual(
    rows.sort(),
    createClients()
      .ledger.figures()
      .map(({ resource }) => resource)
      .sort(),
  );
});
