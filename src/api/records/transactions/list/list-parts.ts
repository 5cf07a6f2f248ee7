import { lengthOf, type Span } from '../../../../base/lib/span.ts';
import type { Queries } from '../../../../base/store/database.ts';
import type { KeyOf, RowOf } from '../../../../base/store/table.ts';
import { LIST_TXS } from '../../../../index/transactions/tables.ts';
import { halve } from '../../../../ingest/indexer/halving.ts';
import { type List, positionsOf, type Slice } from '../../../../ingest/indexer/lists.ts';
import { type RecordRow, records, recordsInOrder, slicedEntries } from '../queries.ts';

/** Entries of a list of transactions, from a position in it on. */
export interface ListPart {
  readonly list: number;
  readonly from: number;
  readonly length: number;
}

export const lengthOfParts = (parts: readonly ListPart[]): number =>
  parts.reduce((total, { length }) => total + length, 0);

/**
 * The parts of lists within spans of the list of all transactions, by list, one for each span. Entries are in chain order, so those of a span are
 * consecutive.
 */
export async function partsWithin(
  queries: Queries,
  lists: readonly List[],
  spans: readonly Span[],
): Promise<Map<number, readonly ListPart[]>> {
  const bounds = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].filter(bound => bound > 0);
  const before = await entriesBefore(queries, lists, bounds);
  const place = (list: number, bound: number) => before.get(list)?.get(bound) ?? 0;
  return new Map(
    lists.map(({ id }) => {
      const ends = spans.map(span => ({ from: place(id, span.from), to: place(id, span.to) }));
      return [id, ends.map(({ from, to }) => ({ list: id, from, length: to - from }))];
    }),
  );
}

/** For each list the part from its first entry in these stretches to its last one. */
export function hullOf(stretches: readonly (readonly ListPart[])[]): ListPart[] {
  const hulls = new Map<number, ListPart>();
  for (const { list, from, length } of stretches.flat()) {
    const first = hulls.get(list)?.from ?? from;
    hulls.set(list, { list, from: first, length: from + length - first });
  }
  return [...hulls.values()];
}

const BEFORE_TX = { entries: LIST_TXS, bounds: ['tx'], isBefore: 'e.tx < search.tx' } as const;

/** The number of entries of each list whose transactions come before each position among all. */
async function entriesBefore(
  queries: Queries,
  lists: readonly List[],
  positions: readonly number[],
): Promise<Map<number, Map<number, number>>> {
  const searches = lists.flatMap(({ id, length }) =>
    positions.map(tx => ({ list: id, from: 0, to: length, bounds: { tx } })),
  );
  const counts = await halve(queries, BEFORE_TX, searches);
  const found = new Map(lists.map(({ id }) => [id, new Map<number, number>()]));
  searches.forEach(({ list, bounds: { tx } }, i) => {
    found.get(list)?.set(tx, counts[i] ?? 0);
  });
  return found;
}

/** The records of a slice of a part of a list. */
async function recordsOfPart(queries: Queries, part: ListPart, slice: Slice): Promise<string[]> {
  const { from, to } = positionsOf(slice, part.length);
  const entries = slicedEntries(LIST_TXS, slice.order, to - from);
  return records(
    await queries.all<RecordRow>(
      `SELECT t.record FROM ${entries} e JOIN txs t ON t.seq = e.tx ORDER BY e.seq ${slice.order}`,
      [part.list, part.from + from, part.from + to],
    ),
  );
}

/** The transactions that a slice of a part of a list has, by position among all. */
async function entriesOf(queries: Queries, part: ListPart, slice: Slice): Promise<number[]> {
  const { from, to } = positionsOf(slice, part.length);
  const rows = await queries.all<RowOf<typeof LIST_TXS, 'tx'>>(
    `SELECT tx FROM list_txs WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq ${slice.order}`,
    [part.list, part.from + from, part.from + to],
  );
  return rows.map(({ tx }) => tx);
}

/** A page of the transactions within spans, in chain order. */
export async function pageOfSpans(queries: Queries, spans: readonly Span[], slice: Slice): Promise<string[]> {
  return recordsInOrder(queries, await positionsInSpans(spans, slice));
}

/** The positions that this page has. */
export function positionsInSpans(spans: readonly Span[], slice: Slice): Promise<number[]> {
  return sliceOfAll(spans, lengthOf, slice, async (span, part) => {
    const { from, to } = positionsOf(part, lengthOf(span));
    const ascending = Array.from({ length: to - from }, (_, i) => span.from + from + i);
    return part.order === 'asc' ? ascending : ascending.reverse();
  });
}

