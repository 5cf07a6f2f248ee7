import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Database, Queries } from '../../base/store/database.ts';
import { serialQueue } from '../../base/store/query-session.ts';
import { ApiError, overloaded } from './errors.ts';

export interface LongReadLimits {
  /** Most rows that one request may search; a request that needs more gets a 503. */
  readonly maxRowsSearched: number;
  /** Milliseconds a request may wait for its turn; then it gets a 503. */
  readonly maxWait: number;
}

/** The rows that a search may still read, in total and in this turn. */
export interface RowBudget {
  /** Throws at once if the request must read more rows than are left. */
  require(rows: number): void;
  /** Waits until the request may read more rows. @returns how many: from 1 up to `rows`, which is 1 or more */
  take(rows: number): Promise<number>;
}

/** Rows that a request may search in the turn in which it begins: about a millisecond on SQLite. */
const AT_ONCE = 1000;
/** Rows of one turn of a longer search; fewer if they are slow to read, as on a busy disk. */
const FEWEST = 64;
const MOST = 1000;
/** Milliseconds. */
const SHORT_TURN = 3;
const LONG_TURN = 6;

/** Thrown when a search is too long for the turn in which its request begins. */
class NotAtOnce extends Error {}

/**
 * Runs reads that examine more rows than their pages have, such as searches by several filters. SQLite cannot interrupt
 * a query and blocks its thread, so a search reads in parts, and other requests run between them. Only one search runs at
 * a time: more would hold more reader connections without ending sooner.
 */
export class LongReads {
  readonly #db: Database;
  readonly #limits: LongReadLimits;
  readonly #oneByOne = serialQueue();

  constructor(db: Database, limits: LongReadLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  /**
   * Runs work in one snapshot, like Database.read. A search that turns out to be long starts again when its turn comes.
   * @param request that the search is for: when its client disconnects, the search ends
   * @param work takes from the budget before it reads
   * @throws ApiError 503 when it needs more rows than one request may read, or waited too long
   */
  async read<T>(request: FastifyRequest, work: (queries: Queries, budget: RowBudget) => Promise<T>): Promise<T> {
    try {
      return await this.#db.read(queries => work(queries, shortBudget(this.#limits.maxRowsSearched)));
    } catch (error) {
      if (!(error instanceof NotAtOnce)) throw error;
    }
    const { socket } = request.raw;
    const asked = performance.now();
    return this.#oneByOne(async () => {
      if (performance.now() - asked > this.#limits.maxWait) throw overloaded();
      return this.#db.read(queries => work(queries, longBudget(this.#limits.maxRowsSearched, socket)));
    });
  }
}

function shortBudget(limit: number): RowBudget {
  let left = Math.min(AT_ONCE, limit);
  const require = (rows: number) => {
    if (rows > left) throw new NotAtOnce();
  };
  return {
    require,
    async take(rows) {
      require(1);
      const taken = Math.min(rows, left);
      left -= taken;
      return taken;
    },
  };
}

function longBudget(limit: number, client: Socket): RowBudget {
  let left = limit;
  let size = MOST / 4;
  let began = performance.now();
  const require = (rows: number) => {
    if (rows > left) throw tooLong(limit);
  };
  return {
    require,
    async take(rows) {
      require(1);
      const ms = performance.now() - began;
      if (ms > LONG_TURN) size = Math.max(FEWEST, size / 2);
      else if (ms < SHORT_TURN) size = Math.min(MOST, size * 2);
      await nextTurn();
      if (client.destroyed) throw overloaded();
      began = performance.now();
      const taken = Math.min(rows, Math.ceil(size), left);
      left -= taken;
      return taken;
    },
  };
}

/**
 * The last of the first `count` rows in an order; skips the rows before it in parts.
 * @param after returns the row a number of rows (at least 1) after another one, or counted from the first
 * @returns undefined if `count` is 0, or if there are fewer rows
 */
export async function lastOf<R>(
  budget: RowBudget,
  count: number,
  after: (row: R | undefined, rows: number) => Promise<R | undefined>,
): Promise<R | undefined> {
  if (count > 0) budget.require(count);
  let last: R | undefined;
  for (let passed = 0; passed < count; ) {
    const rows = await budget.take(count - passed);
    last = await after(last, rows);
    if (last === undefined) return undefined;
    passed += rows;
  }
  return last;
}

const tooLong = (rows: number): ApiError =>
  new ApiError(503, `The search would look at more than ${rows} records`, {
    code: 'SEARCH_TOO_LONG',
    hint: 'Narrow it with fewer filters, a time range or a smaller offset, or download the whole list of version 3 without filters (format=ndjson).',
  });
