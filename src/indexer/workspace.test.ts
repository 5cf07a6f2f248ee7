import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onEveryEngine } from '../../test/support/engines.ts';
import type { Database, Table, Transaction, Value } from '../store/database.ts';
import { LIST_COUNTERS, LISTS, type ListKind, UNDO_LOG } from './tables.ts';
import { UndoLog } from './undo-log.ts';
import { Workspace } from './workspace.ts';

/** A key of two columns, one of them bytes, and columns that may be null. */
const OWNERS: Table = {
  name: 'owners',
  columns: { asset: 'text', id: 'bytes', owner: 'text?', hash: 'bytes?' },
  key: ['asset', 'id'],
};
const SCORES: Table = { name: 'scores', columns: { who: 'int', score: 'int' }, key: ['who'] };
const SEEN: Table = { name: 'seen', columns: { who: 'text', at: 'int' }, key: ['who'] };

const SHARED: Table = { name: 'shared_entries', columns: { list: 'int', seq: 'int', v: 'int' }, key: ['list', 'seq'] };
const OWN: Table = { name: 'own_entries', columns: { list: 'int', seq: 'int', v: 'int' }, key: ['list', 'seq'] };
const SINGLE: Table = { name: 'single_entries', columns: { seq: 'int', v: 'int' }, key: ['seq'] };

/** Two kinds of lists that share a table, one that has its own, and one that is a single list. */
const KINDS: readonly ListKind[] = [
  { code: 1, chain: 'stacks', entries: SHARED, named: true },
  { code: 2, chain: 'stacks', entries: SHARED, named: true },
  { code: 3, chain: 'stacks', entries: OWN, named: true },
  { code: 4, chain: 'stacks', entries: SINGLE, named: false },
];
const STATE = [OWNERS, SCORES];
const TABLES = [LISTS, LIST_COUNTERS, UNDO_LOG, SEEN, SHARED, OWN, SINGLE, ...STATE];
const NAMES = ['a', 'b', 'it’s "long"'];

type Operation =
  | { readonly do: 'append'; readonly kind: number; readonly name: string; readonly value: number }
  | { readonly do: 'put'; readonly table: Table; readonly row: readonly Value[] }
  | { readonly do: 'remove'; readonly table: Table; readonly row: readonly Value[] }
  | { readonly do: 'keep'; readonly row: readonly Value[] }
  /** In the middle of a unit. */
  | { readonly do: 'flush' };

type Step =
  | { readonly do: 'unit'; readonly operations: readonly Operation[]; readonly flush: boolean }
  | { readonly do: 'undo'; readonly units: number };

type Contents = ReadonlyMap<Table, ReadonlyMap<string, readonly Value[]>>;

/** What the tables must hold, kept in the simplest way there is. */
class Model {
  #tables: Contents = new Map();
  readonly #kept = new Map<string, readonly Value[]>();
  readonly #before: Contents[] = [];

  beginUnit(): void {
    this.#before.push(this.#tables);
  }

  undo(): void {
    this.#tables = this.#before.pop() ?? new Map();
  }

  get depth(): number {
    return this.#before.length;
  }

