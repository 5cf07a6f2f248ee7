import type { Table, Transaction, Value } from '../store/database.ts';
import { LIST_COUNTERS, LISTS, type ListKind } from './tables.ts';

/** A row of a state table, in the order of its columns. */
export type StateRow = readonly Value[];

/** What a unit of work (a block) found before it changed it: for every touched key the previous row, null where there was none. */
export interface UndoRecord {
  readonly table: string;
  readonly key: readonly Value[];
  readonly previous: StateRow | null;
}

interface Cached {
  row: StateRow | null;
  readonly key: readonly Value[];
}

interface TableCache {
  readonly table: Table;
  readonly rows: Map<string, Cached>;
  /** Those that differ from the database. */
  readonly dirty: Set<Cached>;
}

/**
 * The index as projections write it: state tables and lists in memory, written to the database in bulk.
 *
 * Projections `load` the keys they need (one query for all that are not in memory), then read and write synchronously.
 * Between `beginUnit` and `endUnit` the previous value of every touched state row is kept: that is the undo record.
 * Rows stay in memory after a flush as a cache; the workspace must be `forget`-ed when its transaction fails.
 */
export class Workspace {
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #cacheLimit: number;
  readonly #state = new Map<string, TableCache>();
  readonly #appended = new Map<Table, Value[][]>();
  readonly #kept = new Map<Table, Map<string, readonly Value[]>>();
  readonly #kindByCode: ReadonlyMap<number, ListKind>;
  #pending = 0;
  #unit: Map<string, UndoRecord> | undefined;
  #tx: Transaction | undefined;

  constructor(stateTables: readonly Table[], kinds: readonly ListKind[], cacheLimit = 200_000) {
    this.#tables = new Map([LISTS, LIST_COUNTERS, ...stateTables].map(table => [table.name, table]));
    this.#kindByCode = new Map(kinds.map(kind => [kind.code, kind]));
    this.#cacheLimit = cacheLimit;
  }

  /** All reads and the next flush go through this transaction. */
  attach(tx: Transaction): void {
    this.#tx = tx;
  }

