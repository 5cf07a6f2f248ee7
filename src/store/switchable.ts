import type { Database, Queries, Table, Transaction } from './database.ts';

/**
 * A Database that can be exchanged for another one with equal content while it is in use. What has begun ends on the old one;
 * closing that one waits for it.
 */
export class SwitchableDatabase implements Database {
  #current: Database;

  constructor(first: Database) {
    this.#current = first;
  }

  get engine(): Database['engine'] {
    return this.#current.engine;
  }

  /** From now on everything goes to this one. @returns the one before, which is still open */
  switchTo(next: Database): Database {
    const before = this.#current;
    this.#current = next;
    return before;
  }

  create(tables: readonly Table[]): Promise<void> {
    return this.#current.create(tables);
  }

  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#current.write(work);
  }

  read<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#current.read(work);
  }

  close(): Promise<void> {
    return this.#current.close();
  }
}
