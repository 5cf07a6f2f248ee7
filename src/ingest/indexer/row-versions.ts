import type { Columns, Queries, Row, SqlValue, Table } from '../../base/store/database.ts';
import { type KeyOf, keyValuesOf, type RowOf } from '../../base/store/table.ts';
import { horizonOf } from './horizon.ts';
import { lengthOfOnly } from './lists.ts';
import { type ListKind, listKind } from './tables.ts';

/**
 * Versions of rows, for reads as of a block. A state table has the newest row of each key, with the height from which it is valid. What a
 * block replaces or removes goes to a list of past rows, with the height up to which it was valid (exclusive):
 *
 *     names        alice.id  owner C  since 40
 *     past_names   alice.id  owner A  since 10  until 25
 *                  alice.id  owner B  since 25  until 40
 *
 * The versions of a key never overlap. If no version covers a height, the table had no such row then.
 */

/** A state table whose rows have versions. */
type VersionedTable = Table<Columns & { readonly since_height: 'int' }>;

type PastTable<T extends VersionedTable> = Table<
  T['columns'] & { readonly seq: 'int'; readonly until_height: 'int' },
  'seq'
>;

/** The past rows of a state table: one list of them, in chain order. */
export interface RowVersions<T extends VersionedTable = VersionedTable> extends ListKind<PastTable<T>> {
  readonly versionsOf: T;
}

/**
 * Declares that the rows of a table have versions. The workspace writes them.
 * @param code of the list of past rows
 * @param groups columns by which rowsWith finds rows: the first ones of an index of the table, or of its key
 */
export function rowVersionsOf<T extends VersionedTable>(
  table: T,
  code: number,
  groups: readonly (readonly (keyof T['columns'] & string)[])[] = [],
): RowVersions<T> {
  // The numbering column comes first, as in every list.
  const columns = { seq: 'int', ...table.columns, until_height: 'int' } as const;
  const entries: Table<typeof columns, 'seq'> = {
    name: `past_${table.name}`,
    columns,
    key: ['seq'],
    indexes: [table.key, ...groups].map(names => [...names, 'until_height']),
  };
  const kind = listKind({
    code,
    chain: 'stacks',
    entries,
    named: false,
    clock: { of: 'height', column: 'until_height' },
  });
  return { ...kind, versionsOf: table };
}

/** The effect of a write on a row with versions. */
interface Written {
  /** Null if the row was removed. */
  readonly row: Row | null;
  /** The version that the write ends; null if the row is new, or of the same block. */
  readonly past: Row | null;
}

/**
 * Computes the effect of a block of this height on a row.
 * @param before null if the table has no such row
 * @param after null if the block removes the row
 * @returns undefined if nothing changes
 */
export function writeVersion(table: Table, before: Row | null, after: Row | null, height: number): Written | undefined {
  const row = after && { ...after, since_height: height };
  if (before === null) return row ? { row, past: null } : undefined;
  if (row && isSame(table, before, row)) return undefined;
  return { row, past: before.since_height === height ? null : { ...before, until_height: height } };
}

function isSame({ columns }: Table, one: Row, other: Row): boolean {
  for (const name in columns)
    if (name !== 'since_height' && !isSameValue(one[name] as SqlValue, other[name] as SqlValue)) return false;
  return true;
}

const isSameValue = (one: SqlValue, other: SqlValue): boolean =>
  one instanceof Uint8Array && other instanceof Uint8Array ? Buffer.compare(one, other) === 0 : one === other;

const columnsOf = ({ columns }: Table): string => Object.keys(columns).join(', ');
const areEqual = (names: readonly string[]): string => names.map(name => `${name} = ?`).join(' AND ');

/** The row of a key, as far as the queries show it. */
export async function findRow<T extends VersionedTable>(
  queries: Queries,
  { versionsOf: table, entries }: RowVersions<T>,
  key: KeyOf<T>,
): Promise<RowOf<T> | undefined> {
  const [columns, values] = [columnsOf(table), keyValuesOf(table, key)];
  const newest = await queries.get(`SELECT ${columns} FROM ${table.name} WHERE ${areEqual(table.key)}`, values);
  const { height } = horizonOf(queries) ?? { height: Number.MAX_SAFE_INTEGER };
  if (isShown(newest, height)) return newest as RowOf<T>;
  const past =
    horizonOf(queries) &&
    (await queries.get(
      `SELECT ${columns} FROM ${entries.name} WHERE ${areEqual(table.key)} AND until_height > ? ORDER BY until_height LIMIT 1`,
      [...values, height],
    ));
  return isShown(past, height) ? (past as RowOf<T>) : undefined;
}

