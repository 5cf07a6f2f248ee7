import { crc32 } from 'node:zlib';
import { toHex } from '../../base/lib/hex.ts';
import type { Queries, Row, SqlValue, Table } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { EntryOf, LISTS, ListKind } from '../../ingest/indexer/tables.ts';
import { type Finding, wrong } from './check.ts';
import { pagedRows } from './pages.ts';
import { type SpillingMap, withSpillingMap } from './spilling-map.ts';

/**
 * The expected contents of lists, recounted entry by entry from their sources. For each list it keeps the number of entries and a checksum of them,
 * in their order.
 */
export class Recount {
  /** By kind and name. */
  readonly #lists: SpillingMap;
  /** The compared columns of each table; without columns, only lengths are compared. */
  readonly #columns = new Map<Table, readonly string[]>();

  constructor(lists: SpillingMap) {
    this.#lists = lists;
  }

  /**
   * Appends to a list. @param entry its columns, or those that are compared: the same for every entry of a table
   * @returns the number of the entry
   */
  async add<Kind extends ListKind>(kind: Kind, name: string, entry: Partial<EntryOf<Kind>>): Promise<number> {
    const columns = this.#columns.get(kind.entries) ?? Object.keys(entry);
    this.#columns.set(kind.entries, columns);
    const key = keyOf(kind, name);
    const before = await this.#lists.get(key);
    await this.#lists.set(key, withEntry(before, entry as Row, columns));
    return lengthIn(before);
  }

  /** Compares all lists of these kinds with the added entries, and consumes these. */
  async *compare(kinds: readonly ListKind[], index: Queries): AsyncIterable<Finding> {
    for (const table of new Set(kinds.map(({ entries }) => entries)))
      yield* withSpillingMap(found => this.#compareTable(table, kinds, found, index));
    for await (const [list, expected] of this.#lists.entries())
      yield wrong(`lists: kind ${list} is not in the directory, a recount gives ${lengthIn(expected)}`);
  }

  /** @param found the entries of each list of the table, by identifier */
  async *#compareTable(
    table: Table,
    kinds: readonly ListKind[],
    found: SpillingMap,
    index: Queries,
  ): AsyncIterable<Finding> {
    const columns = this.#columns.get(table);
    if (columns) await readEntries(table, columns, found, index);
    for (const kind of kinds.filter(({ entries }) => entries === table))
      for await (const { name, id, length } of listsOf(kind, index)) {
        const expected = await this.#lists.take(keyOf(kind, name));
        const list = `lists: kind ${kind.code} "${name}"`;
        if (lengthIn(expected) !== length)
          yield wrong(`${list} has length ${length}, a recount gives ${lengthIn(expected)}`);
        else if ((await found.get(String(kind.named ? id : 0))) !== expected)
          yield wrong(`${list} has other entries than a recount`);
      }
  }
}

/** Opens a recount for the duration of the work. */
export const withRecount = <T>(work: (recount: Recount) => AsyncIterable<T>): AsyncIterable<T> =>
  withSpillingMap(lists => work(new Recount(lists)));

/** The directory of the lists of a kind. */
export const listsOf = (
  { code }: ListKind,
  index: Queries,
): AsyncIterable<RowOf<typeof LISTS, 'name' | 'id' | 'length'>> =>
  pagedRows(index, {
    sql: `SELECT name, id, length FROM (SELECT name, id, length FROM lists WHERE kind = ${code}) AS of_kind`,
    key: ['name'],
  });

async function readEntries(
  table: Table,
  columns: readonly string[],
  found: SpillingMap,
  index: Queries,
): Promise<void> {
  let list = 0;
  let entries: string | undefined;
  for await (const row of pagedRows<Row>(index, {
    sql: `SELECT ${[...table.key, ...columns].join(', ')} FROM ${table.name}`,
    key: table.key,
  })) {
    const own = Number(row.list ?? 0);
    if (entries !== undefined && own !== list) {
      await found.set(String(list), entries);
      entries = undefined;
    }
    list = own;
    entries = withEntry(entries, row, columns);
  }
  if (entries !== undefined) await found.set(String(list), entries);
}

const keyOf = ({ code }: ListKind, name: string): string => `${code} ${name}`;

const lengthIn = (entries: string | undefined): number => Number(entries?.split(' ', 1)[0] ?? 0);

/** Length and checksum of a list after one more entry. */
function withEntry(before: string | undefined, entry: Row, columns: readonly string[]): string {
  const [length = 0, checksum = 0] = before?.split(' ').map(Number) ?? [];
  return `${length + 1} ${crc32(columns.map(name => textOf(entry[name])).join('\n'), checksum)}`;
}

/** A value as a text that no other value of its column has. */
export const textOf = (value: SqlValue | undefined): string =>
  value instanceof Uint8Array ? toHex(value) : value === null || value === undefined ? '\0' : String(value);
