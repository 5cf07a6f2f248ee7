import type { Queries } from '../../base/store/database.ts';

/**
 * Where the chain ends in reads as of a block: it is the canonical chain up to that block, without microblocks on top of it. Only forks cut
 * lists, so a list as of a block is a beginning of the list now.
 */
export interface Horizon {
  /** Height of the block. */
  readonly height: number;
  /** Height of its Bitcoin block: reads show nothing from Bitcoin blocks above it. */
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

/** The number of the first block that reads do not show, which equals the height of the last block that they show. */
export const endOfBlocks = (queries: Queries): number => horizonOf(queries)?.height ?? Number.MAX_SAFE_INTEGER;

/** The highest Bitcoin block that reads show. */
export const lastBurnHeight = (queries: Queries): number => horizonOf(queries)?.burnHeight ?? Number.MAX_SAFE_INTEGER;

/** Undefined where reads show the chain to its tip. */
export const horizonOf = (queries: Queries): Horizon | undefined => (queries as Partial<QueriesWithin>).horizon;
