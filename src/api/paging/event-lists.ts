/** Lists of events, and their pages in version 3: the newest first, with cursors of events (docs/spec/cursors.md#places-of-events). */
import type { Queries, Row } from '../../base/store/database.ts';
import { halve } from '../../ingest/indexer/halving.ts';
import { findList, type List } from '../../ingest/indexer/lists.ts';
import type { ListKind } from '../../ingest/indexer/tables.ts';
import { type CursorPage, type CursorQuery, pageFrom } from './cursor-page.ts';
import { type EventPlace, eventCursor, type IsListed, startOfEventCursor } from './event-cursors.ts';

/**
 * A page of a list whose entries have the columns `tx` and `event_index`, in chain order.
 * @param columns further columns of an entry, after a comma
 */
export async function pageOfEvents<R extends Row & EventPlace>(
  queries: Queries,
  kind: ListKind,
  name: string,
  { cursor, limit }: CursorQuery,
  columns = '',
): Promise<CursorPage<R>> {
  const list = (await findList(queries, kind, name)) ?? { id: -1, length: 0 };
  const { id, length } = list;
  const countUpTo = (place: EventPlace) => entriesUpTo(queries, kind, list, place);
  const end = cursor === undefined ? length : await countUpToEventCursor(queries, countUpTo, cursor);
  const rows = (from: number, to: number) =>
    queries.all<R>(
      `SELECT tx, event_index${columns} FROM ${kind.entries.name}
        WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq DESC`,
      [id, length - to, length - from],
    );
  const cursors = (some: readonly R[]) => Promise.all(some.map(row => eventCursor(queries, row)));
  return pageFrom({ length, rows, cursors }, length - end, limit);
}

/** The same for events that a search found. @param places in chain order */
export async function pageOfFoundEvents(
  queries: Queries,
  places: readonly EventPlace[],
  { cursor, limit }: CursorQuery,
): Promise<CursorPage<EventPlace>> {
  const { length } = places;
  const countUpTo = (last: EventPlace) => {
    const end = places.findIndex(
      ({ tx, event_index }) => tx > last.tx || (tx === last.tx && event_index > last.event_index),
    );
    return end < 0 ? length : end;
  };
  const end = cursor === undefined ? length : await countUpToEventCursor(queries, countUpTo, cursor);
  const rows = async (from: number, to: number) => places.slice(length - to, length - from).reverse();
  const cursors = (some: readonly EventPlace[]) => Promise.all(some.map(row => eventCursor(queries, row)));
  return pageFrom({ length, rows, cursors }, length - end, limit);
}

/** The number of entries up to the row that a cursor names, included. @param countUpTo likewise, up to a place */
async function countUpToEventCursor(
  queries: Queries,
  countUpTo: (place: EventPlace) => number | Promise<number>,
  cursor: string,
): Promise<number> {
  const isListed: IsListed = async (tx, last) =>
    (await countUpTo({ tx, event_index: -1 })) < (await countUpTo({ tx, event_index: last }));
  return countUpTo(await startOfEventCursor(queries, cursor, isListed));
}

const UP_TO_EVENT = 'e.tx < search.tx OR (e.tx = search.tx AND e.event_index <= search.event_index)';

/** Number of entries of such a list up to an event, from earlier transactions or from the same transaction. */
export async function entriesUpTo(
  queries: Queries,
  { entries }: ListKind,
  { id, length }: List,
  { tx, event_index }: EventPlace,
): Promise<number> {
  const halving = { entries, bounds: ['tx', 'event_index'], isBefore: UP_TO_EVENT } as const;
  const [count = 0] = await halve(queries, halving, [{ list: id, from: 0, to: length, bounds: { tx, event_index } }]);
  return count;
}
