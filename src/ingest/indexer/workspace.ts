import type { DatabaseTransaction, Row, SqlValue, Table } from '../../base/store/database.ts';
import { type KeyOf, keyFrom, keyValuesOf, type RowOf, rowFrom, valuesOf } from '../../base/store/table.ts';
import { RowLoads } from './row-loads.ts';
import { writeVersion } from './row-versions.ts';
import { AWAITED, type CachedRow, TableCache } from './table-cache.ts';
import { type EntryOf, LIST_COUNTERS, LISTS, type ListKind } from './tables.ts';
import { entryValues, keyText, ownRow } from './written-rows.ts';

/** Rows above which a large block spills them: few enough to leave the memory before a collection moves them to the old generation. */
const SPILLED_ROWS = 4_000;

/** Most rows are those of short lists and of accounts that are seldom seen again. */
const MAX_CACHED_BYTES = 24 * 1024 * 1024;

/**
 * The previous row of a key that a unit of work (a block) has changed, null if there was no row. Values are in the order of the key and
 * of the columns, as the undo log stores them.
 */
export interface UndoRecord {
  readonly table: string;
  readonly key: readonly SqlValue[];
  readonly previous: readonly SqlValue[] | null;
}

/** A row as projections write it: the workspace adds the height from which it is valid (see row-versions.ts). */
export type WrittenRow<T extends Table> = Omit<RowOf<T>, 'since_height'> & KeyOf<T>;

/**
 * The index as projections write it: state tables and lists in memory, written to the database in bulk.
 *
 * Projections `load` the keys they need, then read and write synchronously. Loads requested in one turn go to the database
 * together, one statement a table, from all callers.
 * Between `beginUnit` and `endUnit` the previous value of every touched state row is kept: that is the undo record.
 * Rows stay in memory after a flush as a cache; the workspace must be `forget`-ed when its transaction fails.
 */
export class Workspace {
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #cacheLimit: number;
  readonly #state = new Map<string, TableCache>();
  readonly #appended = new Map<Table, SqlValue[][]>();
  readonly #kept = new Map<Table, Map<string, readonly SqlValue[]>>();
  readonly #kindByCode: ReadonlyMap<number, ListKind>;
  /** The lists of past rows, by the names of their tables. */
  readonly #versions: ReadonlyMap<string, ListKind>;
  #height = 0;
  #pending = 0;
  /** Number of pending rows that do not change any more. */
  #spillable = 0;
  readonly #loads = new RowLoads(() => this.transaction);
  #generation = 0;
  /** Resolves when all spilled rows are written. */
  #spilling: Promise<void> = Promise.resolve();
  #unit: UndoRecord[] | undefined;
  /** Number of the open unit, or of the last one. */
  #unitNumber = 0;
  #tx: DatabaseTransaction | undefined;

  /** @param cacheLimit bytes, roughly, above which rows leave the memory with a flush */
  constructor(stateTables: readonly Table[], kinds: readonly ListKind[], cacheLimit = MAX_CACHED_BYTES) {
    const tables = [LISTS, LIST_COUNTERS, ...stateTables];
    // The undo record of a new row has only its key, and is recognised by its length: see undo-log.ts.
    for (const { name, columns, key } of tables)
      if (Object.keys(columns).slice(0, key.length).join() !== key.join() || Object.keys(columns).length === key.length)
        throw new Error(`state table ${name}: its columns must be those of its key, in that order, and others`);
    this.#tables = new Map(tables.map(table => [table.name, table]));
    this.#kindByCode = new Map(kinds.map(kind => [kind.code, kind]));
    this.#versions = new Map(kinds.flatMap(kind => (kind.versionsOf ? [[kind.versionsOf.name, kind] as const] : [])));
    this.#cacheLimit = cacheLimit;
  }

  /** All reads and the next flush go through this transaction. */
  attach(tx: DatabaseTransaction): void {
    this.#tx = tx;
  }

