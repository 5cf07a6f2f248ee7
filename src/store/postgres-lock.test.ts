import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../../test/support/postgres.ts';
import { holdShared, whileAlone } from './postgres-lock.ts';

const server = await startPostgres();
const url = 'url' in server ? server.url : '';
const options = { skip: 'missing' in server ? server.missing : false, timeout: 120_000 };

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
