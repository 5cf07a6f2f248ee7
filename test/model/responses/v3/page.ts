import { type ApiResponse, failed, numberOf, ok } from '../../route.ts';
import { sequenceOf } from '../../transactions.ts';
import type { Tx, World } from '../../world.ts';

/** A page of version 3 by the rule of docs/spec/cursors.md, over rows in their order. @param first the number of its first row */
export function cursorPage<T>(
  rows: readonly T[],
  cursors: readonly string[],
  first: number,
  limit: number,
  served: (row: T) => unknown,
) {
  const at = (row: number): string | null => cursors[row] ?? null;
  const from = Math.min(first, rows.length);
  return {
    total: rows.length,
    limit,
    cursor: { next: at(from + limit), previous: from === 0 ? null : at(Math.max(0, from - limit)), current: at(from) },
    results: rows.slice(from, from + limit).map(served),
  };
}

type Place = readonly number[];

export const placeOf = (tx: Tx): Place => [tx.block.height, sequenceOf(tx), tx.index];

/** Numbers of cursors, the greatest first. */
export function comparePlaces(a: Place, b: Place): number {
  const different = a.findIndex((part, i) => part !== b[i]);
  return different < 0 ? 0 : (b[different] ?? 0) - (a[different] ?? 0);
}

/** The cursors of transactions: one that has its place after another among all of them has a fourth number. */
export function placeCursors({ txs }: World, rows: readonly Tx[]): string[] {
  return rows.map(tx => {
    const sharing = txs.filter(other => comparePlaces(placeOf(other), placeOf(tx)) === 0).reverse();
    const further = sharing.indexOf(tx);
    return [...placeOf(tx), ...(further > 0 ? [further] : [])].join(':');
  });
}

/** The transaction of these, the newest first, that a cursor names. */
export function firstOfPlace(world: World, rows: readonly Tx[], cursor: string): number {
  const [height = 0, sequence = 0, index = 0, further = 0] = cursor.split(':').map(Number);
  const isRow = rows.some(tx => comparePlaces(placeOf(tx), [height, 0, 0]) === 0);
  const wanted = sequence === 0 && index === 0 && !isRow ? [height, Infinity, Infinity] : [height, sequence, index];
  const all = world.txs.toReversed();
  const start = all.findIndex(tx => comparePlaces(placeOf(tx), wanted) >= 0);
  const behind = new Set(start < 0 ? [] : all.slice(start + (wanted[1] === Infinity ? 0 : further)));
  const found = rows.findIndex(tx => behind.has(tx));
  return found < 0 ? rows.length : found;
}

/** The row that a cursor names: the first for which the condition holds. */
export const firstOf = <Row>(rows: readonly Row[], isFrom: (row: Row) => boolean): number => {
  const found = rows.findIndex(isFrom);
  return found < 0 ? rows.length : found;
};

/** An event: its transaction, and its number in that. */
interface EventPlace {
  readonly tx: Tx;
  readonly index: number;
}

/** What events made, the newest first, by their cursors. */
export function eventsPage<Row>(
  world: World,
  newest: readonly Row[],
  placeOfRow: (row: Row) => EventPlace,
  query: URLSearchParams,
  served: (row: Row) => unknown,
  limit = 20,
): ApiResponse {
  const prints = newest.map(placeOfRow);
  const cursors = prints.map(({ tx, index }) => {
    const [height, sequence, txIndex, ...further] = (placeCursors(world, [tx])[0] ?? '').split(':');
    return [height, sequence, txIndex, index, ...further].join(':');
  });
  const cursor = query.get('cursor');
  if (cursor !== null && isOutOfRange(cursor)) return failed(400);
  const first = cursor === null ? 0 : firstOfEvent(world, prints, cursor);
  return ok(cursorPage(newest, cursors, first, numberOf(query, 'limit', limit), served));
}

/** Whether the cursor of an event has a number above those that places can have. */
function isOutOfRange(cursor: string): boolean {
  const numbers = cursor.split(':').map(Number);
  return numbers.length > 3 && ((numbers[2] ?? 0) > 32767 || numbers.some(number => number > 2147483647));
}

/** The row of these, the newest first, that a cursor names (docs/spec/cursors.md#places-of-events). */
function firstOfEvent(world: World, prints: readonly EventPlace[], cursor: string): number {
  const [height = 0, sequence = 0, index = 0, event, further = 0] = cursor.split(':').map(Number);
  if (event === undefined) {
    const txs = prints.map(({ tx }) => tx);
    return firstOfPlace(world, txs, cursor);
  }
  const isRow = prints.some(print => comparePlaces([...placeOf(print.tx), print.index], [height, 0, 0, 0]) === 0);
  if (/^[0-9]+:0+:0+:0+$/.test(cursor) && !isRow) return firstOf(prints, ({ tx }) => tx.block.height <= height);
  const place = [height, sequence, index];
  const all = world.txs.toReversed();
  const at = all.findIndex(tx => comparePlaces(placeOf(tx), place) >= 0);
  const start = at < 0 ? all.length : at + further;
  const tx = all[start];
  const isThere = tx !== undefined && comparePlaces(placeOf(tx), place) === 0;
  return firstOf(prints, print => {
    const position = all.indexOf(print.tx);
    return position > start || (position === start && (!isThere || print.index <= event));
  });
}