  get transaction(): DatabaseTransaction {
    if (!this.#tx) throw new Error('the workspace is not attached to a transaction');
    return this.#tx;
  }

  /** Rows waiting to be written. */
  get pending(): number {
    return this.#pending;
  }

  /** Changes when rows leave the memory: rows loaded before must be loaded again. */
  get generation(): number {
    return this.#generation;
  }

  // ---- state tables

  /** Makes sure that the rows with these keys are in memory, whether they exist or not. Preparation need not wait: see `loaded`. */
  load<T extends Table>(table: T, keys: Iterable<KeyOf<NoInfer<T>>>): Promise<void> {
    const cache = this.#cacheOf(table);
    let isAwaited = cache.versions !== undefined && this.loadLists(cache.versions, ONLY_LIST) !== HERE;
    for (const key of keys) {
      const cached = cache.find(key as Row) ?? this.#loads.request(cache, keyValuesOf(table, key));
      isAwaited ||= cached.unit === AWAITED;
    }
    // Usually all rows are in memory: then no promise is made.
    return isAwaited ? this.#loads.arrived : HERE;
  }

  /** Resolves when every row requested so far is in memory. */
  loaded(): Promise<void> {
    return this.#loads.arrived;
  }

  /** The current row of a loaded key; null if the table has no such row. */
  get<T extends Table>(table: T, key: KeyOf<NoInfer<T>>): RowOf<T> | null {
    // The cache of a table holds rows of that table only.
    return this.#loaded(this.#cacheOf(table), key as Row).row as RowOf<T> | null;
  }

  /** Writes the row of a loaded key. */
  put<T extends Table>(table: T, row: WrittenRow<NoInfer<T>>): void {
    const cache = this.#cacheOf(table);
    const cached = this.#loaded(cache, row as Row);
    if (cache.versions) this.#changeVersion(cache, cached, row as Row);
    else this.#change(cache, cached, ownRow(table, row as Row));
  }

  /** Removes the row of a loaded key. */
  remove<T extends Table>(table: T, key: KeyOf<NoInfer<T>>): void {
    const cache = this.#cacheOf(table);
    const cached = this.#loaded(cache, key as Row);
    if (cache.versions) this.#changeVersion(cache, cached, null);
    else this.#change(cache, cached, null);
  }

  /** Rows that are written from now on are valid from this height on. */
  atHeight(height: number): void {
    this.#height = height;
  }

  #changeVersion(cache: TableCache, cached: CachedRow, after: Row | null): void {
    const written = writeVersion(cache.table, cached.row, after, this.#height);
    if (!written) return;
    if (cache.versions && written.past) this.append(cache.versions, '', written.past);
    this.#change(cache, cached, written.row && ownRow(cache.table, written.row));
  }

  #loaded(cache: TableCache, key: Row): CachedRow {
    const cached = cache.find(key);
    if (!cached || cached.unit === AWAITED)
      throw new Error(`${cache.table.name} ${keyText(keyValuesOf(cache.table, key))} was used before it was loaded`);
    return cached;
  }

