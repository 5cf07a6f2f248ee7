/**
 * The lists of a principal that its movements come from, merged: its events, its transactions for their fees, and its rewards as a miner. Example of the
 * order, the newest first:
 *
 *     events         tx 9, event 4    tx 9, event 0    tx 5, event 1
 *     transactions   tx 9             tx 8             tx 5
 *     rewards        block 3, whose first transaction is tx 6
 *
 *     9:4  9:0  9:fee  8:fee  reward of 3  5:1  5:fee
 *
 * The rewards of a block come before its transactions, which can spend them (docs/spec/addresses.md#movements).
 */
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readStxTotals } from '../../../index/addresses/stored.ts';
import {
  type ADDRESS_EVENTS,
  type ADDRESS_TXS,
  EVENTS_OF_ADDRESS,
  type MINER_REWARD_TOTALS,
  MINER_REWARDS_OF_ADDRESS,
  TXS_OF_ADDRESS,
} from '../../../index/addresses/tables.ts';
import { txsUpTo } from '../../../index/blocks/canonical-chain.ts';
import { entriesBelow, findList, type List } from '../../../ingest/indexer/lists.ts';
import type { ListKind } from '../../../ingest/indexer/tables.ts';
import { chainPositionsOf, numbersOf } from '../../paging/chain-position.ts';
import { eventCursor, placeOfEventCursor } from '../../paging/event-cursors.ts';
import { entriesUpTo } from '../../paging/event-lists.ts';
import { placeCursors } from '../../paging/transaction-cursors.ts';
import { rewardsUpTo } from './mining.ts';

/** `<place of a transaction>:<event>`, `<place of a transaction>:fee`, or `<height>:reward:<place among the rewards>`. */
export const MOVEMENT_CURSOR = '^[0-9]+:(reward:[0-9]+|[0-9]+:[0-9]+:(fee|[0-9]+)(:[0-9]+)?)$';

export interface MovementLists {
  readonly events: List;
  readonly txs: List;
  readonly rewards: List;
}

/** Number of entries of each list up to a place. */
export interface MovementEnds {
  readonly events: number;
  readonly txs: number;
  readonly rewards: number;
}

/** An entry of one of the lists, and the STX of the principal after it: in micro-STX, at the end of its transaction. */
export type MovementItem = { readonly stxAfter: bigint } & (
  | { readonly kind: 'event'; readonly tx: number; readonly event_index: number }
  | { readonly kind: 'fee'; readonly tx: number; readonly fee: bigint }
  | { readonly kind: 'reward'; readonly height: number; readonly position: number; readonly amount: bigint }
);

const NO_LIST: List = { id: -1, length: 0 };

export async function findMovementLists(queries: Queries, principal: string): Promise<MovementLists> {
  const find = async (kind: ListKind) => (await findList(queries, kind, principal)) ?? NO_LIST;
  const [events, txs, rewards] = await Promise.all([
    find(EVENTS_OF_ADDRESS),
    find(TXS_OF_ADDRESS),
    find(MINER_REWARDS_OF_ADDRESS),
  ]);
  return { events, txs, rewards };
}

/** The entries up to the last one of the block of a height, without those of microblocks on the tip. */
export async function endsOfHeight(queries: Queries, lists: MovementLists, height: number): Promise<MovementEnds> {
  const end = await txsUpTo(queries, height);
  return {
    events: await entriesBelow(queries, EVENTS_OF_ADDRESS, lists.events, 'tx', end),
    txs: await entriesBelow(queries, TXS_OF_ADDRESS, lists.txs, 'tx', end),
    rewards: await entriesBelow(queries, MINER_REWARDS_OF_ADDRESS, lists.rewards, 'height', height + 1),
  };
}

/** The entries up to the one that a cursor names, inclusive; if the chain has no such entry, up to its place. */
export async function endsAt(queries: Queries, lists: MovementLists, cursor: string): Promise<MovementEnds> {
  const [heightText = '', second = '', third = '', part = '', further = '0'] = cursor.split(':');
  const height = Math.min(Number(heightText), HIGHEST);
  if (second === 'reward') {
    const [position = 0] = numbersOf(third);
    const below = await endsOfHeight(queries, lists, height - 1);
    return { ...below, rewards: await rewardsUpTo(queries, lists.rewards, { height, position }) };
  }
  const isFee = part === 'fee';
  const place = await placeOfEventCursor(queries, [height, second, third, isFee ? 0 : part, further].join(':'));
  const { tx } = place;
  // The place of a missing entry has an event above all others.
  const event_index = isFee && place.event_index === 0 ? BEFORE_EVENTS : place.event_index;
  return {
    events: await entriesUpTo(queries, EVENTS_OF_ADDRESS, lists.events, { tx, event_index }),
    txs: await entriesBelow(queries, TXS_OF_ADDRESS, lists.txs, 'tx', tx + 1),
    rewards: await entriesBelow(queries, MINER_REWARDS_OF_ADDRESS, lists.rewards, 'height', height + 1),
  };
}