  rows(table: Table): (readonly Value[])[] {
    return [...((table === SEEN ? this.#kept : this.#tables.get(table))?.values() ?? [])];
  }

  apply(operation: Operation): void {
    if (operation.do === 'keep') this.#kept.set(String(operation.row[0]), operation.row);
    if (operation.do === 'put') this.#put(operation.table, operation.row);
    if (operation.do === 'remove') this.#write(operation.table, operation.row, undefined);
    if (operation.do === 'append') this.#append(KINDS[operation.kind] as ListKind, operation.name, operation.value);
  }

  #append(kind: ListKind, givenName: string, value: number): void {
    const name = kind.named ? givenName : '';
    const list = this.rows(LISTS).find(([code, of]) => code === kind.code && of === name);
    const count = Number(this.rows(LIST_COUNTERS).find(([entries]) => entries === kind.entries.name)?.[1] ?? 0);
    const [id, seq] = list ? [Number(list[2]), Number(list[3])] : [count, 0];
    if (!list) this.#put(LIST_COUNTERS, [kind.entries.name, count + 1]);
    this.#put(LISTS, [kind.code, name, id, seq + 1]);
    this.#put(kind.entries, kind.named ? [id, seq, value] : [seq, value]);
  }

  #put(table: Table, row: readonly Value[]): void {
    this.#write(table, row, row);
  }

  #write(table: Table, keyOf: readonly Value[], row: readonly Value[] | undefined): void {
    const rows = new Map(this.#tables.get(table));
    const key = text(keyOf.slice(0, table.key.length));
    if (row) rows.set(key, row);
    else rows.delete(key);
    this.#tables = new Map(this.#tables).set(table, rows);
  }
}

const text = (row: readonly Value[]): string =>
  JSON.stringify(row.map(value => (value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value)));

async function stored(tx: Transaction, table: Table): Promise<string[]> {
  const columns = Object.keys(table.columns);
  const rows = await tx.all(`SELECT ${columns.join(', ')} FROM ${table.name}`);
  return rows.map(row => text(columns.map(column => row[column] ?? null))).sort();
}

async function assertStored(tx: Transaction, model: Model): Promise<void> {
  for (const table of TABLES) {
    if (table === UNDO_LOG) continue;
    assert.deepEqual(await stored(tx, table), model.rows(table).map(text).sort(), `table ${table.name}`);
  }
}

/** Every list is as long as its directory says, and its entries are numbered 0, 1, 2 ... without gaps. */
async function assertDense(tx: Transaction): Promise<void> {
  const lists = await tx.all<{ kind: number; id: number; length: number }>('SELECT kind, id, length FROM lists');
  let entries = 0;
  for (const { kind, id, length } of lists) {
    const { entries: table, named } = KINDS[kind - 1] as ListKind;
    const where = named ? `WHERE list = ${id}` : '';
    const rows = await tx.all<{ seq: number }>(`SELECT seq FROM ${table.name} ${where} ORDER BY seq`);
    assert.ok(length > 0, 'a list exists while it has entries');
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      [...Array(length).keys()],
    );
    entries += length;
  }
  for (const { name } of [SHARED, OWN, SINGLE]) entries -= (await tx.all(`SELECT seq FROM ${name}`)).length;
  assert.equal(entries, 0, 'no entry is without a list');
}

const OWNER_KEYS: readonly Value[][] = ['gold', 'gold.x'].flatMap(asset =>
  [[], [0], [0, 1]].map((id): Value[] => [asset, Uint8Array.from(id)]),
);
const SCORE_KEYS: readonly Value[][] = [[0], [1], [4_000_000_000]];

async function loadAll(workspace: Workspace): Promise<void> {
  await workspace.load(OWNERS, OWNER_KEYS);
  await workspace.load(SCORES, SCORE_KEYS);
  for (const kind of KINDS) await workspace.loadLists(kind, kind.named ? NAMES : ['']);
}

/** One unit, with its undo record in the undo log as the indexer puts it there. */
async function applyUnit(tx: Transaction, workspace: Workspace, model: Model, operations: readonly Operation[]) {
  await loadAll(workspace);
  workspace.beginUnit();
  model.beginUnit();
  for (const operation of operations) {
    model.apply(operation);
    if (operation.do === 'flush') {
      await workspace.flush();
      await loadAll(workspace);
    } else applyOperation(workspace, operation);
  }
  const records = workspace.endUnit();
  workspace.keep(UNDO_LOG, new UndoLog(tx, 'stacks').row(model.depth - 1, '0xab', records));
}

function applyOperation(workspace: Workspace, operation: Exclude<Operation, { do: 'flush' }>): void {
  switch (operation.do) {
    case 'keep':
      workspace.keep(SEEN, operation.row);
      break;
    case 'put':
      workspace.put(operation.table, operation.row);
      break;
    case 'remove':
      workspace.remove(operation.table, operation.row.slice(0, operation.table.key.length));
      break;
    case 'append': {
      const kind = KINDS[operation.kind] as ListKind;
      const name = kind.named ? operation.name : '';
      const before = workspace.lengthOf(kind, name);
      assert.equal(workspace.append(kind, name, [operation.value]), before);
      assert.equal(workspace.lengthOf(kind, name), before + 1);
    }
  }
}

async function undoUnit(tx: Transaction, workspace: Workspace, model: Model): Promise<void> {
  const log = new UndoLog(tx, 'stacks');
  await workspace.flush();
  const top = await log.top();
  assert.equal(top?.depth, model.depth - 1);
  await workspace.restore(top?.records ?? []);
  await log.remove(model.depth - 1);
  model.undo();
}

