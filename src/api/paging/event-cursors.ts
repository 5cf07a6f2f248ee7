/** Cursors of rows that come from events (docs/spec/cursors.md#places-of-events). */
import type { Queries } from '../../base/store/database.ts';
import { invalidParameter } from '../http/errors.ts';
import {
  type ChainPosition,
  chainPositionsOf,
  compareChainPositions,
  countUpTo,
  numbersOf,
  spanOfHeight,
} from './chain-position.ts';
import { endOfCursor, placeCursors } from './transaction-cursors.ts';

/** `height:microblock sequence:index`, as lists of transactions have, and the event. */
export const EVENT_CURSOR = '^[0-9]+(:[0-9]+){2,4}$';

/** The place of an event: the position of its transaction among all, and its index in the transaction. */
export interface EventPlace {
  readonly tx: number;
  readonly event_index: number;
}

/** The cursor of an event. */
export async function eventCursor(queries: Queries, { tx, event_index }: EventPlace): Promise<string> {
  const place = (await chainPositionsOf(queries, [tx])).get(tx);
  if (!place) throw new Error(`transaction ${tx} is not there`);
  const [cursor = ''] = await placeCursors(queries, [{ tx, place }]);
  const [height, sequence, index, ...further] = cursor.split(':');
  return [height, sequence, index, event_index, ...further].join(':');
}

/** The cursors of events in version 2, by `seq`: two transactions of one place have the same. */
export async function eventCursorsV2(
  queries: Queries,
  events: readonly (EventPlace & { readonly seq: number })[],
): Promise<Map<number, string>> {
  const places = await chainPositionsOf(
    queries,
    events.map(({ tx }) => tx),
  );
  return new Map(events.map(({ seq, tx, event_index }) => [seq, [...(places.get(tx) ?? []), event_index].join(':')]));
}

/** Whether a list has an event of the transaction at this position, up to the event of this number. */
export type IsListed = (tx: number, last: number) => boolean | Promise<boolean>;

/** Above the number of every event. */
const LAST = Number.MAX_SAFE_INTEGER;

/** The greatest numbers of the cursor of an event, as the hosted API has them. */
const [GREATEST, GREATEST_INDEX] = [2_147_483_647, 32_767];

/**
 * The row that a cursor names, or the first row after its place, in a list with the newest row first. `height:0:0:0` and `height:0:0` name the newest
 * row of that height, unless the list has a row at exactly this place.
 * @throws ApiError 400 for the cursor of an event with a number that no place can have
 */
export async function startOfEventCursor(queries: Queries, cursor: string, isListed: IsListed): Promise<EventPlace> {
  const numbers = numbersOf(cursor);
  const [height = 0, sequence = 0, index = 0, event] = numbers;
  if (event === undefined) {
    const end = await endOfCursor(queries, cursor, tx => isListed(tx, LAST));
    return { tx: end - 1, event_index: LAST };
  }
  if (index > GREATEST_INDEX || numbers.some(number => number > GREATEST)) {
    throw invalidParameter(`Cursor value out of range: ${cursor}`);
  }
  const place = await placeOfEventCursor(queries, cursor);
  const namesBlock = numbers.length === 4 && sequence === 0 && index === 0 && event === 0;
  if (!namesBlock || (place.event_index === 0 && (await isListed(place.tx, 0)))) return place;
  return { tx: (await spanOfHeight(queries, height)).to - 1, event_index: LAST };
}

/** The place that the cursor of an event names, taken literally, or the one before it in the chain. */
export async function placeOfEventCursor(queries: Queries, cursor: string): Promise<EventPlace> {
  const [height = 0, sequence = 0, index = 0, event = 0, further = 0] = numbersOf(cursor);
  const wanted: ChainPosition = [height, sequence, index];
  const tx = (await countUpTo(queries, wanted)) - 1 - further;
  const place = (await chainPositionsOf(queries, [tx])).get(tx);
  const isThere = place !== undefined && compareChainPositions(place, wanted) === 0;
  return { tx, event_index: isThere ? event : LAST };
}
