import { toHex } from '../../../base/lib/hex.ts';
import { amountOfRank } from '../../../base/lib/number-bytes.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import {
  PAST_POX_OPERATORS,
  PAST_POX_STACKERS,
  type POX_OPERATORS,
  type POX_SIGNER_KEYS,
  type POX_STACKER_COUNTS,
  type POX_STACKERS,
  ROLES,
} from '../../../index/pox/tables.ts';
import { rowsAsOf } from '../../../ingest/indexer/row-versions.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { type Cycle, countOfStackers, registeredHeight, requireStackers } from './signer-queries.ts';

/** Stackers of a cycle that one signer or one operator of a pool represents. */
type Group = RowOf<typeof POX_STACKER_COUNTS, 'role' | 'represented_by'>;

type StackerRow = RowOf<typeof POX_STACKERS, 'role' | 'stacker' | 'rank' | 'pox_address'>;

/**
 * A page of the stackers of a signer, those with the most STX first, as JSON texts; and their number (docs/spec/pox.md#stackers-of-a-signer).
 * Merges groups: of each, it reads the rows before the end of the page in the order of an index, at most as many as the signer has
 * stackers.
 */
export async function stackersOf(
  queries: Queries,
  cycle: Cycle,
  key: Uint8Array,
  { offset, limit }: { offset: number; limit: number },
  budget: RowBudget,
): Promise<{ total: number; records: string[] }> {
  await requireStackers(queries, cycle.number, budget);
  const groups = await (cycle.isOfPox5 ? managersOf(queries, cycle, toHex(key)) : groupsOf(queries, cycle, toHex(key)));
  let total = 0;
  for (const group of groups) total += await countOfStackers(queries, cycle.number, group);
  if (offset >= total) return { total, records: [] };
  budget.require(Math.min(offset + limit, total));
  const rows: StackerRow[] = [];
  for (const { role, represented_by } of groups) {
    const sql = `SELECT s.role, s.stacker, s.rank, s.pox_address FROM ${rowsAsOf(PAST_POX_STACKERS, queries)} s
      WHERE s.cycle = ? AND s.role = ? AND s.represented_by = ? ORDER BY s.rank, s.stacker LIMIT ?`;
    rows.push(...(await queries.all<StackerRow>(sql, [cycle.number, role, represented_by, offset + limit])));
  }
  const page = rows.sort(mostFirst).slice(offset, offset + limit);
  return { total, records: page.map(stackerRecord) };
}

/** Solo stackers with this key, and the members of each pool whose operator has committed to it. */
async function groupsOf(queries: Queries, { number }: Cycle, key: string): Promise<Group[]> {
  const operators = await queries.all<RowOf<typeof POX_OPERATORS, 'operator'>>(
    `SELECT o.operator FROM ${rowsAsOf(PAST_POX_OPERATORS, queries)} o
      WHERE o.cycle = ? AND o.signing_key = ? ORDER BY o.operator`,
    [number, key],
  );
  const pools = operators.map(({ operator }) => ({ role: ROLES.pooled, represented_by: operator }));
  return [{ role: ROLES.solo, represented_by: key }, ...pools];
}

/** The signer managers of PoX 5 that had this key when the reward set was made. */
async function managersOf(queries: Queries, { height }: Cycle, key: string): Promise<Group[]> {
  const managers = await queries.all<RowOf<typeof POX_SIGNER_KEYS, 'manager'>>(
    `SELECT k.manager FROM pox_signer_keys k
      WHERE k.signing_key = ? AND k.height = ${registeredHeight('k.manager')} ORDER BY k.manager`,
    [key, height],
  );
  return managers.map(({ manager }) => ({ role: ROLES.staker, represented_by: manager }));
}

/** Orders by amount, then by name; a principal that stacks in both ways is in the list twice. */
function mostFirst(a: StackerRow, b: StackerRow): number {
  return Buffer.compare(a.rank, b.rank) || (a.stacker < b.stacker ? -1 : a.stacker > b.stacker ? 1 : a.role - b.role);
}

/** In emitted order. */
const stackerRecord = ({ role, stacker, rank, pox_address }: StackerRow): string =>
  JSON.stringify({
    stacker_address: stacker,
    stacked_amount: String(amountOfRank(rank)),
    pox_address: pox_address ?? '',
    stacker_type: role === ROLES.pooled ? 'pooled' : 'solo',
  });