  get transaction(): Transaction {
    if (!this.#tx) throw new Error('the workspace is not attached to a transaction');
    return this.#tx;
  }

  /** Rows waiting to be written. */
  get pending(): number {
    return this.#pending;
  }

  // ---- state tables

  /** Makes sure that the rows with these keys are in memory, whether they exist or not. */
  async load(table: Table, keys: Iterable<readonly Value[]>): Promise<void> {
    const cache = this.#cacheOf(table).rows;
    const missing = new Map<string, readonly Value[]>();
    for (const key of keys) {
      const id = keyId(key);
      if (!cache.has(id)) missing.set(id, key);
    }
    if (missing.size === 0) return;
    for (const row of await selectByKeys(this.transaction, table, [...missing.values()])) {
      const key = row.slice(0, table.key.length);
      missing.delete(keyId(key));
      cache.set(keyId(key), { row, key });
    }
    for (const [id, key] of missing) cache.set(id, { row: null, key: key.map(ownBytes) });
  }

  /** The current row of a loaded key, null where there is none. Key columns come first in every state table. */
  get(table: Table, key: readonly Value[]): StateRow | null {
    const cached = this.#cacheOf(table).rows.get(keyId(key));
    if (!cached) throw new Error(`${table.name} ${keyId(key)} was read before it was loaded`);
    return cached.row;
  }

  /** Writes the row of a loaded key. */
  put(table: Table, row: StateRow): void {
    this.#change(table, row.slice(0, table.key.length), row);
  }

  /** Removes the row of a loaded key. */
  remove(table: Table, key: readonly Value[]): void {
    this.#change(table, key, null);
  }

  #change(table: Table, key: readonly Value[], row: StateRow | null): void {
    const id = keyId(key);
    const { rows, dirty } = this.#cacheOf(table);
    const cached = rows.get(id);
    if (!cached) throw new Error(`${table.name} ${id} was changed before it was loaded`);
    if (this.#unit) {
      const unitId = `${table.name} ${id}`;
      if (!this.#unit.has(unitId)) this.#unit.set(unitId, { table: table.name, key, previous: cached.row });
    }
    cached.row = row === null ? null : row.map(ownBytes);
    if (!dirty.has(cached)) this.#pending++;
    dirty.add(cached);
  }

  // ---- lists

  /** Makes sure that the directory rows of these lists are in memory. */
  async loadLists(kind: ListKind, names: Iterable<string>): Promise<void> {
    await this.load(LIST_COUNTERS, [[kind.entries.name]]);
    await this.load(
      LISTS,
      [...names].map((name): Value[] => [kind.code, name]),
    );
  }

  /** The length of a loaded list. */
  lengthOf(kind: ListKind, name = ''): number {
    return Number(this.get(LISTS, [kind.code, name])?.[3] ?? 0);
  }

  /** The identifier of a loaded list that has entries. */
  listId(kind: ListKind, name: string): number {
    return Number(this.get(LISTS, [kind.code, name])?.[2]);
  }

  /** Appends to a loaded list and gives the number of the new entry. `columns` are those after the numbering columns. */
  append(kind: ListKind, name: string, columns: readonly Value[]): number {
    const row = this.get(LISTS, [kind.code, name]);
    const id = row ? Number(row[2]) : this.#newListId(kind);
    const seq = row ? Number(row[3]) : 0;
    this.put(LISTS, [kind.code, name, id, seq + 1]);
    this.#rowsFor(kind.entries).push(kind.named ? [id, seq, ...columns] : [seq, ...columns]);
    this.#pending++;
    return seq;
  }

  #newListId(kind: ListKind): number {
    const count = Number(this.get(LIST_COUNTERS, [kind.entries.name])?.[1] ?? 0);
    this.put(LIST_COUNTERS, [kind.entries.name, count + 1]);
    return count;
  }

  // ---- what is kept whatever becomes of the block

  /** Writes a row that no undo takes back, such as the bytes of a transaction; an equal key replaces it. */
  keep(table: Table, row: readonly Value[]): void {
    const rows = this.#kept.get(table) ?? new Map<string, readonly Value[]>();
    this.#kept.set(table, rows);
    rows.set(keyId(row.slice(0, table.key.length)), row);
    this.#pending++;
  }

  // ---- units and undo

