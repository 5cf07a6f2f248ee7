import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { type POX_CYCLES, type POX_SIGNERS, ROLES, SIGNERS_OF_CYCLE } from '../../../index/pox/tables.ts';
import { findList } from '../../../ingest/indexer/lists.ts';

/** The reward set of a cycle: where its signers are. */
export interface Cycle {
  readonly number: number;
  readonly list: number;
  readonly first: number;
  readonly signers: number;
  /** Of the block that has it. */
  readonly height: number;
  /** Stackers of PoX 4 do not count in it: their locks have ended. Stakers of PoX 5 count in no other. */
  readonly isOfPox5: boolean;
}

type SignerRow = RowOf<typeof POX_SIGNERS, 'signing_key' | 'record'>;

/** The canonical reward set of a cycle; undefined if the cycle has no reward set. */
export async function findCycle(queries: Queries, number: number): Promise<Cycle | undefined> {
  const row = await queries.get<RowOf<typeof POX_CYCLES, 'first_signer' | 'signers' | 'pox5' | 'height'>>(
    'SELECT first_signer, signers, pox5, height FROM pox_cycles WHERE cycle = ?',
    [number],
  );
  if (!row) return undefined;
  const list = await findList(queries, SIGNERS_OF_CYCLE, String(number));
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
  const total = (await queries.get<{ n: number }>('SELECT count(*) AS n FROM pox_cycles'))?.n ?? 0;
  const rows = await queries.all<RowOf<typeof POX_CYCLES, 'record'>>(
    'SELECT record FROM pox_cycles ORDER BY cycle DESC LIMIT ? OFFSET ?',
    [limit, offset],
  );
  return { total, records: rows.map(({ record }) => record) };
}

/** The record of a canonical cycle as JSON text; undefined if the index has no such cycle. */
export async function findCycleRecord(queries: Queries, number: number): Promise<string | undefined> {
  const sql = 'SELECT record FROM pox_cycles WHERE cycle = ?';
  return (await queries.get<RowOf<typeof POX_CYCLES, 'record'>>(sql, [number]))?.record;
}

/** Signers of a cycle from a position on, as JSON texts. */
export async function pageOfSigners(
  queries: Queries,
  cycle: Cycle,
  slice: { offset: number; limit: number },
): Promise<string[]> {
  const from = Math.min(slice.offset, cycle.signers);
  const to = Math.min(from + slice.limit, cycle.signers);
  const rows = await queries.all<SignerRow>(
    'SELECT signing_key, record FROM pox_signers WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq',
    [cycle.list, cycle.first + from, cycle.first + to],
  );
  return withCounts(queries, cycle, rows);
}

/** The signer of a cycle with this key, as JSON text. */
export async function findSigner(queries: Queries, cycle: Cycle, key: Uint8Array): Promise<string | undefined> {
  const rows = await queries.all<SignerRow>(
    'SELECT signing_key, record FROM pox_signers WHERE list = ? AND signing_key = ? AND seq >= ? ORDER BY seq LIMIT 1',
    [cycle.list, key, cycle.first],
  );
  return (await withCounts(queries, cycle, rows))[0];
}

/** Completes the records. Reads one row per signer and per pool of the cycle, however many stackers there are. */
async function withCounts(queries: Queries, cycle: Cycle, signers: readonly SignerRow[]): Promise<string[]> {
  if (signers.length === 0) return [];
  const { solo, pooled } = cycle.isOfPox5 ? await stakersByKey(queries, cycle) : await stackersByKey(queries, cycle);
  return signers.map(({ signing_key, record }) => {
    const key = toHex(signing_key);
    const counts = { solo_stacker_count: solo.get(key) ?? 0, pooled_stacker_count: pooled.get(key) ?? 0 };
    return `${record.slice(0, -1)},${JSON.stringify(counts).slice(1)}`;
  });
}

interface Counts {
  readonly solo: ReadonlyMap<string, number>;
  readonly pooled: ReadonlyMap<string, number>;
}

async function stackersByKey(queries: Queries, { number }: Cycle): Promise<Counts> {
  const solo = await countsByKey(
    queries,
    'SELECT represented_by AS signing_key, stackers FROM pox_stacker_counts WHERE cycle = ? AND role = ?',
    [number, ROLES.solo],
  );
  const pooled = await countsByKey(
    queries,
    `SELECT o.signing_key, CAST(sum(c.stackers) AS bigint) AS stackers
       FROM pox_operators o
       JOIN pox_stacker_counts c ON c.cycle = o.cycle AND c.role = ? AND c.represented_by = o.operator
      WHERE o.cycle = ? GROUP BY o.signing_key`,
    [ROLES.pooled, number],
  );
  return { solo, pooled };
}

/** PoX 5 has no pools: every staker counts as solo. */
async function stakersByKey(queries: Queries, { number, height }: Cycle): Promise<Counts> {
  const solo = await countsByKey(
    queries,
    `SELECT k.signing_key, CAST(sum(c.stackers) AS bigint) AS stackers
       FROM pox_stacker_counts c
       JOIN pox_signer_keys k ON k.manager = c.represented_by AND k.height = ${registeredHeight('c.represented_by')}
      WHERE c.cycle = ? AND c.role = ? GROUP BY k.signing_key`,
    [height, number, ROLES.staker],
  );
  return { solo, pooled: new Map() };
}

/** The height of the registration of a manager that counts for a reward set: the newest below its block. */
export const registeredHeight = (manager: string): string =>
  `(SELECT max(r.height) FROM pox_signer_keys r WHERE r.manager = ${manager} AND r.height < ?)`;

async function countsByKey(queries: Queries, sql: string, params: readonly number[]): Promise<Map<string, number>> {
  const rows = await queries.all<{ signing_key: string; stackers: number }>(sql, params);
  return new Map(rows.map(row => [row.signing_key, row.stackers]));
}