const BEFORE_EVENTS = -1;
/** A height that no chain reaches, as a cursor may have any number. */
const HIGHEST = 2_147_483_647;

/** The cursor that begins with an entry. */
export async function movementCursor(queries: Queries, item: MovementItem): Promise<string> {
  switch (item.kind) {
    case 'event':
      return eventCursor(queries, item);
    case 'reward':
      return `${item.height}:reward:${item.position}`;
    case 'fee': {
      const place = (await chainPositionsOf(queries, [item.tx])).get(item.tx);
      if (!place) throw new Error(`transaction ${item.tx} is not there`);
      const [text = ''] = await placeCursors(queries, [{ tx: item.tx, place }]);
      const [height, sequence, index, ...further] = text.split(':');
      return [height, sequence, index, 'fee', ...further].join(':');
    }
    default:
      return item satisfies never;
  }
}

/** Most transactions without a movement that a page skips. */
const MOST_PASSED = 100;

/**
 * Entries between two ends, the newest first, until one of the lists has supplied as many as a page may have.
 * @returns `next`: the entry that follows; undefined after the last one
 */
export async function readItems(
  queries: Queries,
  lists: MovementLists,
  { start, end }: { readonly start: MovementEnds; readonly end: MovementEnds },
  limit: number,
): Promise<{ readonly items: readonly MovementItem[]; readonly next: MovementItem | undefined }> {
  const most = { events: limit, txs: limit + MOST_PASSED, rewards: limit };
  const { events, txs, rewards } = await readEntries(queries, lists, end, most);
  const at = { events: 0, txs: 0, rewards: 0 };
  const items: MovementItem[] = [];
  for (;;) {
    const [event, tx, reward] = [events[at.events], txs[at.txs], rewards[at.rewards]];
    const eventTx = event !== undefined && event.seq >= start.events ? event.tx : -1;
    const feeTx = tx !== undefined && tx.seq >= start.txs ? tx.tx : -1;
    const rewardTx = reward !== undefined && reward.seq >= start.rewards ? reward.firstTx : -1;
    const stxAfter = (tx?.left ?? 0n) + (reward?.total ?? 0n);
    let kind: keyof MovementEnds;
    let item: MovementItem;
    if (reward !== undefined && rewardTx > Math.max(eventTx, feeTx)) {
      kind = 'rewards';
      item = { kind: 'reward', height: reward.height, position: reward.position, amount: reward.amount, stxAfter };
    } else if (event !== undefined && eventTx >= 0 && eventTx >= feeTx) {
      kind = 'events';
      item = { kind: 'event', tx: event.tx, event_index: event.event_index, stxAfter };
    } else if (tx !== undefined && feeTx >= 0) {
      kind = 'txs';
      item = { kind: 'fee', tx: tx.tx, fee: tx.fees - (txs[at.txs + 1]?.fees ?? 0n), stxAfter };
    } else return { items, next: undefined };
    if (at[kind] === most[kind]) return { items, next: item };
    at[kind]++;
    if (item.kind === 'fee' && item.fee === 0n) continue;
    if (items.length === limit) return { items, next: item };
    items.push(item);
  }
}

/** Entries below the ends, the newest first: as many as a page may have, and two more, which its last one may need. */
async function readEntries(queries: Queries, lists: MovementLists, end: MovementEnds, most: MovementEnds) {
  const part = (name: keyof MovementEnds) => [lists[name].id, Math.max(0, end[name] - most[name] - 2), end[name]];
  const [events, txs, rewards] = await Promise.all([
    queries.all<RowOf<typeof ADDRESS_EVENTS, 'seq' | 'tx' | 'event_index'>>(
      'SELECT seq, tx, event_index FROM address_events WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq DESC',
      part('events'),
    ),
    queries.all<RowOf<typeof ADDRESS_TXS, 'seq' | 'tx' | 'totals'>>(
      'SELECT seq, tx, totals FROM address_txs WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq DESC',
      part('txs'),
    ),
    queries.all<RowOf<typeof MINER_REWARD_TOTALS, 'seq' | 'height' | 'position' | 'coinbase' | 'fees' | 'total'>>(
      `SELECT seq, height, position, coinbase, fees, total FROM miner_rewards
        WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq DESC`,
      part('rewards'),
    ),
  ]);
  const firstTxs = new Map<number, number>();
  for (const height of new Set(rewards.map(reward => reward.height)))
    firstTxs.set(height, await txsUpTo(queries, height - 1));
  return {
    events,
    txs: txs.map(({ seq, tx, totals }) => {
      const { received, sent, fees } = readStxTotals(totals);
      return { seq, tx, fees, left: received - sent - fees };
    }),
    rewards: rewards.map(({ coinbase, fees, total, ...reward }) => ({
      ...reward,
      amount: BigInt(coinbase) + BigInt(fees),
      total: BigInt(total),
      firstTx: firstTxs.get(reward.height) ?? 0,
    })),
  };
}