  beginUnit(): void {
    if (this.#unit) throw new Error('a unit is open already');
    this.#unit = new Map();
  }

  endUnit(): UndoRecord[] {
    if (!this.#unit) throw new Error('no unit is open');
    const records = [...this.#unit.values()];
    this.#unit = undefined;
    return records;
  }

  /** Restores what was before the unit that left these records: state rows put back, lists cut. The workspace must be flushed. */
  async restore(records: readonly UndoRecord[]): Promise<void> {
    if (this.#pending > 0) throw new Error('a workspace with pending rows cannot undo');
    const byTable = Map.groupBy(records, record => record.table);
    for (const [name, touched] of byTable) {
      const table = this.#tables.get(name);
      if (!table) throw new Error(`undo record of an unknown table ${name}`);
      await this.load(
        table,
        touched.map(record => record.key),
      );
      if (table === LISTS) for (const record of touched) await this.#cutList(record);
      for (const record of touched) this.#change(table, record.key, record.previous);
    }
    await this.flush();
  }

  async #cutList(record: UndoRecord): Promise<void> {
    const current = this.get(LISTS, record.key);
    const kind = this.#kindByCode.get(Number(record.key[0]));
    if (!current || !kind) throw new Error(`undo record of an unknown list ${keyId(record.key)}`);
    const length = Number(record.previous?.[3] ?? 0);
    const where = kind.named ? 'list = ? AND seq >= ?' : 'seq >= ?';
    const params = kind.named ? [current[2] ?? null, length] : [length];
    await this.transaction.run(`DELETE FROM ${kind.entries.name} WHERE ${where}`, params);
  }

  // ---- writing

  /** Writes everything pending. Afterwards SQL sees what the workspace sees. */
  async flush(): Promise<void> {
    const tx = this.transaction;
    for (const { table, rows, dirty } of this.#state.values()) {
      const upserts: StateRow[] = [];
      const deletes: (readonly Value[])[] = [];
      for (const cached of dirty) {
        if (cached.row) upserts.push(cached.row);
        else deletes.push(cached.key);
      }
      dirty.clear();
      if (upserts.length > 0) await tx.upsertMany(table, upserts);
      if (deletes.length > 0) await tx.deleteMany(table, deletes);
      if (rows.size > this.#cacheLimit) rows.clear();
    }
    for (const [table, rows] of this.#appended) if (rows.length > 0) await tx.insertMany(table, rows);
    for (const [table, rows] of this.#kept) if (rows.size > 0) await tx.upsertMany(table, [...rows.values()]);
    this.#appended.clear();
    this.#kept.clear();
    this.#pending = 0;
  }

  /** Drops everything in memory: after a transaction that failed, nothing here may be believed. */
  forget(): void {
    this.#state.clear();
    this.#appended.clear();
    this.#kept.clear();
    this.#pending = 0;
    this.#unit = undefined;
    this.#tx = undefined;
  }

  #cacheOf(table: Table): TableCache {
    let cache = this.#state.get(table.name);
    if (!cache) {
      if (!this.#tables.has(table.name)) throw new Error(`${table.name} is not a state table of this workspace`);
      cache = { table, rows: new Map(), dirty: new Set() };
      this.#state.set(table.name, cache);
    }
    return cache;
  }

  #rowsFor(table: Table): Value[][] {
    const rows = this.#appended.get(table) ?? [];
    this.#appended.set(table, rows);
    return rows;
  }
}

/** Bytes are often a small part of a larger buffer, all of which would stay in memory with a row that is cached. */
const ownBytes = (value: Value): Value =>
  value instanceof Uint8Array && value.buffer.byteLength > value.length ? new Uint8Array(value) : value;

/** A text that differs for different keys. Bytes may hold anything, so their length tells where they end. */
function keyId(key: readonly Value[]): string {
  let id = '';
  for (const part of key) {
    id +=
      typeof part === 'object' && part !== null
        ? `${part.length}x${Buffer.from(part).toString('latin1')}\u0000`
        : `${part}\u0000`;
  }
  return id;
}

const MAX_KEYS_PER_QUERY = 512;

/** The rows with these keys: one query per distinct prefix (all key columns but the last) and per 512 keys. */
async function selectByKeys(tx: Transaction, table: Table, keys: readonly (readonly Value[])[]): Promise<StateRow[]> {
  const columns = Object.keys(table.columns);
  const last = table.key[table.key.length - 1];
  const prefixColumns = table.key.slice(0, -1);
  const found: StateRow[] = [];
  for (const group of Map.groupBy(keys, key => keyId(key.slice(0, -1))).values()) {
    const prefix = group[0]?.slice(0, -1) ?? [];
    for (let start = 0; start < group.length; start += MAX_KEYS_PER_QUERY) {
      const values = group.slice(start, start + MAX_KEYS_PER_QUERY).map(key => key[key.length - 1] ?? null);
      // Padded to a power of two, so that few statement texts serve all sizes.
      while ((values.length & (values.length - 1)) !== 0) values.push(values[0] ?? null);
      const where = [
        ...prefixColumns.map(column => `${column} = ?`),
        `${last} IN (${values.map(() => '?').join(',')})`,
      ];
      const sql = `SELECT ${columns.join(', ')} FROM ${table.name} WHERE ${where.join(' AND ')}`;
      for (const row of await tx.all(sql, [...prefix, ...values])) {
        found.push(columns.map(column => row[column] ?? null));
      }
    }
  }
  return found;
}
