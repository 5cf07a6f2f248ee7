import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../base/store/database.ts';
import { openSqlite } from '../../base/store/sqlite.ts';
import { deleteRows, type RowOf, table, upsertRows } from '../../base/store/table.ts';

const SPILLED = table({ name: 'spilled', columns: { key: 'text', value: 'text' }, key: ['key'] });
const IN_MEMORY = 200_000;

/** A map of texts of any size: entries that do not fit into memory are in a temporary file. Must be closed. */
export class SpillingMap {
  readonly #limit: number;
  /** Null: deleted. */
  readonly #recent = new Map<string, string | null>();
  #file: { readonly db: Database; readonly directory: string } | undefined;

  constructor(limit = IN_MEMORY) {
    this.#limit = limit;
  }

  async get(key: string): Promise<string | undefined> {
    let value = this.#recent.get(key);
    if (value === undefined && this.#file) {
      const sql = 'SELECT value FROM spilled WHERE key = ?';
      const row = await this.#file.db.read(queries => queries.get<RowOf<typeof SPILLED, 'value'>>(sql, [key]));
      value = row?.value ?? null;
      await this.#put(key, value);
    }
    return value ?? undefined;
  }

  set(key: string, value: string): Promise<void> {
    return this.#put(key, value);
  }

  delete(key: string): Promise<void> {
    return this.#put(key, null);
  }

  /** Returns the value and deletes it: entries that are left at the end were never taken. */
  async take(key: string): Promise<string | undefined> {
    const value = await this.get(key);
    if (value !== undefined) await this.delete(key);
    return value;
  }

  /** Adds to the number under a key. */
  async add(key: string, amount: number): Promise<void> {
    await this.set(key, String(Number((await this.get(key)) ?? 0) + amount));
  }

  /** All entries, in no particular order. The map must not change meanwhile. */
  async *entries(): AsyncIterable<[key: string, value: string]> {
    for (const [key, value] of this.#recent) if (value !== null) yield [key, value];
    if (!this.#file) return;
    let after = '';
    for (;;) {
      const sql = 'SELECT key, value FROM spilled WHERE key > ? ORDER BY key LIMIT 1000';
      const rows = await this.#file.db.read(queries => queries.all<RowOf<typeof SPILLED>>(sql, [after]));
      for (const { key, value } of rows) if (!this.#recent.has(key)) yield [key, value];
      const last = rows.at(-1);
      if (!last) return;
      after = last.key;
    }
  }

  async close(): Promise<void> {
    this.#recent.clear();
    if (!this.#file) return;
    await this.#file.db.close();
    rmSync(this.#file.directory, { recursive: true, force: true });
    this.#file = undefined;
  }

  async #put(key: string, value: string | null): Promise<void> {
    this.#recent.set(key, value);
    if (this.#recent.size <= this.#limit) return;
    const { db } = await this.#opened();
    const entries = [...this.#recent];
    await db.write(async tx => {
      await upsertRows(
        tx,
        SPILLED,
        entries.flatMap(([name, text]) => (text === null ? [] : [{ key: name, value: text }])),
      );
      await deleteRows(
        tx,
        SPILLED,
        entries.flatMap(([name, text]) => (text === null ? [{ key: name }] : [])),
      );
    });
    this.#recent.clear();
  }

  async #opened(): Promise<{ readonly db: Database }> {
    if (!this.#file) {
      const directory = mkdtempSync(join(tmpdir(), 'stacks-index-verify-'));
      this.#file = { db: openSqlite(join(directory, 'spilled.sqlite'), { durability: 'normal' }), directory };
      await this.#file.db.create([SPILLED]);
    }
    return this.#file;
  }
}

/** Opens a map for the duration of the work. */
export async function* withSpillingMap<T>(work: (map: SpillingMap) => AsyncIterable<T>): AsyncIterable<T> {
  const map = new SpillingMap();
  try {
    yield* work(map);
  } finally {
    await map.close();
  }
}
