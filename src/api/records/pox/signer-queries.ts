import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import {
  ALL_POX_EVENTS,
  PAST_POX_OPERATORS,
  PAST_POX_STACKERS,
  type POX_CYCLES,
  type POX_SIGNERS,
  type POX_STACKER_COUNTS,
  ROLES,
  SIGNERS_OF_CYCLE,
} from '../../../index/pox/tables.ts';
import { endOfBlocks, horizonOf } from '../../../ingest/indexer/horizon.ts';
import { countNumbered, lengthOfOnly, wholeList } from '../../../ingest/indexer/lists.ts';
import { rowsAsOf } from '../../../ingest/indexer/row-versions.ts';
import type { RowBudget } from '../../http/long-reads.ts';

/** The reward set of a cycle, with the place of its signers. */
export interface Cycle {
  readonly number: number;
  readonly list: number;
  readonly first: number;
  readonly signers: number;
  /** Height of its block. */
  readonly height: number;
  /** Whether it is of PoX 5: then stackers of PoX 4 do not count, as their locks have ended; stakers of PoX 5 count only then. */
  readonly isOfPox5: boolean;
}

type SignerRow = RowOf<typeof POX_SIGNERS, 'signing_key' | 'record'>;

/** The canonical reward set of a cycle; undefined if the cycle has no reward set. */
export async function findCycle(queries: Queries, number: number): Promise<Cycle | undefined> {
  const row = await queries.get<RowOf<typeof POX_CYCLES, 'first_signer' | 'signers' | 'pox5' | 'height'>>(
    `SELECT first_signer, signers, pox5, height FROM pox_cycles WHERE cycle = ? AND height <= ? ORDER BY height DESC LIMIT 1`,
    [number, endOfBlocks(queries)],
  );
  if (!row) return undefined;
  const list = await wholeList(queries, SIGNERS_OF_CYCLE, String(number));
  const { first_signer: first, signers, height } = row;
  return { number, list: list?.id ?? -1, first, signers, height, isOfPox5: row.pox5 === 1 };
}

/**
 * A page of the canonical cycles, the newest first, as JSON texts; and their number. Rows before the page are skipped:
 * a cycle takes two weeks, so there are a few hundred.
 */
export async function pageOfCycles(
  queries: Queries,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; records: string[] }> {
  const end = endOfBlocks(queries);
  const sql = 'SELECT count(DISTINCT cycle) AS n FROM pox_cycles WHERE height <= ?';
  const total = (await queries.get<{ n: number }>(sql, [end]))?.n ?? 0;
  const rows = await queries.all<RowOf<typeof POX_CYCLES, 'record'>>(
    `SELECT c.record FROM pox_cycles c WHERE ${IS_LAST_SET} ORDER BY c.cycle DESC LIMIT ? OFFSET ?`,
    [end, limit, offset],
  );
  return { total, records: rows.map(({ record }) => record) };
}

/** SQL: the cycle of a reward set `c` has no later one. The parameter is the height up to which sets count. */
export const IS_LAST_SET =
  'c.height = (SELECT max(o.height) FROM pox_cycles o WHERE o.cycle = c.cycle AND o.height <= ?)';

/** The record of a canonical cycle as JSON text; undefined if the index has no such cycle. */
export async function findCycleRecord(queries: Queries, number: number): Promise<string | undefined> {
  const sql = 'SELECT record FROM pox_cycles WHERE cycle = ? AND height <= ? ORDER BY height DESC LIMIT 1';
  return (await queries.get<RowOf<typeof POX_CYCLES, 'record'>>(sql, [number, endOfBlocks(queries)]))?.record;
}

/** Signers of a cycle from a position on, as JSON texts. */
export async function pageOfSigners(
  queries: Queries,
  cycle: Cycle,
  slice: { offset: number; limit: number },
  budget: RowBudget,
): Promise<string[]> {
  const from = Math.min(slice.offset, cycle.signers);
  const to = Math.min(from + slice.limit, cycle.signers);
  const rows = await queries.all<SignerRow>(
    'SELECT signing_key, record FROM pox_signers WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq',
    [cycle.list, cycle.first + from, cycle.first + to],
  );
  return withCounts(queries, cycle, rows, budget);
}

/** The signer of a cycle with this key, as JSON text. */
export async function findSigner(
  queries: Queries,
  cycle: Cycle,
  key: Uint8Array,
  budget: RowBudget,
): Promise<string | undefined> {
  const rows = await queries.all<SignerRow>(
    `SELECT signing_key, record FROM pox_signers
      WHERE list = ? AND signing_key = ? AND seq >= ? AND seq < ? ORDER BY seq LIMIT 1`,
    [cycle.list, key, cycle.first, cycle.first + cycle.signers],
  );
  return (await withCounts(queries, cycle, rows, budget))[0];
}

/**
 * Adds counts to the records. Reads one row per signer and per pool of the cycle, however many stackers there are; as of a block, it reads all
 * stackers, from the budget.
 */
