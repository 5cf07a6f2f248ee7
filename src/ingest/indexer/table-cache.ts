import type { Row, SqlValue, Table } from '../../base/store/database.ts';
import type { ListKind } from './tables.ts';

/** A row of a state table in memory, or the knowledge that the table has no such row. */
export interface CachedRow {
  /** Values of the key columns, in the order of `table.key`. */
  readonly key: readonly SqlValue[];
  row: Row | null;
  /** Whether it differs from the database. */
  dirty: boolean;
  /** The last unit that changed it (see Workspace), or AWAITED. */
  unit: number;
  /** Estimate of the memory that it takes, as of the last flush. */
  bytes: number;
}

/** Marks a row whose load is still pending. */
export const AWAITED = -1;

/** Memory of a row beside its texts and bytes: the row, its key, its entries in Maps. */
const BYTES_OF_ROW = 400;

function bytesOf(row: Row | null): number {
  let bytes = BYTES_OF_ROW;
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'object' || typeof value === 'string') bytes += value?.length ?? 0;
  }
  return bytes;
}

/** The part of a key as a Map distinguishes it. Columns have one type each, so bytes never meet a text. */
const partOf = (value: SqlValue): string | number | null =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
    : value;

/** The rows of one state table that are in memory, by key: a Map of Maps, one level a key column, so that no key is built. */
export class TableCache {
  readonly table: Table;
  /** The list of its past rows; undefined where rows have no versions. */
  readonly versions: ListKind | undefined;
  #root: Level = new Map();
  #bytes = 0;
  #dirty: CachedRow[] = [];

  constructor(table: Table, versions?: ListKind) {
    this.table = table;
    this.versions = versions;
  }

  /** Estimate of the memory that the rows take, without those that changed since the last flush. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param key the key columns, or a whole row */
  find(key: Row): CachedRow | undefined {
    let level: Level | CachedRow | undefined = this.#root;
    for (const name of this.table.key) {
      if (level === undefined) return undefined;
      level = (level as Level).get(partOf(key[name] ?? null));
    }
    return level as CachedRow | undefined;
  }

  /** As find, for a table whose key has two columns. */
  findPair(first: string | number, second: string | number): CachedRow | undefined {
    const level = this.#root.get(first) as Level | undefined;
    return level?.get(second) as CachedRow | undefined;
  }

  /** Adds an entry for a row that is still to be loaded. @param key values in the order of `table.key` */
  expect(key: readonly SqlValue[]): CachedRow {
    const last = key.length - 1;
    let level = this.#root;
    for (let i = 0; i < last; i++) {
      const part = partOf(key[i] ?? null);
      const next = (level.get(part) as Level | undefined) ?? new Map();
      level.set(part, next);
      level = next;
    }
    const awaited: CachedRow = { key, row: null, dirty: false, unit: AWAITED, bytes: BYTES_OF_ROW };
    level.set(partOf(key[last] ?? null), awaited);
    this.#bytes += BYTES_OF_ROW;
    return awaited;
  }

  /** Stores the row that the database returned for an awaited key. */
  arrive(awaited: CachedRow, row: Row | null): void {
    const bytes = bytesOf(row);
    this.#bytes += bytes - awaited.bytes;
    awaited.row = row;
    awaited.bytes = bytes;
    awaited.unit = 0;
  }

  /** Number of rows that differ from the database. */
  get dirty(): number {
    return this.#dirty.length;
  }

  markDirty(cached: CachedRow): void {
    cached.dirty = true;
    this.#dirty.push(cached);
  }

  /** Returns the rows that differ from the database, and marks them as equal to it. */
  takeDirty(): readonly CachedRow[] {
    const taken = this.#dirty;
    for (const cached of taken) {
      const bytes = bytesOf(cached.row);
      this.#bytes += bytes - cached.bytes;
      cached.bytes = bytes;
      cached.dirty = false;
    }
    this.#dirty = [];
    return taken;
  }

  /** Drops every row. None may be dirty. */
  clear(): void {
    this.#root = new Map();
    this.#bytes = 0;
  }
}

type Level = Map<string | number | null, Level | CachedRow>;
