import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../../test/support/engines.ts';
import {
  KINDS,
  loadAll,
  NAMED,
  OWNERS,
  SCORES,
  SEEN,
  STATE,
  scratch,
  stored,
  TABLES,
} from '../../../test/support/workspace-tables.ts';
import type { DatabaseTransaction, Table } from '../../base/store/database.ts';
import { table } from '../../base/store/table.ts';
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
      const key = { asset: 'asset', id: large.subarray(5, 9) };
      await workspace.load(OWNERS, [key]);
      workspace.put(OWNERS, { ...key, owner: 'owner', hash: large.subarray(20, 30) });
      const kept = workspace.get(OWNERS, key);
      assert.deepEqual([kept?.id.buffer.byteLength, kept?.hash?.buffer.byteLength], [4, 10]);
    });
  });

  test(`entries of a large block are written while it is applied, once they are many (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    await scratch(database, async tx => {
      const workspace = new Workspace(STATE, KINDS);
      workspace.attach(tx);
      await workspace.loadLists(NAMED, ['a']);
      workspace.beginUnit();
      let most = 0;
      for (let i = 0; i < 10_000; i++) {
        workspace.append(NAMED, 'a', { v: i });
        most = Math.max(most, workspace.pending);
        await workspace.spillMany();
      }
      assert.ok(most < 5_000, `${most} rows waited`);
      const records = workspace.endUnit();
      await workspace.flush();
      const rows = await tx.get<{ n: number }>(`SELECT count(*) AS n FROM ${NAMED.entries.name}`);
      assert.equal(rows?.n, 10_000);
      await workspace.restore(records);
      assert.equal(workspace.lengthOf(NAMED, 'a'), 0);
    });
  });

  test(`state rows that wait for the flush do not make each block spill the few entries it has (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    await scratch(database, async tx => {
      const workspace = new Workspace(STATE, KINDS);
      workspace.attach(tx);
      const names = Array.from({ length: 5_000 }, (_, i) => `list ${i}`);
      await workspace.loadLists(NAMED, names);
      for (const name of names) workspace.append(NAMED, name, { v: 1 });
      await workspace.spillMany();
      assert.ok(workspace.pending >= names.length, 'their directory waits');
      workspace.append(NAMED, 'list 0', { v: 2 });
      assert.equal(workspace.spillMany(), undefined);
    });
  });

  test(`what was not loaded cannot be read or written (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    await scratch(database, async tx => {
      const workspace = new Workspace(STATE, KINDS);
      workspace.attach(tx);
      assert.throws(() => workspace.get(SCORES, { who: 1 }), /before it was loaded/);
      assert.throws(() => workspace.put(SCORES, { who: 1, score: 5 }), /before it was loaded/);
      assert.throws(() => workspace.remove(SCORES, { who: 1 }), /before it was loaded/);
      const names = new RegExp(`list a of kind ${NAMED.code} .*before it was loaded`);
      assert.throws(() => workspace.lengthOf(NAMED, 'a'), names);
      assert.throws(() => workspace.append(NAMED, 'a', { v: 1 }), names);
      assert.throws(() => workspace.get(SEEN, { who: 'x' }), /not a state table/);
      assert.equal(workspace.pending, 0, 'a refused write leaves nothing to be written');
      await workspace.load(SCORES, [{ who: 1 }]);
      assert.equal(workspace.get(SCORES, { who: 1 }), null, 'loaded, and not there');
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
        workspace.load(SCORES, [{ who: 1 }, { who: 2 }]),
        workspace.load(OWNERS, []),
        workspace.load(SCORES, [{ who: 2 }, { who: 3 }]),
      ]);
      assert.deepEqual(asked, [['scores', 3]]);
      const first = workspace.load(SCORES, [{ who: 4 }]);
      await Promise.resolve();
      const second = workspace.load(SCORES, [{ who: 4 }, { who: 5 }]); // one of its keys is on its way already
      await Promise.all([first, second]);
      assert.deepEqual(asked, [
        ['scores', 3],
        ['scores', 1],
        ['scores', 1],
      ]);
      assert.deepEqual(
        [1, 2, 3, 4, 5].map(who => workspace.get(SCORES, { who })?.score ?? null),
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
      const loading = workspace.load(SCORES, [{ who: 1 }]);
      assert.throws(() => workspace.put(SCORES, { who: 1, score: 5 }), /before it was loaded/);
      await loading;
      workspace.put(SCORES, { who: 1, score: 5 });
    });
  });

  test(`entries can be written before the state rows that change on (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    await scratch(database, async tx => {
      const workspace = new Workspace(STATE, KINDS);
      workspace.attach(tx);
      await loadAll(workspace);
      workspace.append(NAMED, 'a', { v: 7 });
      workspace.keep(SEEN, { who: 'x', at: 1 });
      await workspace.spill();
      assert.deepEqual(await stored(tx, NAMED.entries), ['[0,0,7]']);
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
    const pairs = table({ name: 'pairs', columns: { a: 'bytes', b: 'bytes', v: 'int' }, key: ['a', 'b'] });
    await database.create([LISTS, LIST_COUNTERS, pairs]);
    await scratch(database, async tx => {
      const workspace = new Workspace([pairs], []);
      workspace.attach(tx);
      const one = { a: Buffer.from('p\u0000xq'), b: Buffer.from('r') };
      const other = { a: Buffer.from('p'), b: Buffer.from('q\u0000xr') };
      await workspace.load(pairs, [one, other]);
      workspace.put(pairs, { ...one, v: 1 });
      workspace.put(pairs, { ...other, v: 2 });
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
      workspace.put(SCORES, { who: 1, score: 5 });
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
      workspace.put(SCORES, { who: 1, score: 5 });
      await workspace.flush();
      workspace.put(SCORES, { who: 1, score: 6 });
      workspace.keep(SEEN, { who: 'x', at: 1 });
    });
    workspace.forget();
    assert.throws(() => workspace.transaction, /not attached/);
    await scratch(database, async tx => {
      workspace.attach(tx);
      workspace.beginUnit();
      await loadAll(workspace);
      assert.equal(workspace.get(SCORES, { who: 1 }), null);
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
  workspace.attach(rows as unknown as DatabaseTransaction);
  await workspace.load(SCORES, [{ who: 1 }]);
  workspace.beginUnit();
  workspace.put(SCORES, { who: 1, score: 4 });
  workspace.remove(SCORES, { who: 1 });
  workspace.put(SCORES, { who: 1, score: 5 });
  assert.deepEqual(workspace.endUnit(), [{ table: 'scores', key: [1], previous: [1, 3] }]);
});

test('rows leave the memory with a flush once they take more than the limit, by the length of what is in them', async () => {
  // A transaction with just the methods that the workspace calls here.
  const tx = { find: async () => [], upsertMany: async () => {} } as unknown as DatabaseTransaction;
  const key = { asset: 'asset', id: Buffer.from('token') };
  const isKept = async (owner: string) => {
    const workspace = new Workspace(STATE, KINDS, 5_000);
    workspace.attach(tx);
    await workspace.load(OWNERS, [key]);
    workspace.put(OWNERS, { ...key, owner, hash: null });
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

test('a state table whose rows an undo record could not tell from their keys is refused', () => {
  const columns = { a: 'int', b: 'int', v: 'int' } as const;
  const open = (declared: Table) => () => new Workspace([declared], []);
  assert.doesNotThrow(open(table({ name: 'good', columns, key: ['a', 'b'] })));
  assert.throws(open(table({ name: 'late', columns, key: ['b'] })), /state table late/);
  assert.throws(open(table({ name: 'turned', columns, key: ['b', 'a'] })), /state table turned/);
  assert.throws(open(table({ name: 'keys', columns, key: ['a', 'b', 'v'] })), /state table keys/);
});

/** Never called: each line marked so must not compile. */
export function refusedByTheCompiler(workspace: Workspace): void {
  const key = { asset: 'gold', id: new Uint8Array() };
  // @ts-expect-error: a column that the table does not have
  workspace.get(OWNERS, key)?.holder;
  // @ts-expect-error: it may be null
  workspace.get(OWNERS, key)?.owner.length;
  // @ts-expect-error: half of the key
  workspace.get(OWNERS, { asset: 'gold' });
  // @ts-expect-error: a key of another table
  workspace.get(SCORES, key);
  // @ts-expect-error: a column is missing
  workspace.put(OWNERS, { ...key, owner: null });
  // @ts-expect-error: a column that the table does not have
  workspace.put(SCORES, { who: 1, score: 2, rank: 3 });
  // @ts-expect-error: rows are not changed in place
  for (const row of [workspace.get(SCORES, { who: 1 })]) if (row) row.score = 2;
  // @ts-expect-error: a column of another type
  workspace.keep(SEEN, { who: 'x', at: '1' });
  // @ts-expect-error: what the entries do not have
  workspace.append(NAMED, 'a', { w: 1 });
  // @ts-expect-error: the workspace numbers entries itself
  workspace.append(NAMED, 'a', { list: 0, seq: 0, v: 1 });
}
