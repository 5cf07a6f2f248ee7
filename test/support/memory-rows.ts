import type { Row, Table } from '../../src/base/store/database.ts';
import { keyValuesOf } from '../../src/base/store/table.ts';
import type { Rows } from '../../src/index/staking/stakers.ts';

/** Rows of staking in memory. */
export function memoryRows(): Rows {
  const all = new Map<string, Row>();
  const nameOf = (table: Table, key: Row): string => JSON.stringify([table.name, ...keyValuesOf(table, key)]);
  return {
    // What is put under the name of a table is a row of it.
    get: async (table, key) => (all.get(nameOf(table, key)) ?? null) as never,
    put: async (table, row) => {
      all.set(nameOf(table, row), row);
    },
    remove: async (table, key) => {
      all.delete(nameOf(table, key));
    },
  };
}
