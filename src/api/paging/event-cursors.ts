/** Cursors of rows that come from events (docs/spec/cursors.md#places-of-events). */
import type { Queries } from '../../base/store/database.ts';
import { type ChainPosition, chainPositionsOf, compareChainPositions, countUpTo, numbersOf } from './chain-position.ts';
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

/** The cursors of events as version 2 writes them, by `seq`: without a number for two transactions of one place. */
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

/**
 * The row that a cursor names, or the first row after its place, in a list that has the newest first.
 * @param isListed whether the list has events of the transaction of this position
 */
export async function startOfEventCursor(
  queries: Queries,
  cursor: string,
  isListed: (tx: number) => Promise<boolean>,
): Promise<EventPlace> {
  const [height = 0, sequence = 0, index = 0, event, further = 0] = numbersOf(cursor);
  if (event === undefined) {
    return { tx: (await endOfCursor(queries, cursor, isListed)) - 1, event_index: Number.MAX_SAFE_INTEGER };
  }
  const wanted: ChainPosition = [height, sequence, index];
  const tx = (await countUpTo(queries, wanted)) - 1 - further;
  const place = (await chainPositionsOf(queries, [tx])).get(tx);
  const isThere = place !== undefined && compareChainPositions(place, wanted) === 0;
  return { tx, event_index: isThere ? event : Number.MAX_SAFE_INTEGER };
}
