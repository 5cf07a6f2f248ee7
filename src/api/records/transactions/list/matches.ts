import { lengthOf, type Span } from '../../../../base/lib/span.ts';
import type { Queries, Row, SqlValue } from '../../../../base/store/database.ts';
import { LIST_TXS } from '../../../../index/transactions/tables.ts';
import { positionsOf, type Slice } from '../../../../ingest/indexer/lists.ts';
import type { RowBudget } from '../../../http/long-reads.ts';
import { slicedEntries } from '../queries.ts';
import type { ListPart } from './list-parts.ts';
import type { TimeRange } from './spans.ts';

/** A condition on the columns of txs (as `t`). */
export interface Condition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/**
 * The places of a search: entries of any of these parts of lists, or of all transactions. No two places share an entry.
 */
interface TransactionSearch {
  readonly places: readonly (ListPart | Span)[];
  readonly conditions: readonly Condition[];
}

/** A found transaction: its position among all, and its sort key. */
interface Match {
  readonly position: number;
  readonly key: bigint;
}

/** The columns that have the orders of getTransactionListV1. */
const SORTED = { block_height: 't.seq', burn_block_time: 't.burn_time', fee: 't.fee' } as const;

/** All matches of a search. Reads every entry of the places, from the budget. */
export async function findMatches(
  queries: Queries,
  budget: RowBudget,
  { places, conditions }: TransactionSearch,
  sortBy: keyof typeof SORTED,
): Promise<Match[]> {
  const matches: Match[] = [];
  budget.require(places.reduce((total, place) => total + lengthOfPlace(place), 0));
  for (const place of places) {
    const end = lengthOfPlace(place);
    for (let from = 0; from < end; ) {
      const rows = await budget.take(end - from);
      const part = partOf(place, from, rows, `t.seq, ${SORTED[sortBy]} AS key`);
      const where = conditions.map(condition => ` AND ${condition.sql}`).join('');
      const params = [...part.params, ...conditions.flatMap(condition => condition.params)];
      for (const { seq, key } of await queries.all<MatchRow>(part.sql + where, params))
        matches.push({ position: seq, key: keyOf(key) });
      from += rows;
    }
  }
  return matches;
}

interface MatchRow extends Row {
  readonly seq: number;
  readonly key: number | Uint8Array;
}

/** At least 0 and below 2^64: a fee is 8 bytes, big-endian; a transaction without a time has -1. */
const keyOf = (key: number | Uint8Array): bigint =>
  typeof key === 'number' ? BigInt(key + 1) : Buffer.from(key.buffer, key.byteOffset, key.length).readBigUInt64BE();

const lengthOfPlace = (place: ListPart | Span): number => ('list' in place ? place.length : lengthOf(place));

/** The statement that reads a number of entries of a place; further conditions can be added at its end. */
function partOf(place: ListPart | Span, from: number, rows: number, columns: string): Condition {
  const begin = place.from + from;
  const end = begin + rows;
  if (!('list' in place))
    return { sql: `SELECT ${columns} FROM txs t WHERE t.seq >= ? AND t.seq < ?`, params: [begin, end] };
  const entries = slicedEntries(LIST_TXS, 'asc', rows);
  const sql = `SELECT ${columns} FROM ${entries} e JOIN txs t ON t.seq = e.tx WHERE 1 = 1`;
  return { sql, params: [place.list, begin, end] };
}

/** Positions of the transactions of a page; those with the same key are in chain order. */
export function positionsOfPage(matches: readonly Match[], slice: Slice): number[] {
  const { from, to } = positionsOf(slice, matches.length);
  if (from >= to) return [];
  // Sorting numbers is much faster than sorting matches, so the keys alone are sorted first: few matches have a key of the page.
  const keys = BigUint64Array.from(matches, ({ key }) => key).sort();
  const [first = 0n, last = 0n] = [keys[from], keys[to - 1]];
  const near = matches.filter(({ key }) => first <= key && key <= last);
  const sorted = near.sort((a, b) => (a.key === b.key ? a.position - b.position : a.key < b.key ? -1 : 1));
  const page = sorted.slice(from - keys.indexOf(first), to - keys.indexOf(first)).map(({ position }) => position);
  return slice.order === 'asc' ? page : page.reverse();
}

/** The spans of a time range (spans.ts); undefined where that is everything. */
type Spans = readonly Span[] | undefined;
type Times = Pick<TimeRange, 'start_time' | 'end_time'>;

/** The condition to be within a time range. The sign before the column keeps both engines from using the index of times. */
function inTime({ start_time, end_time }: Times): Condition[] {
  const conditions: Condition[] = [];
  if (start_time) conditions.push({ sql: '+t.burn_time >= ?', params: [start_time] });
  if (end_time) conditions.push({ sql: '+t.burn_time <= ?', params: [end_time] });
  return conditions;
}

/**
 * The condition by which a search from the first to the last of some spans leaves out the transactions between spans: their time excludes them, and there
 * are few. So a statement for many spans is as short as for one.
 */
export const inHull = (range: Times, spans: Spans): Condition[] => (spans && spans.length > 1 ? inTime(range) : []);
