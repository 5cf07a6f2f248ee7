import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Queries } from '../../../base/store/database.ts';
import type { Tip } from '../../../ingest/chain/tip.ts';
import { withoutPipeline } from '../../../metadata/source.ts';
import { FtDirectory } from './ft-list.ts';

/** A directory over a database without contracts, which counts how often it is read. */
function open() {
  const state = { now: 0, reads: 0, fails: false, height: 1 };
  const queries: Queries = { all: async () => [], get: async () => undefined };
  const read: Database['read'] = work => {
    state.reads++;
    return state.fails ? Promise.reject(new Error('away')) : work(queries);
  };
  const db = { read } as Database;
  const tip = { current: () => ({ indexBlockHash: `0x${state.height}`, microblockHash: null }) as Tip };
  const metadata = { ...withoutPipeline({ read: work => work(queries) } as Database), ftListMaxAgeMs: 1000 };
  return { state, directory: new FtDirectory(db, metadata, tip, () => state.now) };
}

test('what was read is used for a while, and by all who ask at the same time', async () => {
  const { state, directory } = open();
  await Promise.all([directory.entries(), directory.entries()]);
  state.now = 999;
  await directory.entries();
  assert.equal(state.reads, 1);
  state.now = 1000;
  await directory.entries();
  assert.equal(state.reads, 2);
});

test('a new tip is read at once', async () => {
  const { state, directory } = open();
  await directory.entries();
  state.height = 2;
  await directory.entries();
  assert.equal(state.reads, 2);
});

test('a failure is not kept', async () => {
  const { state, directory } = open();
  state.fails = true;
  await assert.rejects(directory.entries(), /away/);
  state.fails = false;
  assert.deepEqual(await directory.entries(), []);
});