const isShown = (row: Row | undefined, height: number): row is Row =>
  row !== undefined && Number(row.since_height) <= height;

/** SQL that replaces the table in a FROM clause, without alias: the rows as far as the queries show them. */
export function rowsAsOf({ versionsOf: table, entries }: RowVersions, queries: Queries): string {
  const horizon = horizonOf(queries);
  if (!horizon) return table.name;
  const { height } = horizon;
  const select = (from: Table) => `SELECT ${columnsOf(table)} FROM ${from.name} WHERE since_height <= ${height}`;
  return `(${select(table)} UNION ALL ${select(entries)} AND until_height > ${height})`;
}

/** Rows of one read. */
const PART = 500;

/** See RowBudget in api/http/long-reads.ts. */
interface Budget {
  take(rows: number): Promise<number>;
}

/** The rows of a table with versions that have these values in the first columns of an index; without values, all rows. */
interface Group<T extends VersionedTable> {
  readonly values: Partial<RowOf<T>>;
  /** The further columns of the index of the table, by which its rows are read; and those of the key that it lacks. */
  readonly order: readonly (keyof T['columns'] & string)[];
}

/**
 * The rows of a group, as far as the queries show it, in no order. All rows that are in the group now, or left it above the block, count against
 * the budget.
 */
export async function rowsWith<T extends VersionedTable>(
  queries: Queries,
  kind: RowVersions<T>,
  { values, order }: Group<T>,
  budget: Budget,
): Promise<RowOf<T>[]> {
  const { versionsOf: table, entries } = kind;
  const horizon = horizonOf(queries);
  const height = horizon?.height ?? Number.MAX_SAFE_INTEGER;
  const given = Object.entries(values) as [string, SqlValue][];
  const isIn = given.length > 0 ? areEqual(given.map(([name]) => name)) : '1 = 1';
  const params = given.map(([, value]) => value);
  if (horizon && given.length > 0) {
    const few = await fewWith(queries, kind, { isIn, params, height }, budget);
    if (few) return few.filter(row => isShown(row, height)) as RowOf<T>[];
  }
  const found: Row[] = [];
  for await (const row of inParts(queries, table, { isIn, params, order }, budget))
    if (isShown(row, height)) found.push(row);
  if (horizon) {
    const left =
      given.length > 0
        ? { isIn: `${isIn} AND until_height > ?`, params: [...params, height], order: ['until_height', 'seq'] }
        : { isIn: 'seq >= ?', params: [await lengthOfOnly(queries, kind)], order: ['seq'] };
    for await (const row of inParts(queries, entries, left, budget)) if (isShown(row, height)) found.push(row);
  }
  return found as RowOf<T>[];
}

/** Rows of a small group. */
const FEW = 50;

/** The rows of a group now, and those that left it above the block, with one statement; undefined if there are more than a few. */
async function fewWith(
  queries: Queries,
  { versionsOf: table, entries }: RowVersions,
  { isIn, params, height }: { readonly isIn: string; readonly params: readonly SqlValue[]; readonly height: number },
  budget: Budget,
): Promise<readonly Row[] | undefined> {
  const limit = await budget.take(FEW);
  const rows: readonly Row[] = await queries.all(
    `SELECT ${columnsOf(table)} FROM ${table.name} WHERE ${isIn}
      UNION ALL SELECT ${columnsOf(table)} FROM ${entries.name} WHERE ${isIn} AND until_height > ? LIMIT ?`,
    [...params, ...params, height, limit],
  );
  return rows.length < limit ? rows : undefined;
}

/** The rows of a table that fulfil a condition, in an order that is unique among them. */
async function* inParts(
  queries: Queries,
  table: Table,
  {
    isIn,
    params,
    order,
  }: { readonly isIn: string; readonly params: readonly SqlValue[]; readonly order: readonly string[] },
  budget: Budget,
): AsyncIterable<Row> {
  const by = order.join(', ');
  const isLater = `AND (${by}) > (${order.map(() => '?').join(', ')})`;
  for (let last: Row | undefined, limit = 0; ; ) {
    limit = await budget.take(PART);
    const after = last && order.map(name => last?.[name] as SqlValue);
    const rows: readonly Row[] = await queries.all(
      `SELECT ${columnsOf(table)} FROM ${table.name} WHERE ${isIn} ${after ? isLater : ''} ORDER BY ${by} LIMIT ?`,
      [...params, ...(after ?? []), limit],
    );
    yield* rows;
    last = rows.at(-1);
    if (rows.length < limit) return;
  }
}
