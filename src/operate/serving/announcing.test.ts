import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../base/store/database.ts';
import { announcing } from './announcing.ts';

const TX = { txId: `0x${'ab'.repeat(32)}`, raw: Uint8Array.of(1, 2, 255) };

/** An index that shows the transaction from the given look on. */
function indexThatShows(from: number) {
  let looks = 0;
  const read = async () => (++looks >= from ? 'pending' : undefined);
  // The query is the one of mempoolStatus: what it would give is given.
  const row = async () => ((await read()) === undefined ? undefined : { status: 0 });
  const index = { read: (work: (queries: unknown) => Promise<unknown>) => work({ get: row }) } as unknown as Database;
  return { index, looks: () => looks };
}

test('a client hears of its broadcast when the index shows it', async () => {
  const asked: unknown[] = [];
  const { index, looks } = indexThatShows(4);
  await announcing(message => asked.push(message), index)(TX.txId, TX.raw);
  assert.deepEqual(asked, [{ kind: 'mempool-tx', rawTx: '0x0102ff' }]);
  assert.equal(looks(), 4);
});

test('what the index shows already is not announced again', async () => {
  const asked: unknown[] = [];
  await announcing(message => asked.push(message), indexThatShows(1).index)(TX.txId, TX.raw);
  assert.deepEqual(asked, []);
});

test('a client does not wait for ever for an index that does not show it', async () => {
  const { index, looks } = indexThatShows(Number.POSITIVE_INFINITY);
  await announcing(() => undefined, index)(TX.txId, TX.raw);
  assert.ok(looks() > 3);
});
