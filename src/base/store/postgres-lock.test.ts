import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import { holdShared, tryHold, whileAlone } from './postgres-lock.ts';

const server = sharedPostgres();
let url: string;
before(async () => {
  if ('url' in server) url = await server.url();
});
const options = { skip: 'missing' in server ? server.missing : false };

const name = (test: string): string => `lock test ${process.pid} ${test}`;
const isFree = (lock: string): Promise<boolean> => whileAlone(url, lock, async () => {});

test('a name can be held by several at once, and is free when all have let go', options, async () => {
  const lock = name('shared');
  const first = await holdShared(url, lock);
  const second = await holdShared(url, lock);
  assert.equal(await isFree(lock), false);
  await first();
  assert.equal(await isFree(lock), false);
  await second();
  assert.equal(await isFree(lock), true);
});

test('only one is alone at a time, and its work decides what it gives', options, async () => {
  const lock = name('alone');
  const inner: boolean[] = [];
  assert.equal(await whileAlone(url, lock, async () => void inner.push(await isFree(lock))), true);
  assert.deepEqual(inner, [false]);
  await assert.rejects(
    whileAlone(url, lock, () => Promise.reject(new Error('failed'))),
    /failed/,
  );
  assert.equal(await isFree(lock), true);
});

test('a name is held again after its connection has broken, and let go for good afterwards', options, async () => {
  const lock = name('broken');
  const release = await holdShared(url, lock);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const holders = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
    AND ((classid::bigint << 32) | objid::bigint) = hashtextextended($1, 0)`;
  const [held] = (await client.query<{ pid: number }>(holders, [lock])).rows;
  assert.ok(held);
  await client.query('SELECT pg_terminate_backend($1)', [held.pid]);
  for (;;) {
    const { rows } = await client.query<{ pid: number }>(holders, [lock]);
    if (rows.some(({ pid }) => pid !== held.pid)) break;
    await delay(50);
  }
  await release();
  assert.equal(await isFree(lock), true);
  await client.end();
});

test(
  'who holds a name alone is told when the connection is gone, and somebody else can hold it then',
  options,
  async () => {
    const lock = name('held');
    const held = await tryHold(url, lock);
    assert.ok(held);
    assert.equal(await tryHold(url, lock), undefined);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = $1 AND granted AND ((classid::bigint << 32) | objid::bigint) = hashtextextended($2, 0)',
      ['advisory', lock],
    );
    await client.end();
    await held.lost;
    const next = await tryHold(url, lock);
    assert.ok(next);
    await next.release();
    await next.lost;
    assert.equal(await isFree(lock), true);
  },
);

test('a server that no longer responds costs the one who is alone the name', options, async t => {
  const lock = name('mute');
  const relay = await startRelay(url);
  t.after(() => relay.close());
  const held = await tryHold(relay.url, lock);
  assert.ok(held);
  relay.mute();
  await held.lost;
});

/** Forwards everything between clients and a server, until `mute` is called. */
async function startRelay(to: string): Promise<{ url: string; mute(): void; close(): void }> {
  const target = new URL(to);
  const sockets: Socket[] = [];
  const relay = createServer(client => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    sockets.push(client, upstream);
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const through = new URL(to);
  through.hostname = '127.0.0.1';
  through.port = String((relay.address() as AddressInfo).port);
  return {
    url: through.href,
    mute: () => {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    close: () => {
      relay.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
