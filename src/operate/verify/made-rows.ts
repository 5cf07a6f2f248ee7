import { toHex } from '../../base/lib/hex.ts';
import type { Row, Table } from '../../base/store/database.ts';
import { type KeyOf, keyValuesOf, type RowOf, rowFrom, valuesOf } from '../../base/store/table.ts';
import type { NameRows } from '../../index/names/listed.ts';
import type { Rows } from '../../index/staking/stakers.ts';
import type { Context } from './check.ts';
import { type Finding, wrong } from './check.ts';
import { pagedRows } from './pages.ts';
import type { SpillingMap } from './spilling-map.ts';

/** Rows as texts in a map. */
export const rowsIn = (made: SpillingMap): Rows => ({
  async get(table, key) {
    const text = await made.get(nameOf(table, key));
    return text === undefined ? null : rowFrom(table, JSON.parse(text, readBytes));
  },
  async put(table, row) {
    await made.set(nameOf(table, row), textOf(table, row));
  },
  async remove(table, key) {
    await made.delete(nameOf(table, key));
  },
});

const nameOf = (table: Table, key: Row): string =>
  `${table.name} ${JSON.stringify(keyValuesOf(table, key).map(bytesAsText))}`;
const textOf = (table: Table, row: Row): string => JSON.stringify(valuesOf(table, row).map(bytesAsText));

/** JSON has no bytes. */
const bytesAsText = (value: unknown): unknown => (value instanceof Uint8Array ? { bytes: toHex(value) } : value);
const readBytes = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'bytes' in value
    ? Buffer.from(String(value.bytes).slice(2), 'hex')
    : value;

/** Rows of which some are loaded at a time, as the workspace of the indexer has them. */
export class LoadedRows implements NameRows {
  readonly #made: Rows;
  readonly #loaded = new Map<string, { readonly table: Table; row: Row | null }>();
  #loading = Promise.resolve();

  constructor(made: SpillingMap) {
    this.#made = rowsIn(made);
  }

  /** Loads one after another: the map takes one call at a time. */
  load<T extends Table>(table: T, keys: Iterable<KeyOf<NoInfer<T>>>): Promise<void> {
    const all = [...keys];
    this.#loading = this.#loading.then(async () => {
      for (const key of all) {
        const name = nameOf(table, key);
        if (!this.#loaded.has(name)) this.#loaded.set(name, { table, row: await this.#made.get(table, key) });
      }
    });
    return this.#loading;
  }

  /** Resolves when all that was requested is loaded. */
  loaded(): Promise<void> {
    return this.#loading;
  }

  get<T extends Table>(table: T, key: KeyOf<NoInfer<T>>): RowOf<T> | null {
    return (this.#loaded.get(nameOf(table, key))?.row ?? null) as RowOf<T> | null;
  }

  put<T extends Table>(table: T, row: RowOf<NoInfer<T>>): void {
    this.#loaded.set(nameOf(table, row), { table, row });
  }

  /** Keeps what was written, and forgets what is loaded. */
  async flush(): Promise<void> {
    for (const { table, row } of this.#loaded.values()) if (row) await this.#made.put(table, row as RowOf<Table>);
    this.#loaded.clear();
  }
}

/** Compares the rows of tables with those that were made anew, and uses these up. @param from what they were made from */
export async function* compareRows(
  tables: readonly Table[],
  made: SpillingMap,
  { index }: Pick<Context, 'index'>,
  from: string,
): AsyncIterable<Finding> {
  for (const table of tables) {
    const stored = pagedRows<Row>(index, {
      sql: `SELECT ${Object.keys(table.columns).join(', ')} FROM ${table.name}`,
      key: table.key,
    });
    for await (const row of stored) {
      const name = nameOf(table, row);
      if ((await made.take(name)) !== textOf(table, row)) yield wrong(`${name} differs from ${from}`);
    }
  }
  for await (const [name] of made.entries()) yield wrong(`${name} is missing`);
}