  #change(cache: TableCache, cached: CachedRow, row: Row | null): void {
    if (this.#unit && cached.unit !== this.#unitNumber) {
      const previous = cached.row && valuesOf(cache.table, cached.row);
      this.#unit.push({ table: cache.table.name, key: cached.key, previous });
      cached.unit = this.#unitNumber;
    }
    cached.row = row;
    if (cached.dirty) return;
    cache.markDirty(cached);
    this.#pending++;
  }

  // ---- lists

  /** Makes sure that the directory rows of these lists are in memory. */
  loadLists({ code, entries }: ListKind, names: Iterable<string>): Promise<void> {
    const lists = this.#cacheOf(LISTS);
    let isAwaited = this.load(LIST_COUNTERS, [{ entries: entries.name }]) !== HERE;
    for (const name of names) {
      const cached = lists.findPair(code, name) ?? this.#loads.request(lists, [code, name]);
      isAwaited ||= cached.unit === AWAITED;
    }
    return isAwaited ? this.#loads.arrived : HERE;
  }

  /** The length of a loaded list. */
  lengthOf(kind: ListKind, name = ''): number {
    return this.#list(kind, name)?.length ?? 0;
  }

  /** The identifier of a loaded list that has entries. Throws Error where it has none. */
  listId(kind: ListKind, name: string): number {
    const list = this.#list(kind, name);
    if (!list) throw new Error(`list ${name} of kind ${kind.code} has no entries`);
    return list.id;
  }

  /** Appends to a loaded list and returns the number of the new entry. */
  append<Kind extends ListKind>(kind: Kind, name: string, entry: EntryOf<Kind>): number {
    const lists = this.#cacheOf(LISTS);
    // One look-up for reading and writing: nothing runs more often.
    const cached = this.#loadedList(lists, kind, name);
    const list = cached.row as RowOf<typeof LISTS> | null;
    const id = list?.id ?? this.#newListId(kind);
    const seq = list?.length ?? 0;
    this.#change(lists, cached, { kind: kind.code, name, id, length: seq + 1 });
    this.#rowsFor(kind.entries).push(entryValues(kind.entries, entry as Row, id, seq));
    this.#pending++;
    this.#spillable++;
    return seq;
  }

  #list(kind: ListKind, name: string): RowOf<typeof LISTS> | null {
    return this.#loadedList(this.#cacheOf(LISTS), kind, name).row as RowOf<typeof LISTS> | null;
  }

  #loadedList(lists: TableCache, { code, entries }: ListKind, name: string): CachedRow {
    const cached = lists.findPair(code, name);
    if (!cached || cached.unit === AWAITED)
      throw new Error(`list ${name} of kind ${code} (${entries.name}) was used before it was loaded (loadLists)`);
    return cached;
  }

  #newListId(kind: ListKind): number {
    const entries = kind.entries.name;
    const count = this.get(LIST_COUNTERS, { entries })?.count ?? 0;
    this.put(LIST_COUNTERS, { entries, count: count + 1 });
    return count;
  }

  // ---- rows that stay even if the block is never applied

  /** Writes a row that undo does not change, such as the bytes of a transaction; replaces a row of the same key. */
  keep<T extends Table>(table: T, row: RowOf<NoInfer<T>>): void {
    const rows = this.#kept.get(table) ?? new Map<string, readonly SqlValue[]>();
    this.#kept.set(table, rows);
    rows.set(keyText(keyValuesOf(table, row)), valuesOf(table, row));
    this.#pending++;
    this.#spillable++;
  }

  // ---- units and undo

  /** Number of state rows that the open unit has changed so far. */
  get touched(): number {
    return this.#unit?.length ?? 0;
  }

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

  /** Restores the state before the unit of these records: previous rows, and lengths of lists. The workspace must be flushed. */
  async restore(records: readonly UndoRecord[]): Promise<void> {
    if (this.#pending > 0) throw new Error('a workspace with pending rows cannot undo');
    const byTable = Map.groupBy(records, record => record.table);
    for (const [name, touched] of byTable) {
      const table = this.#tables.get(name);
      if (!table) throw new Error(`undo record of an unknown table ${name}`);
      await this.load(
        table,
        touched.map(({ key }) => keyFrom(table, key)),
      );
      if (table === LISTS) for (const record of touched) await this.#cutList(record);
      const cache = this.#cacheOf(table);
      for (const { key, previous } of touched)
        this.#change(cache, this.#loaded(cache, keyFrom(table, key)), previous && rowFrom(table, previous));
    }
    await this.flush();
  }

  async #cutList(record: UndoRecord): Promise<void> {
    const key = keyFrom(LISTS, record.key);
    const current = this.get(LISTS, key);
    const kind = this.#kindByCode.get(key.kind);
    if (!current || !kind) throw new Error(`undo record of an unknown list ${keyText(record.key)}`);
    const length = record.previous ? rowFrom(LISTS, record.previous).length : 0;
    const where = kind.named ? 'list = ? AND seq >= ?' : 'seq >= ?';
    const params = kind.named ? [current.id, length] : [length];
    await this.transaction.run(`DELETE FROM ${kind.entries.name} WHERE ${where}`, params);
  }

  // ---- writing

  /**
   * Writes entries of lists and kept rows, which do not change any more. State rows wait for the flush, as many will change again. The
   * caller need not await it: the next flush does.
   */
  spill(): Promise<void> {
    const tx = this.transaction;
    const writes: Promise<void>[] = [];
    for (const [table, rows] of this.#appended) writes.push(tx.insertMany(table, rows));
    for (const [table, rows] of this.#kept) writes.push(tx.upsertMany(table, [...rows.values()]));
    this.#appended.clear();
    this.#kept.clear();
    this.#pending = 0;
    this.#spillable = 0;
    for (const cache of this.#state.values()) this.#pending += cache.dirty;
    this.#spilling = Promise.all([this.#spilling, ...writes]).then(() => undefined);
    this.#spilling.catch(() => undefined); // callers of flush get the error
    return this.#spilling;
  }

  /**
   * Spills if many entries are pending, to bound the memory of a large block. A projection that appends very many entries calls it between
   * them. State rows do not count: they wait for the flush, and many of them must not make every block spill its few entries.
   * @returns undefined if there is nothing to wait for
   */
  spillMany(): Promise<void> | undefined {
    return this.#spillable > SPILLED_ROWS ? this.spill() : undefined;
  }

  /** Writes everything pending. Afterwards SQL sees what the workspace sees. */
  async flush(): Promise<void> {
    const tx = this.transaction;
    /** Sent without waiting: the database runs one while the next is prepared. */
    const writes = [this.spill()];
    let cached = 0;
    for (const cache of this.#state.values()) {
      const { table } = cache;
      const upserts: SqlValue[][] = [];
      const deletes: (readonly SqlValue[])[] = [];
      for (const { row, key } of cache.takeDirty()) {
        if (row) upserts.push(valuesOf(table, row));
        else deletes.push(key);
      }
      if (upserts.length > 0) writes.push(tx.upsertMany(table, upserts));
      if (deletes.length > 0) writes.push(tx.deleteMany(table, deletes));
      cached += cache.bytes;
    }
    // Not within a unit: its cached rows note whether it has changed them.
    if (cached > this.#cacheLimit && !this.#unit) this.#clear();
    this.#pending = 0;
    await Promise.all(writes);
  }

  #clear(): void {
    for (const cache of this.#state.values()) cache.clear();
    this.#generation++;
  }

  /** Drops everything in memory: after a failed transaction, it must not be used. */
  forget(): void {
    this.#state.clear();
    this.#generation++;
    this.#loads.clear();
    this.#spilling = Promise.resolve();
    this.#appended.clear();
    this.#kept.clear();
    this.#pending = 0;
    this.#spillable = 0;
    this.#unit = undefined;
    this.#tx = undefined;
  }

  #cacheOf(table: Table): TableCache {
    let cache = this.#state.get(table.name);
    if (!cache) {
      if (!this.#tables.has(table.name)) throw new Error(`${table.name} is not a state table of this workspace`);
      cache = new TableCache(table, this.#versions.get(table.name));
      this.#state.set(table.name, cache);
    }
    return cache;
  }

  #rowsFor(table: Table): SqlValue[][] {
    const rows = this.#appended.get(table) ?? [];
    this.#appended.set(table, rows);
    return rows;
  }
}

const HERE: Promise<void> = Promise.resolve();
/** The name of the list that is the only one of its kind. */
const ONLY_LIST = [''];
