import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../test/support/engines.ts';
import {
  KINDS,
  loadAll,
  OWNERS,
  SCORES,
  SEEN,
  STATE,
  scratch,
  stored,
  TABLES,
} from '../../test/support/workspace-tables.ts';
import type { Table, Transaction } from '../store/database.ts';
import { LIST_COUNTERS, LISTS } from './tables.ts';
import { Workspace } from './workspace.ts';

onEveryEngine((engine, openFresh) => {
  test(`a cached row keeps none of the larger buffers in memory that its bytes were cut from (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    await scratch(database, async tx => {
      const workspace = new Workspace(STATE, KINDS);
      workspace.attach(tx);
      const large = new Uint8Array(1_000_000);
      const key = ['asset', large.subarray(5, 9)];
      await workspace.load(OWNERS, [key]);
      workspace.put(OWNERS, [...key, 'owner', large.subarray(20, 30)]);
      const kept = workspace.get(OWNERS, key)?.filter(value => value instanceof Uint8Array);
      assert.deepEqual(
        kept?.map(value => value.buffer.byteLength),
        [4, 10],
      );
    });
  });

  test(`what was not loaded cannot be read or written (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    await scratch(database, async tx => {
      const workspace = new Workspace(STATE, KINDS);
      workspace.attach(tx);
      const [named] = KINDS;
      assert.ok(named);
      assert.throws(() => workspace.get(SCORES, [1]), /before it was loaded/);
      assert.throws(() => workspace.put(SCORES, [1, 5]), /before it was loaded/);
      assert.throws(() => workspace.remove(SCORES, [1]), /before it was loaded/);
      assert.throws(() => workspace.lengthOf(named, 'a'), /before it was loaded/);
      assert.throws(() => workspace.append(named, 'a', [1]), /before it was loaded/);
      assert.throws(() => workspace.get(SEEN, ['x']), /not a state table/);
      assert.equal(workspace.pending, 0, 'a refused write leaves nothing to be written');
      await workspace.load(SCORES, [[1]]);
      assert.equal(workspace.get(SCORES, [1]), null, 'loaded, and not there');
    });
  });

  test(`loads of one turn go to the database together, each key once (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    await scratch(database, async tx => {
      const asked: [table: string, keys: number][] = [];
      const workspace = new Workspace(STATE, KINDS);
      workspace.attach({
        ...tx,
        find: (table, keys) => {
          asked.push([table.name, keys.length]);
          return tx.find(table, keys);
        },
      });
      await tx.insertMany(SCORES, [[2, 20]]);
      await Promise.all([
        workspace.load(SCORES, [[1], [2]]),
        workspace.load(OWNERS, []),
        workspace.load(SCORES, [[2], [3]]),
      ]);
      assert.deepEqual(asked, [['scores', 3]]);
      const first = workspace.load(SCORES, [[4]]);
      await Promise.resolve();
      const second = workspace.load(SCORES, [[4], [5]]); // one of its keys is on its way already
      await Promise.all([first, second]);
      assert.deepEqual(asked, [
        ['scores', 3],
        ['scores', 1],
        ['scores', 1],
      ]);
      assert.deepEqual(
        [1, 2, 3, 4, 5].map(who => workspace.get(SCORES, [who])?.[1] ?? null),
        [null, 20, null, null, null],
      );
    });
  });

  test(`what is on its way from the database is not yet loaded (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    await scratch(database, async tx => {
      const workspace = new Workspace(STATE, KINDS);
      workspace.attach(tx);
      const loading = workspace.load(SCORES, [[1]]);
      assert.throws(() => workspace.put(SCORES, [1, 5]), /before it was loaded/);
      await loading;
      workspace.put(SCORES, [1, 5]);
    });
  });

  test(`entries can be written before the state rows that change on (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    await scratch(database, async tx => {
      const workspace = new Workspace(STATE, KINDS);
      workspace.attach(tx);
      await loadAll(workspace);
      const [named] = KINDS;
      assert.ok(named);
      workspace.append(named, 'a', [7]);
      workspace.keep(SEEN, ['x', 1]);
      await workspace.spill();
      assert.deepEqual(await stored(tx, named.entries), ['[0,0,7]']);
      assert.deepEqual(await stored(tx, SEEN), ['["x",1]']);
      assert.deepEqual(await stored(tx, LISTS), [], 'its length may change again');
      await assert.rejects(workspace.restore([]), /pending/);
      await workspace.flush();
      assert.equal(workspace.pending, 0);
      assert.deepEqual(await stored(tx, LISTS), ['[1,"a",0,1]']);
    });
  });

  test(`keys of bytes are told apart wherever one column ends and the next begins (${engine})`, async t => {
    const { database } = await openFresh(t);
    const pairs: Table = { name: 'pairs', columns: { a: 'bytes', b: 'bytes', v: 'int' }, key: ['a', 'b'] };
    await database.create([LISTS, LIST_COUNTERS, pairs]);
    await scratch(database, async tx => {
      const workspace = new Workspace([pairs], []);
      workspace.attach(tx);
      const one = [Buffer.from('p\u0000xq'), Buffer.from('r')];
      const other = [Buffer.from('p'), Buffer.from('q\u0000xr')];
      await workspace.load(pairs, [one, other]);
      workspace.put(pairs, [...one, 1]);
      workspace.put(pairs, [...other, 2]);
      await workspace.flush();
      assert.equal((await stored(tx, pairs)).length, 2);
    });
  });

  test(`a workspace with pending rows refuses to undo: the lists in the database are not yet what it cuts (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    await scratch(database, async tx => {
      const workspace = new Workspace(STATE, KINDS);
      workspace.attach(tx);
      await loadAll(workspace);
      workspace.put(SCORES, [1, 5]);
      await assert.rejects(workspace.restore([]), /pending/);
    });
  });

  test(`after a transaction that failed, nothing of it is believed (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    const workspace = new Workspace(STATE, KINDS);
    await scratch(database, async tx => {
      workspace.attach(tx);
      await loadAll(workspace);
      workspace.beginUnit();
      workspace.put(SCORES, [1, 5]);
      await workspace.flush();
      workspace.put(SCORES, [1, 6]);
      workspace.keep(SEEN, ['x', 1]);
    });
    workspace.forget();
    assert.throws(() => workspace.transaction, /not attached/);
    await scratch(database, async tx => {
      workspace.attach(tx);
      workspace.beginUnit();
      await loadAll(workspace);
      assert.equal(workspace.get(SCORES, [1]), null);
      assert.deepEqual(workspace.endUnit(), []);
      await workspace.flush();
      assert.deepEqual(await stored(tx, SEEN), []);
    });
  });
});

test('units do not nest, and what is not open cannot be ended', () => {
  const workspace = new Workspace(STATE, KINDS);
  assert.throws(() => workspace.endUnit(), /no unit/);
  workspace.beginUnit();
  assert.throws(() => workspace.beginUnit(), /open already/);
});

test('the undo record has the row before the unit, however often the unit changed it', async () => {
  const workspace = new Workspace(STATE, KINDS);
  const rows = { find: async () => [[1, 3]] };
  workspace.attach(rows as unknown as Transaction);
  await workspace.load(SCORES, [[1]]);
  workspace.beginUnit();
  workspace.put(SCORES, [1, 4]);
  workspace.remove(SCORES, [1]);
  workspace.put(SCORES, [1, 5]);
  assert.deepEqual(workspace.endUnit(), [{ table: 'scores', key: [1], previous: [1, 3] }]);
});

test('rows leave the memory with a flush once they take more than the limit, by the length of what is in them', async () => {
  // A transaction that does no more than the workspace asks of it here.
  const tx = { find: async () => [], upsertMany: async () => {} } as unknown as Transaction;
  const key = ['asset', Buffer.from('token')];
  const isKept = async (owner: string) => {
    const workspace = new Workspace(STATE, KINDS, 5_000);
    workspace.attach(tx);
    await workspace.load(OWNERS, [key]);
    workspace.put(OWNERS, [...key, owner, null]);
    await workspace.flush();
    try {
      return workspace.get(OWNERS, key) !== null;
    } catch {
      return false;
    }
  };
  assert.equal(await isKept('o'.repeat(1_000)), true);
  assert.equal(await isKept('o'.repeat(10_000)), false);
});
