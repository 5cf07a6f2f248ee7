import type { Condition } from './matches.ts';
import type { TransactionQuery } from './query.ts';
import type { Span } from './spans.ts';

/** The spans of a time range (time-spans.ts); undefined where that is everything. */
type Spans = readonly Span[] | undefined;
type TimeRange = Pick<TransactionQuery, 'start_time' | 'end_time'>;

/** Within a time range. @param column of txs (as `t`); with a sign before it no engine reads its index for that */
export function inTime({ start_time, end_time }: TimeRange, column: 't.burn_time' | '+t.burn_time'): Condition[] {
  const conditions: Condition[] = [];
  if (start_time) conditions.push({ sql: `${column} >= ?`, params: [start_time] });
  if (end_time) conditions.push({ sql: `${column} <= ?`, params: [end_time] });
  return conditions;
}

/** Not above the spans, where unanchored transactions are. The sign keeps the engine from walking through all below. */
export function notAbove(spans: Spans): Condition[] {
  const last = spans?.at(-1);
  return last ? [{ sql: '+t.seq < ?', params: [last.to] }] : [];
}

/** Within spans. What is between them is little, and told by its time: so a statement is as short for many as for one. */
export function within(range: TimeRange, spans: Spans): Condition[] {
  const [first, last] = [spans?.[0], spans?.at(-1)];
  if (!first || !last) return [];
  return [{ sql: 't.seq >= ? AND t.seq < ?', params: [first.from, last.to] }, ...inHull(range, spans)];
}

/** The same for what is neither below the first span nor above the last one. */
export const inHull = (range: TimeRange, spans: Spans): Condition[] =>
  spans && spans.length > 1 ? inTime(range, '+t.burn_time') : [];
