import { lengthOf, type Span } from '../../../../base/lib/span.ts';
import type { Queries } from '../../../../base/store/database.ts';
import type { RowOf } from '../../../../base/store/table.ts';
import {
  countAnchoredTransactions,
  firstUnanchored,
  greatestLateness,
} from '../../../../index/blocks/canonical-chain.ts';
import type { BLOCKS, LATE_BLOCKS } from '../../../../index/blocks/tables.ts';
import { countTransactions } from '../../../../index/transactions/positions.ts';
import { NO_BURN_BLOCK } from '../../../../index/transactions/record.ts';

/** Spans are ranges of positions among all transactions. In a list of spans each begins after the end of the previous one. */

export const totalLength = (spans: readonly Span[]): number => spans.reduce((total, span) => total + lengthOf(span), 0);

/** The same positions in as few spans as they need. @param spans ascending; none overlaps another */
export function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans) {
    if (span.from >= span.to) continue;
    const last = result.at(-1);
    if (last?.to === span.from) result.splice(-1, 1, { from: last.from, to: span.to });
    else result.push(span);
  }
  return result;
}

/** The positions in some spans that are not in others. */
export function without(spans: readonly Span[], others: readonly Span[]): Span[] {
  return joined(spans.flatMap(span => outside(span, others)));
}

/** The positions that are in both. */
export const shared = (spans: readonly Span[], others: readonly Span[]): Span[] =>
  without(spans, without(spans, others));

function outside({ from, to }: Span, others: readonly Span[]): Span[] {
  const result: Span[] = [];
  let next = from;
  for (const other of others) {
    if (other.to <= next || other.from >= to) continue;
    result.push({ from: next, to: other.from });
    next = other.to;
  }
  return [...result, { from: next, to }];
}

/** A range of transactions by time, in Unix seconds of the burn block, bounds included; without a bound it is open. */
export interface TimeRange {
  readonly start_time?: number;
  readonly end_time?: number;
  /** Whether to include unanchored transactions. */
  readonly unanchored: boolean;
}

/**
 * Positions of the transactions of a time range; undefined for all. A transaction has the time of its burn block. These times nearly follow the order of
 * the chain, so a range is one span with some small ones near its ends.
 */
export async function spansOf(
  queries: Queries,
  { start_time, end_time, unanchored }: TimeRange,
): Promise<readonly Span[] | undefined> {
  if (start_time === undefined && end_time === undefined) return unanchored ? undefined : anchoredSpan(queries);
  const anchored = await countAnchoredTransactions(queries);
  // Integers above the largest safe one are not exact: such a bound counts as no bound.
  const isBounded = end_time !== undefined && end_time < Number.MAX_SAFE_INTEGER;
  const untilEnd = isBounded ? await spansBefore(queries, end_time + 1, anchored) : [{ from: 0, to: anchored }];
  const beforeStart = start_time === undefined ? [] : await spansBefore(queries, start_time, anchored);
  const spans = without(untilEnd, beforeStart);
  const isInside = (start_time ?? NO_BURN_BLOCK) <= NO_BURN_BLOCK && NO_BURN_BLOCK <= (end_time ?? NO_BURN_BLOCK);
  if (!unanchored || !isInside) return spans;
  return joined([...spans, { from: anchored, to: await countTransactions(queries) }]);
}

/** Only epochs 2.0 to 2.4 have unanchored microblocks; without them there is nothing to leave out. */
async function anchoredSpan(queries: Queries): Promise<readonly Span[] | undefined> {
  const end = await firstUnanchored(queries);
  return end === undefined ? undefined : joined([{ from: 0, to: end }]);
}

/**
 * Positions of the transactions of blocks whose burn block has an earlier time: all below the first block up to which
 * the highest time is not earlier, and of those above it the late ones. As the greatest lateness is known, only blocks
 * within that distance of the highest time are read.
 */
export async function spansBefore(queries: Queries, time: number, anchored: number): Promise<readonly Span[]> {
  const first = await queries.get<RowOf<typeof BLOCKS, 'first_tx'>>(
    'SELECT first_tx FROM blocks WHERE high_time >= ? ORDER BY high_time, seq LIMIT 1',
    [time],
  );
  if (!first) return [{ from: 0, to: anchored }];
  const late = await queries.all<RowOf<typeof LATE_BLOCKS, 'first_tx' | 'tx_rows'>>(
    `SELECT first_tx, tx_rows FROM late_blocks WHERE high_time >= ? AND high_time <= ? AND burn_time < ?
      ORDER BY high_time, seq`,
    [time, Math.min(Math.max(time - 1, 0) + (await greatestLateness(queries)), Number.MAX_SAFE_INTEGER), time],
  );
  const above = late.map(({ first_tx, tx_rows }) => ({ from: first_tx, to: first_tx + tx_rows }));
  return joined([{ from: 0, to: first.first_tx }, ...above]);
}
