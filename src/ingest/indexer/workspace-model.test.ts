import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
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
} from '../../../test/support/workspace-tables.ts';
import type { DatabaseTransaction, Row, Table } from '../../base/store/database.ts';
import { keyValuesOf, type RowOf, valuesOf } from '../../base/store/table.ts';
import { LIST_COUNTERS, LISTS, UNDO_LOG } from './tables.ts';
import { UndoLog } from './undo-log.ts';
import { Workspace } from './workspace.ts';

type Operation =
  | { readonly do: 'append'; readonly kind: number; readonly name: string; readonly value: number }
  | { readonly do: 'put'; readonly table: Table; readonly row: Row }
  | { readonly do: 'remove'; readonly table: Table; readonly row: Row }
  | { readonly do: 'keep'; readonly row: RowOf<typeof SEEN> }
  /** In the middle of a unit. */
  | { readonly do: 'flush' }
  | { readonly do: 'spill' };

type Step =
  | { readonly do: 'unit'; readonly operations: readonly Operation[]; readonly flush: boolean }
  | { readonly do: 'undo'; readonly units: number };

type Contents = ReadonlyMap<Table, ReadonlyMap<string, Row>>;

/** What the tables must hold, kept in the simplest way there is. */
class Model {
  #tables: Contents = new Map();
  readonly #kept = new Map<string, Row>();
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

  rows<T extends Table>(table: T): RowOf<T>[] {
    const rows = table.name === SEEN.name ? this.#kept : this.#tables.get(table);
    return [...(rows?.values() ?? [])] as RowOf<T>[];
  }

  apply(operation: Operation): void {
    if (operation.do === 'keep') this.#kept.set(operation.row.who, operation.row);
    if (operation.do === 'put') this.#put(operation.table, operation.row);
    if (operation.do === 'remove') this.#write(operation.table, operation.row, undefined);
    if (operation.do === 'append') this.#append(kindOf(operation), operation.name, operation.value);
  }

  #append(kind: (typeof KINDS)[number], givenName: string, value: number): void {
    const name = kind.named ? givenName : '';
    const list = this.rows(LISTS).find(row => row.kind === kind.code && row.name === name);
    const entries = kind.entries.name;
    const count = this.rows(LIST_COUNTERS).find(row => row.entries === entries)?.count ?? 0;
    const { id, length: seq } = list ?? { id: count, length: 0 };
    if (!list) this.#put(LIST_COUNTERS, { entries, count: count + 1 });
    this.#put(LISTS, { kind: kind.code, name, id, length: seq + 1 });
    this.#put<Table>(kind.entries, kind.named ? { list: id, seq, v: value } : { seq, v: value });
  }

  #put<T extends Table>(table: T, row: RowOf<T>): void {
    this.#write(table, row as Row, row as Row);
  }

  #write(table: Table, keyOf: Row, row: Row | undefined): void {
    const rows = new Map(this.#tables.get(table));
    const key = rowText(keyValuesOf(table, keyOf));
    if (row) rows.set(key, row);
    else rows.delete(key);
    this.#tables = new Map(this.#tables).set(table, rows);
  }
}

const kindOf = ({ kind }: { readonly kind: number }): (typeof KINDS)[number] => KINDS[kind] ?? KINDS[0];

async function assertStored(tx: DatabaseTransaction, model: Model): Promise<void> {
  for (const table of TABLES) {
    if (table === UNDO_LOG) continue;
    const expected = model.rows<Table>(table).map(row => rowText(valuesOf<Table>(table, row)));
    assert.deepEqual(await stored(tx, table), expected.sort(), `table ${table.name}`);
  }
}

/** Every list is as long as its directory records, and its entries are numbered 0, 1, 2 ... without gaps. */
async function assertDense(tx: DatabaseTransaction): Promise<void> {
  const lists = await tx.all<{ kind: number; id: number; length: number }>('SELECT kind, id, length FROM lists');
  let entries = 0;
  for (const { kind, id, length } of lists) {
    const { entries: table, named } = kindOf({ kind: kind - 1 });
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
async function applyUnit(
  tx: DatabaseTransaction,
  workspace: Workspace,
  model: Model,
  operations: readonly Operation[],
) {
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
      workspace.remove(operation.table, operation.row);
      break;
    case 'append': {
      const kind = kindOf(operation);
      const name = kind.named ? operation.name : '';
      const before = workspace.lengthOf(kind, name);
      assert.equal(workspace.append(kind, name, { v: operation.value }), before);
      assert.equal(workspace.lengthOf(kind, name), before + 1);
      return;
    }
    default:
      operation satisfies never;
  }
}

async function undoUnit(tx: DatabaseTransaction, workspace: Workspace, model: Model): Promise<void> {
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
  .map(([key, owner, hash]): RowOf<typeof OWNERS> => ({ ...key, owner, hash }));
const scoreRow = fc
  .tuple(fc.constantFrom(...SCORE_KEYS), fc.integer({ min: -5, max: 5 }))
  .map(([key, score]): RowOf<typeof SCORES> => ({ ...key, score }));
const ofTable = (table: Table, row: fc.Arbitrary<Row>): fc.Arbitrary<Operation>[] => [
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
    row: fc.record({ who: fc.constantFrom('x', 'y'), at: fc.nat(9) }),
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