/**
 * A page of stretches, in chain order: parts of lists that share no transaction. All entries of a stretch come before
 * all entries of the next one.
 */
export async function pageOfStretches(
  queries: Queries,
  stretches: readonly (readonly ListPart[])[],
  slice: Slice,
): Promise<string[]> {
  const [only, ...others] = stretches.flat();
  if (only && others.length === 0) return recordsOfPart(queries, only, slice);
  return recordsInOrder(queries, await positionsInStretches(queries, stretches, slice));
}

/** The positions that this page has. */
export function positionsInStretches(
  queries: Queries,
  stretches: readonly (readonly ListPart[])[],
  slice: Slice,
): Promise<number[]> {
  return sliceOfAll(stretches, lengthOfParts, slice, (parts, part) => mergedPositions(queries, parts, part));
}

/** A slice of several lists in a row, each of which can be sliced. */
async function sliceOfAll<T>(
  all: readonly T[],
  lengthOfOne: (one: T) => number,
  { order, offset, limit }: Slice,
  slice: (one: T, slice: Slice) => Promise<number[]>,
): Promise<number[]> {
  const positions: number[] = [];
  let before = 0;
  for (const one of order === 'asc' ? all : all.toReversed()) {
    const length = lengthOfOne(one);
    const left = limit - positions.length;
    const passed = Math.max(0, offset - before);
    if (left > 0 && passed < length) positions.push(...(await slice(one, { order, offset: passed, limit: left })));
    before += length;
  }
  return positions;
}

/** A part of a list, and how many of its first entries (in the order of the page) are skipped. */
interface Passed {
  readonly part: ListPart;
  passed: number;
}

/**
 * The transactions of a slice of several parts, merged into one list. Of the entries before the slice it reads only some: their number grows with the
 * logarithm of the offset.
 */
async function mergedPositions(queries: Queries, parts: readonly ListPart[], slice: Slice): Promise<number[]> {
  const [only, ...others] = parts;
  if (only && others.length === 0) return entriesOf(queries, only, slice);
  const { order, limit } = slice;
  const heads = parts.map(part => ({ part, passed: 0 }));
  const left = await passOver(queries, heads, slice);
  const candidates: number[] = [];
  for (const { part, passed } of heads) {
    candidates.push(...(await entriesOf(queries, part, { order, offset: passed, limit: left + limit })));
  }
  return candidates.sort((a, b) => (order === 'asc' ? a - b : b - a)).slice(left, left + limit);
}

/**
 * Skips entries before the page, and returns how many are left to skip: fewer than there are parts. Of `n` parts, it
 * reads in each the entry an n-th of the way ahead. The one among them that comes first in the order of the page has at
 * most as many entries before it, in all parts together, as are to be skipped: so its part can be skipped up to it.
 */
async function passOver(queries: Queries, heads: Passed[], { order, offset }: Slice): Promise<number> {
  for (let left = offset; ; ) {
    const open = heads.filter(({ part, passed }) => passed < part.length);
    const step = Math.floor(left / open.length);
    if (open.length === 0 || step === 0) return left;
    const ahead = open.map(head => ({ head, count: Math.min(step, head.part.length - head.passed) }));
    const places = ahead.map(({ head: { part, passed }, count }) => ({
      list: part.list,
      seq: part.from + positionsOf({ order, offset: passed + count - 1, limit: 1 }, part.length).from,
    }));
    const found = await entriesAt(queries, places);
    const [first] = ahead
      .map(({ head, count }) => ({ head, count, tx: found.get(head.part.list) ?? 0 }))
      .sort((a, b) => (order === 'asc' ? a.tx - b.tx : b.tx - a.tx));
    if (!first) return left;
    first.head.passed += first.count;
    left -= first.count;
  }
}

/** One entry of each list, by the identifier of the list. */
async function entriesAt(queries: Queries, places: readonly KeyOf<typeof LIST_TXS>[]): Promise<Map<number, number>> {
  const rows = await queries.all<RowOf<typeof LIST_TXS, 'list' | 'tx'>>(
    `SELECT list, tx FROM list_txs WHERE ${places.map(() => '(list = ? AND seq = ?)').join(' OR ')}`,
    places.flatMap(({ list, seq }) => [list, seq]),
  );
  return new Map(rows.map(({ list, tx }) => [list, tx]));
}
