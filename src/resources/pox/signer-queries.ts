import { findList } from '../../indexer/lists.ts';
import { toHex } from '../../lib/hex.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { type POX_CYCLES, type POX_SIGNERS, ROLES, SIGNERS_OF_CYCLE } from './tables.ts';

/** The reward set of a cycle: where its signers are. */
export interface Cycle {
  readonly number: number;
  readonly list: number;
  readonly first: number;
  readonly signers: number;
  /** Stackers of PoX 4 do not count in it: their locks have ended. */
  readonly isOfPox5: boolean;
}

type SignerRow = RowOf<typeof POX_SIGNERS, 'signing_key' | 'record'>;

/** The canonical reward set of a cycle; undefined when there is none. */
export async function findCycle(queries: Queries, number: number): Promise<Cycle | undefined> {
  const row = await queries.get<RowOf<typeof POX_CYCLES, 'first_signer' | 'signers' | 'pox5'>>(
    'SELECT first_signer, signers, pox5 FROM pox_cycles WHERE cycle = ?',
    [number],
  );
  if (!row) return undefined;
  const list = await findList(queries, SIGNERS_OF_CYCLE, String(number));
  return { number, list: list?.id ?? -1, first: row.first_signer, signers: row.signers, isOfPox5: row.pox5 === 1 };
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
  const countedBy = async (sql: string, params: readonly number[]) =>
    cycle.isOfPox5 ? new Map<string, number>() : countsByKey(queries, sql, params);
  const solo = await countedBy(
    'SELECT represented_by AS signing_key, stackers FROM pox_stacker_counts WHERE cycle = ? AND role = ?',
    [cycle.number, ROLES.solo],
  );
  const pooled = await countedBy(
    `SELECT o.signing_key, CAST(sum(c.stackers) AS bigint) AS stackers
       FROM pox_operators o
       JOIN pox_stacker_counts c ON c.cycle = o.cycle AND c.role = ? AND c.represented_by = o.operator
      WHERE o.cycle = ? GROUP BY o.signing_key`,
    [ROLES.pooled, cycle.number],
  );
  return signers.map(({ signing_key, record }) => {
    const key = toHex(signing_key);
    const counts = { solo_stacker_count: solo.get(key) ?? 0, pooled_stacker_count: pooled.get(key) ?? 0 };
    return `${record.slice(0, -1)},${JSON.stringify(counts).slice(1)}`;
  });
}

async function countsByKey(queries: Queries, sql: string, params: readonly number[]): Promise<Map<string, number>> {
  const rows = await queries.all<{ signing_key: string; stackers: number }>(sql, params);
  return new Map(rows.map(row => [row.signing_key, row.stackers]));
}
