import type { Queries } from '../../base/store/database.ts';

/**
 * The end of what reads as of a block show: the canonical chain up to that block, without microblocks on top of it. Every list is cut only
 * by forks, so as of a block it is its own beginning.
 */
export interface Horizon {
  /** Of the block. */
  readonly height: number;
  /** Of its Bitcoin block: what Bitcoin blocks above it brought is not shown. */
  readonly burnHeight: number;
  /** How many transactions the chain has up to the block: the position of the first one that is not shown. */
  readonly transactions: number;
}

interface QueriesWithin extends Queries {
  readonly horizon: Horizon;
}

/** Queries for code that depends on the end of the chain (findList, countBlocks, countTransactions ...). Their statements are not changed. */
export const withHorizon = (queries: Queries, horizon: Horizon): QueriesWithin => ({
  all: (sql, params) => queries.all(sql, params),
  get: (sql, params) => queries.get(sql, params),
  horizon,
});

/** The position of the first transaction that reads do not show. */
export const endOfTransactions = (queries: Queries): number =>
  horizonOf(queries)?.transactions ?? Number.MAX_SAFE_INTEGER;

/** The number of the first block that reads do not show, which is the height of the last one that they do. */
export const endOfBlocks = (queries: Queries): number => horizonOf(queries)?.height ?? Number.MAX_SAFE_INTEGER;

/** The highest Bitcoin block that reads show. */
export const lastBurnHeight = (queries: Queries): number => horizonOf(queries)?.burnHeight ?? Number.MAX_SAFE_INTEGER;

/** Undefined where reads show the chain to its tip. */
export const horizonOf = (queries: Queries): Horizon | undefined => (queries as Partial<QueriesWithin>).horizon;