const ownerRow = fc
  .tuple(
    fc.constantFrom(...OWNER_KEYS),
    fc.option(fc.constantFrom('alice', 'bob', '')),
    fc.option(fc.uint8Array({ maxLength: 3 })),
  )
  .map(([key, owner, hash]): Value[] => [...key, owner, hash]);
const scoreRow = fc
  .tuple(fc.constantFrom(...SCORE_KEYS), fc.integer({ min: -5, max: 5 }))
  .map(([key, score]): Value[] => [...key, score]);
const ofTable = (table: Table, row: fc.Arbitrary<Value[]>): fc.Arbitrary<Operation>[] => [
  fc.record({ do: fc.constant('put'), table: fc.constant(table), row }),
  fc.record({ do: fc.constant('remove'), table: fc.constant(table), row }),
];
const operation: fc.Arbitrary<Operation> = fc.oneof(
  ...ofTable(OWNERS, ownerRow),
  ...ofTable(SCORES, scoreRow),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('append'),
      kind: fc.nat(KINDS.length - 1),
      name: fc.constantFrom(...NAMES),
      value: fc.nat(9),
    }),
  },
  fc.record({
    do: fc.constant('keep'),
    row: fc.tuple(fc.constantFrom('x', 'y'), fc.nat(9)).map((row): Value[] => row),
  }),
  fc.constant({ do: 'flush' } as const),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('unit'),
      operations: fc.array(operation, { maxLength: 8 }),
      flush: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant('undo'), units: fc.integer({ min: 1, max: 4 }) }),
);
const steps = fc.array(step, { minLength: 3, maxLength: 12 });
/** From a cache that is emptied by every flush to one that never is. */
const cacheLimits = fc.constantFrom(0, 3, 400_000);

class Rollback extends Error {}

/** Runs `work` in a transaction that is rolled back, so that the next one finds empty tables. */
async function scratch(database: Database, work: (tx: Transaction) => Promise<void>): Promise<void> {
  const outcome = database.write(async tx => {
    await work(tx);
    throw new Rollback();
  });
  await outcome.catch(error => {
    if (!(error instanceof Rollback)) throw error;
  });
}

onEveryEngine((engine, openFresh) => {
  test(`undo leaves every table as it was at that depth, whenever it was written to the database (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    const run = (sequence: readonly Step[], cacheLimit: number) =>
      scratch(database, async tx => {
        const workspace = new Workspace(STATE, KINDS, cacheLimit);
        workspace.attach(tx);
        const model = new Model();
        for (const current of sequence) {
          if (current.do === 'unit') {
            await applyUnit(tx, workspace, model, current.operations);
            if (current.flush) await workspace.flush();
            continue;
          }
          for (let n = Math.min(current.units, model.depth); n > 0; n--) {
            await undoUnit(tx, workspace, model);
            await assertStored(tx, model);
          }
        }
        await workspace.flush();
        await assertStored(tx, model);
        await assertDense(tx);
        while (model.depth > 0) await undoUnit(tx, workspace, model);
        await assertStored(tx, model);
      });
    await fc.assert(fc.asyncProperty(steps, cacheLimits, run), { numRuns: engine === 'sqlite' ? 80 : 12 });
  });

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

  test(`a new workspace over the same tables goes on where another stopped (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create(TABLES);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(operation, { maxLength: 6 }), { maxLength: 6 }), units =>
        scratch(database, async tx => {
          const model = new Model();
          for (const operations of units) {
            const workspace = new Workspace(STATE, KINDS);
            workspace.attach(tx);
            await applyUnit(tx, workspace, model, operations);
            await workspace.flush();
          }
          await assertStored(tx, model);
        }),
      ),
      { numRuns: engine === 'sqlite' ? 20 : 6 },
    );
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
  const rows = { all: async () => [{ who: 1, score: 3 }] };
  workspace.attach(rows as unknown as Transaction);
  await workspace.load(SCORES, [[1]]);
  workspace.beginUnit();
  workspace.put(SCORES, [1, 4]);
  workspace.remove(SCORES, [1]);
  workspace.put(SCORES, [1, 5]);
  assert.deepEqual(workspace.endUnit(), [{ table: 'scores', key: [1], previous: [1, 3] }]);
});
