import type { SqlValue, Table } from './database.ts';
import { type ColumnKind, columnKind } from './ddl.ts';
import { FatalDatabaseError } from './errors.ts';

/**
 * The one place that decides which values may be stored. It refuses what the engines would treat differently
 * (docs/storage.md#rules-for-sql): NUL in text, numbers that are no safe integers, undefined, booleans, a value of the wrong column type.
 */

/** Throws FatalDatabaseError (INVALID_VALUE) unless every parameter is a Value that both engines store alike. */
export function checkParams(params: readonly SqlValue[]): void {
  for (let i = 0; i < params.length; i++) {
    const problem = problemOf(params[i]);
    if (problem !== undefined) throw invalid(`parameter ${i + 1} ${problem}`);
  }
}

/** Throws FatalDatabaseError (INVALID_VALUE) unless each row has one fitting value for each column of the table. */
export function checkRows(table: Table, rows: readonly (readonly SqlValue[])[]): void {
  checkTuples(table, Object.keys(table.columns), rows);
}

/** As checkRows, for values of the key columns in the order of `table.key`. */
export function checkKeys(table: Table, keys: readonly (readonly SqlValue[])[]): void {
  checkTuples(table, table.key, keys);
}

/**
 * Throws FatalDatabaseError (MISUSE) when a key occurs twice among the rows: PostgreSQL refuses that in an upsert, so
 * SQLite must too.
 */
export function checkKeysDiffer(table: Table, rows: readonly (readonly SqlValue[])[]): void {
  if (rows.length < 2) return;
  const columns = Object.keys(table.columns);
  const positions = table.key.map(name => columns.indexOf(name));
  const seen = new Set<string>();
  for (const row of rows) seen.add(keyText(row, positions));
  if (seen.size < rows.length) {
    throw new FatalDatabaseError('MISUSE', `table ${table.name}: a key occurs twice in one upsertMany`);
  }
}

function checkTuples(table: Table, names: readonly string[], tuples: readonly (readonly SqlValue[])[]): void {
  const kinds = names.map(name => columnKind(table.columns[name] ?? 'text'));
  for (const tuple of tuples) {
    if (tuple.length !== kinds.length) {
      throw invalid(`table ${table.name}: ${tuple.length} values for ${kinds.length} columns`);
    }
    for (let i = 0; i < kinds.length; i++) {
      const kind = kinds[i];
      const value = tuple[i];
      if (kind === undefined || isOfKind(value, kind.kind) || (value === null && kind.nullable)) continue;
      throw invalid(`${table.name}.${names[i]} ${problemOf(value) ?? `is not ${kind.kind}`}`);
    }
  }
}

function problemOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value.includes('\0') ? 'is text with a NUL character, which PostgreSQL cannot store' : undefined;
    case 'number':
      return Number.isSafeInteger(value) ? undefined : `is ${value}, which is not an integer below 2^53`;
    case 'undefined':
      return 'is undefined; use null for an absent value';
    default:
      return value === null || value instanceof Uint8Array ? undefined : `is a ${typeof value}`;
  }
}

/** Whether a column of this kind holds the value: problemOf finds nothing, and the kinds agree. */
function isOfKind(value: unknown, kind: ColumnKind['kind']): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && !value.includes('\0');
    case 'int':
      return Number.isSafeInteger(value);
    case 'bytes':
      return value instanceof Uint8Array;
    default:
      return kind satisfies never;
  }
}

/** A text that differs for different keys: in a key of several columns each part starts with its length. */
function keyText(row: readonly (SqlValue | undefined)[], positions: readonly number[]): string {
  if (positions.length === 1) return partText(row[positions[0] ?? 0]);
  let text = '';
  for (const position of positions) {
    const part = partText(row[position]);
    text += `${part.length} ${part}`;
  }
  return text;
}

function partText(value: SqlValue | undefined): string {
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1')
    : `${value}`;
}

function invalid(message: string): FatalDatabaseError {
  return new FatalDatabaseError('INVALID_VALUE', message);
}

/** A burn height as it is stored and shown. A transaction may name one of 128 bits; no chain reaches 2^53. */
export function storableHeight(height: bigint): number {
  return height < BigInt(Number.MAX_SAFE_INTEGER) ? Number(height) : Number.MAX_SAFE_INTEGER;
}

/** Whether every database can hold and compare this text: PostgreSQL refuses NUL, and neither engine keeps unpaired surrogates. */
export function isStorable(text: unknown): boolean {
  return typeof text !== 'string' || (!text.includes('\0') && text.isWellFormed());
}
