import type { DatabaseTransaction, SqlValue } from '../../base/store/database.ts';
import { rowFrom } from '../../base/store/table.ts';
import { AWAITED, type CachedRow, type TableCache } from './table-cache.ts';
import { ownBytes } from './written-rows.ts';

/** Reads rows of state tables into their caches: those requested in one turn of the event loop together, one statement a table. */
export class RowLoads {
  readonly #transaction: () => DatabaseTransaction;
  /** The keys requested in this turn. */
  #requested: Map<TableCache, CachedRow[]> | undefined;
  #reading: Promise<void> = Promise.resolve();

  /** @param transaction the one to read in */
  constructor(transaction: () => DatabaseTransaction) {
    this.#transaction = transaction;
  }

  /** Resolves when every row requested so far has arrived. */
  get arrived(): Promise<void> {
    return this.#reading;
  }

  /** Requests the row of a key that is not in the cache. @param key values in the order of `table.key` */
  request(cache: TableCache, key: readonly SqlValue[]): CachedRow {
    if (!this.#requested) {
      this.#requested = new Map();
      const before = this.#reading;
      // After this turn, in which other callers add their keys.
      this.#reading = Promise.resolve().then(async () => {
        await Promise.all([before, this.#read()]);
      });
      this.#reading.catch(() => undefined); // callers that await it get the error
    }
    const awaited = cache.expect(key.map(ownBytes));
    const requested = this.#requested.get(cache);
    if (requested) requested.push(awaited);
    else this.#requested.set(cache, [awaited]);
    return awaited;
  }

  async #read(): Promise<void> {
    const requested = [...(this.#requested ?? [])];
    this.#requested = undefined;
    await Promise.all(
      requested.map(async ([cache, rows]) => {
        const keys = rows.map(({ key }) => key);
        for (const values of await this.#transaction().find(cache.table, keys)) {
          const row = rowFrom(cache.table, values);
          const awaited = cache.find(row);
          if (awaited?.unit === AWAITED) cache.arrive(awaited, row);
        }
        for (const awaited of rows) if (awaited.unit === AWAITED) cache.arrive(awaited, null);
      }),
    );
  }

  /** Forgets what was requested. */
  clear(): void {
    this.#requested = undefined;
    this.#reading = Promise.resolve();
  }
}
