import type { RowBudget } from '../../src/api/http/long-reads.ts';

/** The budget of a search that may read as many rows as it needs. */
export const UNLIMITED: RowBudget = { require: () => undefined, take: async rows => rows };
