import type { Database, DatabaseTransaction, SqlValue, Table } from '../../src/base/store/database.ts';
import { table } from '../../src/base/store/table.ts';
import { LIST_COUNTERS, LISTS, listKind, UNDO_LOG } from '../../src/ingest/indexer/tables.ts';
import type { Workspace } from '../../src/ingest/indexer/workspace.ts';

const NONE = { of: 'none', reason: 'nothing is read as of a block' } as const;

/** A key of two columns, one of them bytes, and columns that may be null. */
export const OWNERS = table({
  name: 'owners',
  columns: { asset: 'text', id: 'bytes', owner: 'text?', hash: 'bytes?' },
  key: ['asset', 'id'],
});
export const SCORES = table({ name: 'scores', columns: { who: 'int', score: 'int' }, key: ['who'] });
export const SEEN = table({ name: 'seen', columns: { who: 'text', at: 'int' }, key: ['who'] });

export const SHARED = table({
  name: 'shared_entries',
  columns: { list: 'int', seq: 'int', v: 'int' },
  key: ['list', 'seq'],
});
export const OWN = table({ name: 'own_entries', columns: { list: 'int', seq: 'int', v: 'int' }, key: ['list', 'seq'] });
export const SINGLE = table({ name: 'single_entries', columns: { seq: 'int', v: 'int' }, key: ['seq'] });

/** Two kinds of lists that share a table, one that has its own, and one that is a single list. */
export const KINDS = [
  listKind({ code: 1, chain: 'stacks', entries: SHARED, named: true, clock: NONE }),
  listKind({ code: 2, chain: 'stacks', entries: SHARED, named: true, clock: NONE }),
  listKind({ code: 3, chain: 'stacks', entries: OWN, named: true, clock: NONE }),
  listKind({ code: 4, chain: 'stacks', entries: SINGLE, named: false, clock: NONE }),
] as const;
/** A kind of named lists. */
export const NAMED = KINDS[0];
export const STATE = [OWNERS, SCORES];
export const TABLES = [LISTS, LIST_COUNTERS, UNDO_LOG, SEEN, SHARED, OWN, SINGLE, ...STATE];
export const NAMES = ['a', 'b', 'it’s "long"'];

export const OWNER_KEYS = ['gold', 'gold.x'].flatMap(asset =>
  [[], [0], [0, 1]].map(id => ({ asset, id: Uint8Array.from(id) })),
);
export const SCORE_KEYS = [{ who: 0 }, { who: 1 }, { who: 4_000_000_000 }];

/** Loads everything that a unit may touch. */
export async function loadAll(workspace: Workspace): Promise<void> {
  await workspace.load(OWNERS, OWNER_KEYS);
  await workspace.load(SCORES, SCORE_KEYS);
  for (const kind of KINDS) await workspace.loadLists(kind, kind.named ? NAMES : ['']);
}

/** A row as text, by which rows can be compared. */
export const rowText = (row: readonly SqlValue[]): string =>
  JSON.stringify(row.map(value => (value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value)));

/** The rows of a table as texts, sorted. */
export async function stored(tx: DatabaseTransaction, table: Table): Promise<string[]> {
  const columns = Object.keys(table.columns);
  const rows = await tx.all(`SELECT ${columns.join(', ')} FROM ${table.name}`);
  return rows.map(row => rowText(columns.map(column => row[column] ?? null))).sort();
}

class Rollback extends Error {}

/** Runs `work` in a transaction that is rolled back, so that the next one finds empty tables. */
export async function scratch(database: Database, work: (tx: DatabaseTransaction) => Promise<void>): Promise<void> {
  const outcome = database.write(async tx => {
    await work(tx);
    throw new Rollback();
  });
  await outcome.catch(error => {
    if (!(error instanceof Rollback)) throw error;
  });
}