async function withCounts(
  queries: Queries,
  cycle: Cycle,
  signers: readonly SignerRow[],
  budget: RowBudget,
): Promise<string[]> {
  if (signers.length === 0) return [];
  await requireStackers(queries, cycle.number, budget);
  const { solo, pooled } = cycle.isOfPox5 ? await stakersByKey(queries, cycle) : await stackersByKey(queries, cycle);
  return signers.map(({ signing_key, record }) => {
    const key = toHex(signing_key);
    const counts = { solo_stacker_count: solo.get(key) ?? 0, pooled_stacker_count: pooled.get(key) ?? 0 };
    return `${record.slice(0, -1)},${JSON.stringify(counts).slice(1)}`;
  });
}

/**
 * Throws at once if PoX contracts printed more above the block that the queries show than the budget allows, as statements skip the rows of
 * these prints. @param further rows that the statements also read
 */
export async function requirePrints(queries: Queries, budget: RowBudget, further = 0): Promise<void> {
  if (!horizonOf(queries)) return;
  const prints = await countNumbered(queries, ALL_POX_EVENTS.entries);
  budget.require(further + prints - (await lengthOfOnly(queries, ALL_POX_EVENTS)));
}

/** The same for the stackers of a cycle, all of which are counted as of a block. */
export async function requireStackers(queries: Queries, cycle: number, budget: RowBudget): Promise<void> {
  if (!horizonOf(queries)) return;
  const now = await queries.get<{ stackers: number | null }>(
    'SELECT CAST(sum(stackers) AS bigint) AS stackers FROM pox_stacker_counts WHERE cycle = ?',
    [cycle],
  );
  await requirePrints(queries, budget, now?.stackers ?? 0);
}

/** SQL for a FROM clause, without alias: rows of pox_stacker_counts of a cycle and a role, as far as the queries show them. */
const countsThen = (queries: Queries, cycle: number, role: number): string =>
  `(SELECT s.cycle, s.role, s.represented_by, count(*) AS stackers FROM ${rowsAsOf(PAST_POX_STACKERS, queries)} s
    WHERE s.cycle = ${cycle} AND s.role = ${role} GROUP BY s.cycle, s.role, s.represented_by)`;

/** Number of stackers that a signer, an operator or a manager represents in a cycle. */
export async function countOfStackers(
  queries: Queries,
  cycle: number,
  { role, represented_by }: RowOf<typeof POX_STACKER_COUNTS, 'role' | 'represented_by'>,
): Promise<number> {
  const sql = horizonOf(queries)
    ? `SELECT count(*) AS stackers FROM ${rowsAsOf(PAST_POX_STACKERS, queries)} s`
    : 'SELECT s.stackers FROM pox_stacker_counts s';
  const row = await queries.get<RowOf<typeof POX_STACKER_COUNTS, 'stackers'>>(
    `${sql} WHERE s.cycle = ? AND s.role = ? AND s.represented_by = ?`,
    [cycle, role, represented_by],
  );
  return row?.stackers ?? 0;
}

interface Counts {
  readonly solo: ReadonlyMap<string, number>;
  readonly pooled: ReadonlyMap<string, number>;
}

async function stackersByKey(queries: Queries, { number }: Cycle): Promise<Counts> {
  const soloCounts = horizonOf(queries) ? countsThen(queries, number, ROLES.solo) : 'pox_stacker_counts';
  const pooledCounts = horizonOf(queries) ? countsThen(queries, number, ROLES.pooled) : 'pox_stacker_counts';
  const solo = await countsByKey(
    queries,
    `SELECT c.represented_by AS signing_key, c.stackers FROM ${soloCounts} c WHERE c.cycle = ? AND c.role = ?`,
    [number, ROLES.solo],
  );
  const pooled = await countsByKey(
    queries,
    `SELECT o.signing_key, CAST(sum(c.stackers) AS bigint) AS stackers
       FROM ${rowsAsOf(PAST_POX_OPERATORS, queries)} o
       JOIN ${pooledCounts} c ON c.cycle = o.cycle AND c.role = ? AND c.represented_by = o.operator
      WHERE o.cycle = ? GROUP BY o.signing_key`,
    [ROLES.pooled, number],
  );
  return { solo, pooled };
}

/** PoX 5 has no pools: every staker counts as solo. */
async function stakersByKey(queries: Queries, { number, height }: Cycle): Promise<Counts> {
  const stakerCounts = horizonOf(queries) ? countsThen(queries, number, ROLES.staker) : 'pox_stacker_counts';
  const solo = await countsByKey(
    queries,
    `SELECT k.signing_key, CAST(sum(c.stackers) AS bigint) AS stackers
       FROM ${stakerCounts} c
       JOIN pox_signer_keys k ON k.manager = c.represented_by AND k.height = ${registeredHeight('c.represented_by')}
      WHERE c.cycle = ? AND c.role = ? GROUP BY k.signing_key`,
    [height, number, ROLES.staker],
  );
  return { solo, pooled: new Map() };
}

/** SQL: height of the manager's registration that counts for a reward set: the newest one below its block. */
export const registeredHeight = (manager: string): string =>
  `(SELECT max(r.height) FROM pox_signer_keys r WHERE r.manager = ${manager} AND r.height < ?)`;

async function countsByKey(queries: Queries, sql: string, params: readonly number[]): Promise<Map<string, number>> {
  const rows = await queries.all<{ signing_key: string; stackers: number }>(sql, params);
  return new Map(rows.map(row => [row.signing_key, row.stackers]));
}
