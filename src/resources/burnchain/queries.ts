import { findList, positionsOf } from '../../indexer/lists.ts';
import type { Queries } from '../../store/database.ts';
import { allIn } from '../../store/in-list.ts';
import type { RowOf } from '../../store/table.ts';
import { type ADDRESS_REWARD_SLOTS, ALL_REWARD_SLOTS, type REWARD_SLOTS, REWARD_SLOTS_OF_ADDRESS } from './tables.ts';

/** A page of reward slots, newest first, as JSON texts; and how many there are. A seek, whatever the offset. */
export interface RewardSlots {
  readonly total: number;
  readonly records: readonly string[];
}

interface PageOf {
  readonly offset: number;
  readonly limit: number;
}

export async function rewardSlots(queries: Queries, slice: PageOf): Promise<RewardSlots> {
  const { length } = (await findList(queries, ALL_REWARD_SLOTS, '')) ?? { length: 0 };
  const { from, to } = positionsOf({ ...slice, order: 'desc' }, length);
  const rows = await queries.all<RowOf<typeof REWARD_SLOTS, 'record'>>(
    'SELECT record FROM reward_slots WHERE seq >= ? AND seq < ? ORDER BY seq DESC',
    [from, to],
  );
  return { total: length, records: rows.map(row => row.record) };
}

/** @param address as the node spells it */
export async function rewardSlotsOf(queries: Queries, address: string, slice: PageOf): Promise<RewardSlots> {
  const list = await findList(queries, REWARD_SLOTS_OF_ADDRESS, address);
  if (!list) return { total: 0, records: [] };
  const { from, to } = positionsOf({ ...slice, order: 'desc' }, list.length);
  // In two statements: what PostgreSQL takes a list for, slicedEntries tells.
  const slots = await queries.all<RowOf<typeof ADDRESS_REWARD_SLOTS, 'slot'>>(
    'SELECT slot FROM address_reward_slots WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq DESC',
    [list.id, from, to],
  );
  const rows = await allIn<RowOf<typeof REWARD_SLOTS, 'record'>>(
    queries,
    positions => `SELECT record FROM reward_slots WHERE seq IN ${positions} ORDER BY seq DESC`,
    slots.map(({ slot }) => slot),
  );
  return { total: list.length, records: rows.map(({ record }) => record) };
}
