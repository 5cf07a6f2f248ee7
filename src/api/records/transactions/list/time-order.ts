import type { Span } from '../../../../base/lib/span.ts';
import type { Queries } from '../../../../base/store/database.ts';
import { allIn } from '../../../../base/store/in-list.ts';
import type { RowOf } from '../../../../base/store/table.ts';
import { countAnchoredTransactions } from '../../../../index/blocks/canonical-chain.ts';
import { countTransactions } from '../../../../index/transactions/positions.ts';
import type { TXS } from '../../../../index/transactions/tables.ts';
import { positionsOf } from '../../../../ingest/indexer/lists.ts';
import { recordsInOrder } from '../queries.ts';
import type { TransactionQuery } from './filters.ts';
import { type Selected, type Selection, selectedWithin } from './selection.ts';
import { without } from './spans.ts';
import { Timeline } from './timeline.ts';

/**
 * A page by time, equal times in chain order; `desc` reverses both. It searches the times of its first and last transaction and reads only the rows
 * between them, so deep pages are hardly slower.
 */
export async function pageByTime(queries: Queries, query: TransactionQuery, selection: Selection): Promise<string[]> {
  const { from, to } = positionsOf(query, selection.length);
  const positions = await sortedByTime(queries, await positionsBetween(queries, selection, from, to));
  return recordsInOrder(queries, query.order === 'asc' ? positions : positions.reverse());
}

/**
 * The transactions at the places [from, to) in the order of time. Unanchored transactions have no time yet, and come first.
 */
async function positionsBetween(queries: Queries, { filter, spans }: Selection, from: number, to: number) {
  const anchored = await countAnchoredTransactions(queries);
  const all = spans ?? [{ from: 0, to: await countTransactions(queries) }];
  const selected = (some: readonly Span[]) => selectedWithin(queries, filter, some);
  const timeless = await selected(without(all, [{ from: 0, to: anchored }]));
  const timed = without(all, [{ from: anchored, to: Number.MAX_SAFE_INTEGER }]);
  const timeline = new Timeline(queries, selected, timed, anchored);
  const place = (n: number) => Math.max(0, n - timeless.length);
  return [...(await timeless.slice(from, to)), ...(await timedBetween(timeline, place(from), place(to)))];
}

/** Some of the first time, all that is between, and some of the last time. */
async function timedBetween(timeline: Timeline, from: number, to: number): Promise<number[]> {
  if (from >= to) return [];
  const first = await timeline.timeAt(from);
  const last = await timeline.timeAt(to - 1);
  const parts =
    first === last
      ? [[first, first]]
      : [
          [first, first],
          [first + 1, last - 1],
          [last, last],
        ];
  const positions: number[] = [];
  for (const [begin = first, end = last] of parts) {
    const before = await timeline.countUntil(begin - 1);
    const part: Selected = await timeline.between(begin, end);
    positions.push(...(await part.slice(from - before, to - before)));
  }
  return positions;
}

async function sortedByTime(queries: Queries, positions: readonly number[]): Promise<number[]> {
  const rows = await allIn<RowOf<typeof TXS, 'seq' | 'burn_time'>>(
    queries,
    list => `SELECT seq, burn_time FROM txs WHERE seq IN ${list}`,
    positions,
  );
  return rows.sort((a, b) => a.burn_time - b.burn_time || a.seq - b.seq).map(({ seq }) => seq);
}
