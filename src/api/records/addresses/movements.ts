/** Incoming and outgoing movements of all assets of a principal, in one list (docs/spec/addresses.md#movements). */
import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { countBlocks, firstUnanchored } from '../../../index/blocks/canonical-chain.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import { type AssetEvent, isAssetEvent } from '../../../ingest/chain/event-facts.ts';
import { eventsNumbered } from '../transactions/events.ts';
import { blocksAtHeights } from './mining.ts';
import {
  endsAt,
  endsOfHeight,
  findMovementLists,
  type MovementEnds,
  type MovementItem,
  type MovementLists,
  movementCursor,
  readItems,
} from './movement-lists.ts';

/** A row of the list. Amounts in the smallest unit of the asset. */
export interface Movement {
  readonly item: MovementItem;
  /** Undefined for a fee or a reward. */
  readonly event: AssetEvent | undefined;
  readonly amount: bigint;
  readonly fee: bigint;
  /** The STX of the principal after the transaction, or after the reward. */
  readonly stxAfter: bigint;
}

/** A part of the list, and the cursor of the next row; null at its end. */
interface MovementPage {
  readonly next: string | null;
  readonly current: string | null;
  readonly movements: readonly Movement[];
}

interface MovementQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly direction?: 'in' | 'out' | undefined;
}

/** Heights of the first and of the last block that count; undefined: no bound on that side. */
export interface HeightBounds {
  readonly first: number | undefined;
  readonly last: number | undefined;
}

/** The direction of a movement from the view of the principal; `self` is from it to itself. */
export const DIRECTIONS = ['in', 'out', 'self'] as const;
type Direction = (typeof DIRECTIONS)[number];

/** Most entries that a page of one direction examines. */
const MOST_IN_SEARCH = 200;

/**
 * A page of movements, the newest first. It reads a bounded number of entries, so it may have fewer rows than its limit, or none, although further ones
 * follow: for example, for a contract that is often called and pays nothing.
 * @param query.direction only movements of this direction
 * @param bounds the blocks whose movements count
 */
export async function pageOfMovements(
  queries: Queries,
  principal: string,
  { limit, cursor, direction }: MovementQuery,
  bounds: HeightBounds,
): Promise<MovementPage> {
  const lists = await findMovementLists(queries, principal);
  const start = bounds.first === undefined ? NOTHING : await endsOfHeight(queries, lists, bounds.first - 1);
  const last = await lastEnds(queries, lists, bounds.last);
  const named = cursor === undefined ? last : await endsAt(queries, lists, cursor);
  const end = {
    events: Math.min(named.events, last.events),
    txs: Math.min(named.txs, last.txs),
    rewards: Math.min(named.rewards, last.rewards),
  };
  const span = { start, end };
  const { items, next } = await readItems(queries, lists, span, direction === undefined ? limit : MOST_IN_SEARCH);
  const all = await movementsOf(queries, items);
  const wanted = direction === undefined ? all : all.filter(one => directionOf(one, principal) === direction);
  const movements = wanted.slice(0, limit);
  const filled = movements.length === limit ? movements.at(-1) : undefined;
  const following = (filled && items[items.indexOf(filled.item) + 1]) ?? next;
  const [first] = items;
  return {
    current: first ? await movementCursor(queries, first) : null,
    next: following ? await movementCursor(queries, following) : null,
    movements,
  };
}

/** @param principal of the list */
export function directionOf({ item, event }: Pick<Movement, 'item' | 'event'>, principal: string): Direction {
  if (event === undefined) return item.kind === 'fee' ? 'out' : 'in';
  if (event.sender === event.recipient) return 'self';
  return event.sender === principal ? 'out' : 'in';
}

const NOTHING: MovementEnds = { events: 0, txs: 0, rewards: 0 };

/** The ends of the lists up to a height, without entries that only microblocks on the tip have. */
async function lastEnds(queries: Queries, lists: MovementLists, height: number | undefined): Promise<MovementEnds> {
  const hasMicroblocks = (await firstUnanchored(queries)) !== undefined;
  if (height !== undefined || hasMicroblocks)
    return endsOfHeight(queries, lists, height ?? (await countBlocks(queries)));
  return { events: lists.events.length, txs: lists.txs.length, rewards: lists.rewards.length };
}

/** The movements of items; events of locks are no movements. */
async function movementsOf(queries: Queries, items: readonly MovementItem[]): Promise<readonly Movement[]> {
  const eventOf = await eventsNumbered(
    queries,
    items.flatMap(item => (item.kind === 'event' ? [item] : [])),
  );
  return items.flatMap((item): Movement[] => {
    const { stxAfter } = item;
    switch (item.kind) {
      case 'event': {
        const event = eventOf(item.tx, item.event_index);
        if (event === undefined || !isAssetEvent(event)) return [];
        return [{ item, event, amount: event.kind === 'nft' ? 1n : BigInt(event.amount), fee: 0n, stxAfter }];
      }
      case 'fee':
        return [{ item, event: undefined, amount: 0n, fee: item.fee, stxAfter }];
      case 'reward':
        return [{ item, event: undefined, amount: item.amount, fee: 0n, stxAfter }];
      default:
        return item satisfies never;
    }
  });
}

/** The places of movements in the chain: the block, and except for rewards, the transaction. */
export async function placesOfMovements(queries: Queries, movements: readonly Movement[]) {
  const positions = movements.flatMap(({ item }) => (item.kind === 'reward' ? [] : [item.tx]));
  const txs = await allIn<RowOf<typeof TXS, 'seq' | 'tx_id' | 'height'>>(
    queries,
    list => `SELECT seq, tx_id, height FROM txs WHERE seq IN ${list}`,
    [...new Set(positions)],
  );
  const txAt = new Map(txs.map(row => [row.seq, row]));
  const heightOf = ({ item }: Movement) => (item.kind === 'reward' ? item.height : (txAt.get(item.tx)?.height ?? 0));
  const blockAt = await blocksAtHeights(queries, movements.map(heightOf));
  return (movement: Movement) => {
    const { item } = movement;
    const tx = item.kind === 'reward' ? undefined : txAt.get(item.tx);
    return { txId: tx ? toHex(tx.tx_id) : null, block: blockAt.get(heightOf(movement)) };
  };
}
