import { toHex } from '../../base/lib/hex.ts';
import type { Row, Table } from '../../base/store/database.ts';
import { type KeyOf, keyValuesOf, type RowOf, rowFrom, valuesOf } from '../../base/store/table.ts';
import type { NameRows } from '../../index/names/listed.ts';
import type { StackingRows } from '../../index/pox/stackers.ts';
import type { Rows } from '../../index/staking/stakers.ts';
import { type RowVersions, writeVersion } from '../../ingest/indexer/row-versions.ts';
import type { WrittenRow } from '../../ingest/indexer/workspace.ts';
import type { Context } from './check.ts';
import { type Finding, wrong } from './check.ts';
import { pagedRows } from './pages.ts';
import type { Recount } from './recount.ts';
import type { SpillingMap } from './spilling-map.ts';

/** Recomputed rows, as texts in a map, and the past rows of tables with versions in a recount of lists. */
export class MadeRows implements Rows {
  readonly #made: SpillingMap;
  readonly #past: Recount;
  readonly #versions: ReadonlyMap<string, RowVersions>;
  #height = 0;

  /** @param versions of the tables whose rows have any */
  constructor(made: SpillingMap, past: Recount, versions: readonly RowVersions[]) {
    this.#made = made;
    this.#past = past;
    this.#versions = new Map(versions.map(kind => [kind.versionsOf.name, kind]));
  }

  /** Rows that are written from now on are valid from this height on. */
  atHeight(height: number): void {
    this.#height = height;
  }

  // Properties, so that object spread copies them.
  readonly get = async <T extends Table>(table: T, key: KeyOf<NoInfer<T>>): Promise<RowOf<T> | null> => {
    const text = await this.#made.get(nameOf(table, key));
    return text === undefined ? null : rowFrom(table, JSON.parse(text, readBytes));
  };

  readonly put = <T extends Table>(table: T, row: WrittenRow<NoInfer<T>>): Promise<void> =>
    this.#write(table, nameOf(table, row as Row), row as Row);

  readonly remove = <T extends Table>(table: T, key: KeyOf<NoInfer<T>>): Promise<void> =>
    this.#write(table, nameOf(table, key), null, key);

  async #write(table: Table, name: string, after: Row | null, key = after): Promise<void> {
    const versions = this.#versions.get(table.name);
    const before = versions && key ? await this.get(table, key as KeyOf<Table>) : null;
    const written = versions ? writeVersion(table, before, after, this.#height) : { row: after, past: null };
    if (!written) return;
    if (versions && written.past) await this.#past.add(versions, '', written.past);
    if (written.row) await this.#made.set(name, textOf(table, written.row));
    else await this.#made.delete(name);
  }
}

const nameOf = (table: Table, key: Row): string =>
  `${table.name} ${JSON.stringify(keyValuesOf(table, key).map(bytesAsText))}`;
const textOf = (table: Table, row: Row): string =>
  JSON.stringify(valuesOf(table, row as RowOf<Table>).map(bytesAsText));

/** JSON has no bytes. */
const bytesAsText = (value: unknown): unknown => (value instanceof Uint8Array ? { bytes: toHex(value) } : value);
const readBytes = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'bytes' in value
    ? Buffer.from(String(value.bytes).slice(2), 'hex')
    : value;

/** Rows that are loaded before use, like those in the workspace of the indexer. */
export class LoadedRows implements NameRows, StackingRows {
  readonly #made: Rows;
  readonly #loaded = new Map<string, Row | null>();
  readonly #written: (() => Promise<void>)[] = [];
  #loading = Promise.resolve();

  constructor(made: Rows) {
    this.#made = made;
  }

  /** Loads rows one after another, as the map accepts one call at a time. */
  load<T extends Table>(table: T, keys: Iterable<KeyOf<NoInfer<T>>>): Promise<void> {
    const all = [...keys];
    this.#loading = this.#loading.then(async () => {
      for (const key of all) {
        const name = nameOf(table, key);
        if (!this.#loaded.has(name)) this.#loaded.set(name, await this.#made.get(table, key));
      }
    });
    return this.#loading;
  }

  /** Resolves when all requested rows are loaded. */
  loaded(): Promise<void> {
    return this.#loading;
  }

  get<T extends Table>(table: T, key: KeyOf<NoInfer<T>>): RowOf<T> | null {
    return (this.#loaded.get(nameOf(table, key)) ?? null) as RowOf<T> | null;
  }

  put<T extends Table>(table: T, row: WrittenRow<NoInfer<T>>): void {
    this.#loaded.set(nameOf(table, row as Row), row as Row);
    this.#written.push(() => this.#made.put(table, row));
  }

  remove<T extends Table>(table: T, key: KeyOf<NoInfer<T>>): void {
    this.#loaded.set(nameOf(table, key), null);
    this.#written.push(() => this.#made.remove(table, key));
  }

  /** Stores the written rows in their order, and forgets the loaded rows. */
  async flush(): Promise<void> {
    for (const write of this.#written) await write();
    this.#written.length = 0;
    this.#loaded.clear();
  }
}

/** Compares the rows of tables with recomputed ones, and consumes these. @param from the source of the recomputed rows */
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
