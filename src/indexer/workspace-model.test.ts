import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onEveryEngine } from '../../test/support/engines.ts';
import {
  KINDS,
  loadAll,
  NAMES,
  OWN,
  OWNER_KEYS,
  OWNERS,
  rowText,
  SCORE_KEYS,
  SCORES,
  SEEN,
  SHARED,
  SINGLE,
  STATE,
  scratch,
  stored,
  TABLES,
} from '../../test/support/workspace-tables.ts';
import type { Table, Transaction, Value } from '../store/database.ts';
import { LIST_COUNTERS, LISTS, type ListKind, UNDO_LOG } from './tables.ts';
import { UndoLog } from './undo-log.ts';
import { Workspace } from './workspace.ts';

type Operation =
  | { readonly do: 'append'; readonly kind: number; readonly name: string; readonly value: number }
  | { readonly do: 'put'; readonly table: Table; readonly row: readonly Value[] }
  | { readonly do: 'remove'; readonly table: Table; readonly row: readonly Value[] }
  | { readonly do: 'keep'; readonly row: readonly Value[] }
  /** In the middle of a unit. */
  | { readonly do: 'flush' }
  | { readonly do: 'spill' };

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
    const key = rowText(keyOf.slice(0, table.key.length));
    if (row) rows.set(key, row);
    else rows.delete(key);
    this.#tables = new Map(this.#tables).set(table, rows);
  }
}

async function assertStored(tx: Transaction, model: Model): Promise<void> {
  for (const table of TABLES) {
    if (table === UNDO_LOG) continue;
    assert.deepEqual(await stored(tx, table), model.rows(table).map(rowText).sort(), `table ${table.name}`);
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
    } else if (operation.do === 'spill') {
      workspace.spill();
    } else applyOperation(workspace, operation);
  }
  const records = workspace.endUnit();
  workspace.keep(UNDO_LOG, new UndoLog(tx, 'stacks').row(model.depth - 1, '0xab', records));
}

function applyOperation(workspace: Workspace, operation: Exclude<Operation, { do: 'flush' | 'spill' }>): void {
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
  fc.constantFrom<Operation>({ do: 'flush' }, { do: 'spill' }),
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
const cacheLimits = fc.constantFrom(0, 1_500, 400_000_000);

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
});
