import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { accruedBy } from '../../../index/staking/apply.ts';
import { readOutputs } from '../../../index/staking/stored.ts';
import { BOND_POSITIONS, PAST_BOND_POSITIONS, PAST_STAKING_BONDS } from '../../../index/staking/tables.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import { rowsAsOf } from '../../../ingest/indexer/row-versions.ts';
import type { CursorPage } from '../../paging/cursor-page.ts';
import { seekPage } from '../../paging/seek-page.ts';
import { type Bond, statusOf } from './bonds.ts';

type PositionRow = RowOf<typeof BOND_POSITIONS>;

/** A position with its bond, and the transaction that registered it. */
type Held = PositionRow & Pick<Bond, 'start_height' | 'unlock_height' | 'rate'> & RowOf<typeof TXS, 'tx_id'>;

const OWN_COLUMNS = Object.keys(BOND_POSITIONS.columns)
  .map(name => `p.${name}`)
  .join(', ');
const selectHeld = (queries: Queries): string =>
  `SELECT ${OWN_COLUMNS}, b.start_height, b.unlock_height, b.rate, t.tx_id
    FROM ${rowsAsOf(PAST_BOND_POSITIONS, queries)} p
    JOIN ${rowsAsOf(PAST_STAKING_BONDS, queries)} b ON b.bond_index = p.bond_index JOIN txs t ON t.seq = p.tx`;

async function countPositions(queries: Queries, staker: string): Promise<number> {
  const sql = `SELECT count(*) AS n FROM ${rowsAsOf(PAST_BOND_POSITIONS, queries)} p WHERE p.staker = ?`;
  const row = await queries.get<{ n: number }>(sql, [staker]);
  return row?.n ?? 0;
}

/** The positions of a staker by bond, from a bond on. */
export async function pageOfPositions(
  queries: Queries,
  staker: string,
  limit: number,
  from: number | undefined,
): Promise<CursorPage<Held>> {
  const read = (where: string, order: 'ASC' | 'DESC', bond: number, rows: number) =>
    queries.all<Held>(
      `${selectHeld(queries)} WHERE p.staker = ? AND p.bond_index ${where} ? ORDER BY p.bond_index ${order} LIMIT ?`,
      [staker, bond, rows],
    );
  const list = {
    total: await countPositions(queries, staker),
    cursor: ({ bond_index }: Held) => String(bond_index),
    from: (rows: number) => read('>=', 'ASC', from ?? 0, rows),
    before: (held: Held | undefined, rows: number) =>
      read('<', 'DESC', held?.bond_index ?? Number.MAX_SAFE_INTEGER, rows),
  };
  return seekPage(list, limit);
}

/** All positions of a staker. They are few: at most one in each bond, and two bonds begin in a year. */
export const bondPositionsOf = (queries: Queries, staker: string): Promise<Held[]> =>
  queries.all<Held>(`${selectHeld(queries)} WHERE p.staker = ? ORDER BY p.bond_index`, [staker]);

/** The position of a staker in a bond. */
export const findPosition = (queries: Queries, bond: number, staker: string): Promise<Held | undefined> =>
  queries.get<Held>(`${selectHeld(queries)} WHERE p.bond_index = ? AND p.staker = ?`, [bond, staker]);

/** Rewards in satoshis. */
export interface Rewards {
  readonly accrued: bigint;
  readonly claimed: bigint;
}

export const stakingRewardsOf = (position: Held): Rewards => ({
  accrued: accruedBy(position, BigInt(position.rate)),
  claimed: BigInt(position.claimed),
});

/** The rewards of a position; the claimable amount is never below zero. */
export const stakingRewardsV3 = ({ accrued, claimed }: Rewards) => ({
  btc: {
    accrued: String(accrued),
    claimed: String(claimed),
    claimable: String(accrued > claimed ? accrued - claimed : 0n),
  },
});

/** @param burnHeight of the tip */
function statusOfPosition(position: Held, burnHeight: number) {
  if (position.rolled) return 'rolled_over';
  if (position.exited) return 'early_exit';
  const status = statusOf(position, burnHeight);
  return status === 'upcoming' ? 'enrolled' : status === 'active' ? 'running' : 'unlocked';
}

/** A position as its staker sees it, keys in emitted order (docs/spec/staking.md#positions). */
export function stakingPositionV3(position: Held, burnHeight: number) {
  const status = statusOfPosition(position, burnHeight);
  return {
    bond_index: position.bond_index,
    status,
    active: status === 'enrolled' || status === 'running',
    enrollment: { tx_id: toHex(position.tx_id), btc_lockup: { amount: position.enrolled_sats } },
    locked: { btc: position.sats, stx: position.ustx },
    rewards: stakingRewardsV3(stakingRewardsOf(position)),
  };
}

/** A position as its bond lists it (docs/spec/staking.md#registrations). */
export const registrationSummaryV3 = (
  position: Pick<PositionRow, 'staker' | 'signer' | 'l1_outputs' | 'sats' | 'ustx'>,
) => ({
  staker: position.staker,
  signer: position.signer,
  type: position.l1_outputs === null ? ('l2' as const) : ('l1' as const),
  balances: { btc: position.sats, stx: position.ustx },
});

/** A registration with its locked amounts: Bitcoin outputs, or sBTC that a transaction locked. */
export function registrationV3(position: Held) {
  const summary = registrationSummaryV3(position);
  if (position.l1_outputs === null) return { ...summary, l2_lockup: { tx_id: toHex(position.tx_id) } };
  const outputs = readOutputs(position.l1_outputs);
  return {
    ...summary,
    l1_lockup: { transactions: outputs.map(({ txId: tx_id, index: output_index }) => ({ tx_id, output_index })) },
  };
}
