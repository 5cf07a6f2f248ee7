/** The stakers of a signer manager in a cycle of PoX 5, past cycles included (docs/spec/staking.md#stakers-of-a-cycle). */
import { amountOfRank, rankOf } from '../../../base/lib/number-bytes.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { PAST_POX_STACKERS, type POX_STACKERS, ROLES } from '../../../index/pox/tables.ts';
import { rowsAsOf } from '../../../ingest/indexer/row-versions.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import type { CursorPage } from '../../paging/cursor-page.ts';
import { seekPage } from '../../paging/seek-page.ts';
import { countOfStackers, requireStackers } from '../pox/signer-queries.ts';

type StakerRow = RowOf<typeof POX_STACKERS, 'stacker' | 'rank' | 'in_bond'>;

/** A place in the list, by amount and staker; there need not be a staker at it. */
interface StakerPlace {
  /** Micro-STX. */
  readonly amount: bigint;
  readonly staker: string;
}

/** Stakers from a place on, by seeks: those with the most STX first, then by principal. @param from undefined for all */
export async function pageOfCycleStakers(
  queries: Queries,
  { cycle, manager }: { readonly cycle: number; readonly manager: string },
  limit: number,
  from: StakerPlace | undefined,
  budget: RowBudget,
): Promise<CursorPage<StakerRow>> {
  await requireStackers(queries, cycle, budget);
  const ofManager = [cycle, ROLES.staker, manager];
  const read = (
    condition: string,
    order: 'ASC' | 'DESC',
    at: readonly [Uint8Array, string] | undefined,
    rows: number,
  ) =>
    queries.all<StakerRow>(
      `SELECT s.stacker, s.rank, s.in_bond FROM ${rowsAsOf(PAST_POX_STACKERS, queries)} s
        WHERE s.cycle = ? AND s.role = ? AND s.represented_by = ?
        ${at ? `AND (s.rank, s.stacker) ${condition} (?, ?)` : ''} ORDER BY s.rank ${order}, s.stacker ${order} LIMIT ?`,
      [...ofManager, ...(at ?? []), rows],
    );
  const represented = { role: ROLES.staker, represented_by: manager };
  return seekPage<StakerRow>(
    {
      total: await countOfStackers(queries, cycle, represented),
      cursor: ({ stacker, rank }) => `${amountOfRank(rank)}:${stacker}`,
      from: rows => read('>=', 'ASC', from && [rankOf(from.amount), from.staker], rows),
      before: (row, rows) => read('<', 'DESC', row && [row.rank, row.stacker], rows),
    },
    limit,
  );
}

/** The place that a cursor names: `<micro-STX>:<principal>`. */
export function parseStakerCursor(cursor: string | undefined): StakerPlace | undefined {
  if (cursor === undefined) return undefined;
  const [amount = '', staker = ''] = cursor.split(':');
  return { amount: BigInt(amount), staker };
}

/** A staker as it is served. */
export const cycleStakerV3 = ({ stacker: staker, rank, in_bond }: StakerRow) => ({
  staker,
  types: in_bond === 1 ? ['btc' as const] : ['stx' as const],
  staked_stx: { amount: String(amountOfRank(rank)) },
});
