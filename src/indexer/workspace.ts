import type { Table, Transaction, Value } from '../store/database.ts';
import { AWAITED, type CachedRow, type StateRow, TableCache } from './table-cache.ts';
import { LIST_COUNTERS, LISTS, type ListKind } from './tables.ts';

/** Most rows are those of short lists and of accounts that are seldom seen again. */
const MAX_CACHED_BYTES = 24 * 1024 * 1024;

/** What a unit of work (a block) found before it changed it: for every touched key the previous row, null where there was none. */
export interface UndoRecord {
  readonly table: string;
  readonly key: readonly Value[];
  readonly previous: StateRow | null;
}

/**
 * The index as projections write it: state tables and lists in memory, written to the database in bulk.
 *
 * Projections `load` the keys they need, then read and write synchronously. Loads that are asked for in one turn go to the
 * database together, one statement a table, whoever asks.
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
  /** What this turn asks the database for. */
  #asked: Map<TableCache, CachedRow[]> | undefined;
  /** Ends when everything that was asked for so far is here. */
  #reading: Promise<unknown> = Promise.resolve();
  #generation = 0;
  /** Ends when everything that was spilled is written. */
  #spilling: Promise<void> = Promise.resolve();
  #unit: UndoRecord[] | undefined;
  /** Number of the open unit, or of the last one. */
  #unitNumber = 0;
  #tx: Transaction | undefined;

  /** @param cacheLimit bytes, roughly, above which rows leave the memory with a flush */
  constructor(stateTables: readonly Table[], kinds: readonly ListKind[], cacheLimit = MAX_CACHED_BYTES) {
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

  /** Changes when rows leave the memory: what was loaded before has to be loaded again. */
  get generation(): number {
    return this.#generation;
  }

  // ---- state tables

  /** Makes sure that the rows with these keys are in memory, whether they exist or not. */
  async load(table: Table, keys: Iterable<readonly Value[]>): Promise<void> {
    const cache = this.#cacheOf(table);
    let isAwaited = false;
    for (const key of keys) {
      const cached = cache.find(key) ?? this.#ask(cache, key);
      isAwaited ||= cached.unit === AWAITED;
    }
    if (isAwaited) await this.#reading;
  }

  #ask(cache: TableCache, key: readonly Value[]): CachedRow {
    if (!this.#asked) {
      this.#asked = new Map();
      const before = this.#reading;
      // Not before this turn ends: others ask too.
      this.#reading = Promise.resolve().then(() => Promise.all([before, this.#read()]));
    }
    const awaited = cache.expect(key.map(ownBytes));
    const asked = this.#asked.get(cache);
    if (asked) asked.push(awaited);
    else this.#asked.set(cache, [awaited]);
    return awaited;
  }

  async #read(): Promise<void> {
    const asked = [...(this.#asked ?? [])];
    this.#asked = undefined;
    await Promise.all(
      asked.map(async ([cache, rows]) => {
        const keys = rows.map(({ key }) => key);
        for (const row of await this.transaction.find(cache.table, keys)) {
          const awaited = cache.find(row.slice(0, cache.table.key.length));
          if (awaited?.unit === AWAITED) cache.arrive(awaited, row);
        }
        for (const awaited of rows) if (awaited.unit === AWAITED) cache.arrive(awaited, null);
      }),
    );
  }

  /** The current row of a loaded key, null where there is none. Key columns come first in every state table. */
  get(table: Table, key: readonly Value[]): StateRow | null {
    return this.#loaded(this.#cacheOf(table), key).row;
  }

  /** Writes the row of a loaded key. */
  put(table: Table, row: StateRow): void {
    const cache = this.#cacheOf(table);
    this.#change(cache, this.#loaded(cache, row.slice(0, table.key.length)), row.map(ownBytes));
  }

  /** Removes the row of a loaded key. */
  remove(table: Table, key: readonly Value[]): void {
    const cache = this.#cacheOf(table);
    this.#change(cache, this.#loaded(cache, key), null);
  }

  #loaded(cache: TableCache, key: readonly Value[]): CachedRow {
    const cached = cache.find(key);
    if (!cached || cached.unit === AWAITED)
      throw new Error(`${cache.table.name} ${keyText(key)} was used before it was loaded`);
    return cached;
  }

  #change(cache: TableCache, cached: CachedRow, row: StateRow | null): void {
    if (this.#unit && cached.unit !== this.#unitNumber) {
      this.#unit.push({ table: cache.table.name, key: cached.key, previous: cached.row });
      cached.unit = this.#unitNumber;
    }
    cached.row = row;
    if (cached.dirty) return;
    cache.markDirty(cached);
    this.#pending++;
  }

  // ---- lists

  /** Makes sure that the directory rows of these lists are in memory. */
  async loadLists(kind: ListKind, names: Iterable<string>): Promise<void> {
    const keys: Value[][] = [];
    for (const name of names) keys.push([kind.code, name]);
    await Promise.all([this.load(LIST_COUNTERS, [[kind.entries.name]]), this.load(LISTS, keys)]);
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
    const lists = this.#cacheOf(LISTS);
    const list = this.#loaded(lists, [kind.code, name]);
    const id = list.row ? Number(list.row[2]) : this.#newListId(kind);
    const seq = list.row ? Number(list.row[3]) : 0;
    this.#change(lists, list, [kind.code, name, id, seq + 1]);
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
    rows.set(keyText(row.slice(0, table.key.length)), row);
    this.#pending++;
  }

  // ---- units and undo

  beginUnit(): void {
    if (this.#unit) throw new Error('a unit is open already');
    this.#unit = [];
    this.#unitNumber++;
  }

  endUnit(): UndoRecord[] {
    if (!this.#unit) throw new Error('no unit is open');
    const records = this.#unit;
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
      const cache = this.#cacheOf(table);
      for (const { key, previous } of touched) this.#change(cache, this.#loaded(cache, key), previous);
    }
    await this.flush();
  }

  async #cutList(record: UndoRecord): Promise<void> {
    const current = this.get(LISTS, record.key);
    const kind = this.#kindByCode.get(Number(record.key[0]));
    if (!current || !kind) throw new Error(`undo record of an unknown list ${keyText(record.key)}`);
    const length = Number(record.previous?.[3] ?? 0);
    const where = kind.named ? 'list = ? AND seq >= ?' : 'seq >= ?';
    const params = kind.named ? [current[2] ?? null, length] : [length];
    await this.transaction.run(`DELETE FROM ${kind.entries.name} WHERE ${where}`, params);
  }

  // ---- writing

  /**
   * Writes entries of lists and kept rows, which do not change any more. State rows wait for the flush, as many of them will change
   * again. Needs not be waited for: the next flush does.
   */
  spill(): Promise<void> {
    const tx = this.transaction;
    const writes: Promise<void>[] = [];
    for (const [table, rows] of this.#appended) writes.push(tx.insertMany(table, rows));
    for (const [table, rows] of this.#kept) writes.push(tx.upsertMany(table, [...rows.values()]));
    this.#appended.clear();
    this.#kept.clear();
    this.#pending = 0;
    for (const cache of this.#state.values()) this.#pending += cache.dirty;
    this.#spilling = Promise.all([this.#spilling, ...writes]).then(() => undefined);
    this.#spilling.catch(() => undefined); // whoever flushes is told
    return this.#spilling;
  }

  /** Writes everything pending. Afterwards SQL sees what the workspace sees. */
  async flush(): Promise<void> {
    const tx = this.transaction;
    /** Sent together: the database works on one while the next is made ready. */
    const writes = [this.spill()];
    let cached = 0;
    for (const cache of this.#state.values()) {
      const { table } = cache;
      const upserts: StateRow[] = [];
      const deletes: (readonly Value[])[] = [];
      for (const { row, key } of cache.takeDirty()) {
        if (row) upserts.push(row);
        else deletes.push(key);
      }
      if (upserts.length > 0) writes.push(tx.upsertMany(table, upserts));
      if (deletes.length > 0) writes.push(tx.deleteMany(table, deletes));
      cached += cache.bytes;
    }
    // Not within a unit: rows know whether it has changed them.
    if (cached > this.#cacheLimit && !this.#unit) this.#clear();
    this.#pending = 0;
    await Promise.all(writes);
  }

  #clear(): void {
    for (const cache of this.#state.values()) cache.clear();
    this.#generation++;
  }

  /** Drops everything in memory: after a transaction that failed, nothing here may be believed. */
  forget(): void {
    this.#state.clear();
    this.#generation++;
    this.#asked = undefined;
    this.#reading = Promise.resolve();
    this.#spilling = Promise.resolve();
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
      cache = new TableCache(table);
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
function keyText(key: readonly Value[]): string {
  let text = '';
  for (const part of key) {
    text +=
      typeof part === 'object' && part !== null
        ? `${part.length}x${Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('latin1')}\u0000`
        : `${part}\u0000`;
  }
  return text;
}
