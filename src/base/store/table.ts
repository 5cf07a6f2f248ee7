import type { Columns, ColumnType, DatabaseTransaction, Row, SqlValue, Table } from './database.ts';

/**
 * Tables declare their columns once: the drivers make the DDL from them, the compiler the types of rows. A row is an object with a
 * property for each column; the drivers see arrays, in the order of the columns.
 */

/** What a column of each type holds. */
interface Values {
  readonly int: number;
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly 'int?': number | null;
  readonly 'text?': string | null;
  readonly 'bytes?': Uint8Array | null;
}

/** A row of a table, or of some of its columns: `RowOf<typeof TXS, 'seq' | 'record'>` is what a `SELECT seq, record` returns. */
export type RowOf<T extends Table, Names extends keyof T['columns'] = keyof T['columns']> = {
  readonly [Name in Names]: T['columns'][Name] extends ColumnType ? Values[T['columns'][Name]] : never;
};

/** As RowOf, for the table that a `LEFT JOIN` adds: null where it has no row. */
export type OuterRowOf<T extends Table, Names extends keyof T['columns']> = {
  readonly [Name in Names]: RowOf<T>[Name] | null;
};

/** The key columns of a row. */
export type KeyOf<T extends Table> = RowOf<T, T['key'][number]>;

/** Declares a table. Returns its argument, with the type that `RowOf` and `KeyOf` read. */
export function table<const C extends Columns, const K extends keyof C & string>(
  declared: Table<C, K> & {
    readonly indexes?: readonly (readonly (keyof C & string)[])[];
    readonly readIndexes?: readonly (readonly (keyof C & string)[])[];
  },
): Table<C, K> {
  return declared;
}

/** The values of a row in the order of the columns of its table. */
export function valuesOf<T extends Table>(table: T, row: RowOf<NoInfer<T>>): SqlValue[] {
  const values: SqlValue[] = [];
  for (const name in table.columns) values.push((row as Row)[name] as SqlValue);
  return values;
}

/** Inserts rows: see Transaction.insertMany. */
export const insertRows = <T extends Table>(
  tx: DatabaseTransaction,
  table: T,
  rows: readonly RowOf<NoInfer<T>>[],
): Promise<void> =>
  tx.insertMany(
    table,
    rows.map(row => valuesOf(table, row)),
  );

/** Inserts rows, or replaces those that have their keys: see Transaction.upsertMany. */
export const upsertRows = <T extends Table>(
  tx: DatabaseTransaction,
  table: T,
  rows: readonly RowOf<NoInfer<T>>[],
): Promise<void> =>
  tx.upsertMany(
    table,
    rows.map(row => valuesOf(table, row)),
  );

/** Deletes the rows that have these keys: see Transaction.deleteMany. */
export const deleteRows = <T extends Table>(
  tx: DatabaseTransaction,
  table: T,
  keys: readonly KeyOf<NoInfer<T>>[],
): Promise<void> =>
  tx.deleteMany(
    table,
    keys.map(key => keyValuesOf(table, key)),
  );

/** The values of the key columns, in the order of `table.key`. Any row of the table is a key too. */
export function keyValuesOf<T extends Table>(table: T, key: KeyOf<NoInfer<T>>): SqlValue[] {
  return table.key.map(name => (key as Row)[name] as SqlValue);
}

/** The row of these values, which are in the order of the columns of the table. */
export function rowFrom<T extends Table>(table: T, values: readonly SqlValue[]): RowOf<T> {
  const row: Record<string, SqlValue> = {};
  let i = 0;
  for (const name in table.columns) row[name] = values[i++] as SqlValue;
  return row as RowOf<T>;
}

/** The key of these values, which are in the order of `table.key`. */
export function keyFrom<T extends Table>(table: T, values: readonly SqlValue[]): KeyOf<T> {
  const key: Record<string, SqlValue> = {};
  for (const [i, name] of table.key.entries()) key[name] = values[i] as SqlValue;
  return key as KeyOf<T>;
}
