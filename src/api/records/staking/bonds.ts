import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { accruedByBond } from '../../../index/staking/apply.ts';
import {
  type BOND_ALLOWANCES,
  PAST_STAKING_BONDS,
  PAST_STAKING_COUNTS,
  STAKING_BONDS,
} from '../../../index/staking/tables.ts';
import { endOfTransactions, horizonOf } from '../../../ingest/indexer/horizon.ts';
import { readState } from '../../../ingest/indexer/index-state.ts';
import { findRow, rowsAsOf } from '../../../ingest/indexer/row-versions.ts';
import type { CursorPage } from '../../paging/cursor-page.ts';
import { seekPage } from '../../paging/seek-page.ts';
import { bondSchedulesOf, type ScheduledChain } from './schedule.ts';

export type Bond = RowOf<typeof STAKING_BONDS>;

const COLUMNS = Object.keys(STAKING_BONDS.columns)
  .map(name => `b.${name}`)
  .join(', ');

/** Bonds from an index on, the highest index first. @param from any number; undefined for all */
export async function pageOfBonds(
  queries: Queries,
  limit: number,
  from: number | undefined,
): Promise<CursorPage<Bond>> {
  const read = (where: string, order: 'ASC' | 'DESC', index: number, rows: number) =>
    queries.all<Bond>(
      `SELECT ${COLUMNS} FROM ${rowsAsOf(PAST_STAKING_BONDS, queries)} b
        WHERE b.bond_index ${where} ? ORDER BY b.bond_index ${order} LIMIT ?`,
      [index, rows],
    );
  const list = {
    total: await stakingCount(queries, 'bonds'),
    cursor: ({ bond_index }: Bond) => String(bond_index),
    from: (rows: number) => read('<=', 'DESC', from ?? Number.MAX_SAFE_INTEGER, rows),
    before: (bond: Bond | undefined, rows: number) => read('>', 'ASC', bond?.bond_index ?? -1, rows),
  };
  return seekPage(list, limit);
}

export const findBond = (queries: Queries, bond_index: number): Promise<Bond | undefined> =>
  findRow(queries, PAST_STAKING_BONDS, { bond_index });

/** The number of bonds, or of signer managers. */
export const stakingCount = async (queries: Queries, name: 'bonds' | 'signers'): Promise<number> =>
  (await findRow(queries, PAST_STAKING_COUNTS, { name }))?.count ?? 0;

/** The burn height of the tip, which decides about the beginning and end of everything in PoX 5. */
export const burnHeightOfTip = async (queries: Queries): Promise<number> =>
  horizonOf(queries)?.burnHeight ?? (await readState(queries)).tip?.burnBlockHeight ?? 0;

type Allowance = RowOf<typeof BOND_ALLOWANCES, 'staker' | 'max_sats'>;

/** The allowance of a staker in a bond; undefined if its allowlist does not have the staker. */
export const findAllowance = (queries: Queries, bond: number, staker: string): Promise<Allowance | undefined> =>
  queries.get<Allowance>(
    'SELECT staker, max_sats FROM bond_allowances WHERE bond_index = ? AND staker = ? AND tx < ?',
    [bond, staker, endOfTransactions(queries)],
  );

type BondStatus = 'upcoming' | 'active' | 'unlocked';

/** @param burnHeight of the tip */
export function statusOf(
  { start_height, unlock_height }: Pick<Bond, 'start_height' | 'unlock_height'>,
  burnHeight: number,
): BondStatus {
  if (burnHeight < start_height) return 'upcoming';
  return burnHeight < unlock_height ? 'active' : 'unlocked';
}

/** Bonds in the form of lists, keys in emitted order (docs/spec/staking.md#bonds). */
export async function bondsV3(queries: Queries, chain: ScheduledChain, bonds: readonly Bond[]) {
  const burnHeight = await burnHeightOfTip(queries);
  const scheduleOf = await bondSchedulesOf(queries, chain, bonds);
  return bonds.map(bond => ({
    index: bond.bond_index,
    pox_version: 'pox5' as const,
    status: statusOf(bond, burnHeight),
    parameters: {
      target_rate_bps: Number(bond.target_rate),
      stx_value_ratio: Number(bond.stx_value_ratio),
      minimum_stx_ratio: Number(bond.min_ustx_ratio),
      btc_capacity: bond.capacity,
    },
    registrations: { allowed_count: bond.allowed, registered_count: bond.registered },
    schedule: scheduleOf(bond),
    balances: {
      locked: { btc: bond.sats, stx: bond.ustx },
      rewards: {
        btc: { distributed: bond.distributed, accrued: String(accruedByBond(bond)), claimed: bond.paid },
      },
      paid_out: { btc: bond.distributed },
    },
  }));
}
