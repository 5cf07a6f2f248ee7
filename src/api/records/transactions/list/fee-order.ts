import type { Queries } from '../../../../base/store/database.ts';
import type { RowOf } from '../../../../base/store/table.ts';
import type { TXS } from '../../../../index/transactions/tables.ts';
import type { Slice } from '../../../../ingest/indexer/lists.ts';
import type { RowBudget } from '../../../http/long-reads.ts';
import { recordsInOrder } from '../queries.ts';
import type { Condition } from './matches.ts';

/**
 * A page of the transactions of some types by fee, equal fees in chain order; `desc` turns both around. An index has
 * each type in this order; rows before the page are skipped, from the budget. @param conditions on the columns of txs
 * (as `t`)
 */
export async function pageAlongFees(
  queries: Queries,
  budget: RowBudget,
  types: readonly number[],
  conditions: readonly Condition[],
  slice: Slice,
): Promise<string[]> {
  const end = slice.offset + slice.limit;
  if (conditions.length === 0 && end <= NEAR) return recordsInOrder(queries, await nearPage(queries, types, slice));
  const streams = types.map(type => feesOf(queries, budget, { type, conditions, order: slice.order }));
  const positions: number[] = [];
  let passed = 0;
  for await (const part of merged(streams, slice.order)) {
    positions.push(...part.slice(Math.max(0, slice.offset - passed), end - passed));
    passed += part.length;
    if (passed >= end) break;
  }
  return recordsInOrder(queries, positions);
}

/** Pages without conditions that end here or before cost one statement. */
export const NEAR = 256;

/** With a limit that is a power of two few statement texts serve all sizes; without one PostgreSQL sorts all there is of a type. */
async function nearPage(
  queries: Queries,
  types: readonly number[],
  { order, limit, offset }: Slice,
): Promise<number[]> {
  const most = 2 ** Math.ceil(Math.log2(Math.max(1, offset + limit)));
  const ofType = `SELECT fee, seq FROM (SELECT t.fee, t.seq FROM txs t WHERE t.type = ?
    ORDER BY t.fee ${order}, t.seq ${order} LIMIT ${most}) AS of_type`;
  const rows = await queries.all<RowOf<typeof TXS, 'seq'>>(
    `${types.map(() => ofType).join(' UNION ALL ')} ORDER BY fee ${order}, seq ${order} LIMIT ? OFFSET ?`,
    [...types, limit, offset],
  );
  return rows.map(({ seq }) => seq);
}

/** So many times the rows of a page are read where some of them may be hidden. */
const SPARE = 4;

/**
 * A page that ends within NEAR, of the transactions before a position alone. Reads a few times the rows of the page of each type, in one statement.
 * @returns positions; undefined where these rows do not decide the page, as most of them are not before that position
 */
export async function nearPageBefore(
  queries: Queries,
  types: readonly number[],
  { order, limit, offset }: Slice,
  before: number,
): Promise<number[] | undefined> {
  const end = offset + limit;
  const most = SPARE * 2 ** Math.ceil(Math.log2(Math.max(1, end)));
  const ofType = `SELECT type, fee, seq FROM (SELECT t.type, t.fee, t.seq FROM txs t WHERE t.type = ?
    ORDER BY t.fee ${order}, t.seq ${order} LIMIT ${most}) AS of_type`;
  const rows = await queries.all<RowOf<typeof TXS, 'type' | 'seq'>>(
    `${types.map(() => ofType).join(' UNION ALL ')} ORDER BY fee ${order}, seq ${order}`,
    [...types],
  );
  const shown = rows.filter(({ seq }) => seq < before);
  // A type of which more rows follow decides as far as its last row that was read.
  const isDecided = types.every(type => {
    const ofType = (all: typeof rows) => all.filter(row => row.type === type).length;
    return ofType(rows) < most || ofType(shown) >= end;
  });
  return isDecided ? shown.slice(offset, end).map(({ seq }) => seq) : undefined;
}

type FeeRow = RowOf<typeof TXS, 'fee' | 'seq'>;

interface FeesQuery {
  readonly type: number;
  readonly conditions: readonly Condition[];
  readonly order: Slice['order'];
}

/** Rows read at once: few at first, as most pages need few. */
const FIRST_ROWS = 64;
const MOST_ROWS = 1024;

/**
 * The transactions of a type that meet the conditions, by fee, in parts. Conditions are checked row by row, so that no
 * statement reads more rows than the budget gives.
 */
async function* feesOf(queries: Queries, budget: RowBudget, { type, conditions, order }: FeesQuery) {
  const fits = conditions.map(({ sql }) => sql).join(' AND ') || '1 = 1';
  const params = conditions.flatMap(condition => condition.params);
  const beyond = order === 'asc' ? '>' : '<';
  let last: FeeRow | undefined;
  for (let size = FIRST_ROWS; ; size = Math.min(size * 2, MOST_ROWS)) {
    const rows = await budget.take(size);
    const part: (FeeRow & { readonly fits: number })[] = await queries.all(
      `SELECT t.fee, t.seq, CASE WHEN ${fits} THEN 1 ELSE 0 END AS fits FROM txs t
        WHERE t.type = ? ${last ? `AND (t.fee, t.seq) ${beyond} (?, ?)` : ''}
        ORDER BY t.fee ${order}, t.seq ${order} LIMIT ?`,
      [...params, type, ...(last ? [last.fee, last.seq] : []), rows],
    );
    const fitting = part.filter(row => row.fits);
    if (fitting.length > 0) yield fitting;
    last = part.at(-1);
    if (part.length < rows) return;
  }
}

/** A stream as far as it is read: rows from `at` on were not given yet. */
interface Head {
  readonly stream: AsyncGenerator<FeeRow[]>;
  rows: readonly FeeRow[];
  at: number;
}

/** Several streams in this order as one, by position in txs, in parts. */
async function* merged(
  streams: readonly AsyncGenerator<FeeRow[]>[],
  order: Slice['order'],
): AsyncGenerator<readonly number[]> {
  const heads: Head[] = streams.map(stream => ({ stream, rows: [], at: 0 }));
  while (heads.length > 0) {
    for (const head of heads.filter(({ rows, at }) => at === rows.length)) {
      const { value } = await head.stream.next();
      if (value) Object.assign(head, { rows: value, at: 0 });
      else heads.splice(heads.indexOf(head), 1);
    }
    yield untilOneEnds(heads, order);
  }
}

/** The next rows of all, up to the last one that is read of some stream. */
function untilOneEnds(heads: readonly Head[], order: Slice['order']): number[] {
  const positions: number[] = [];
  const sign = order === 'asc' ? 1 : -1;
  while (heads.length > 0 && heads.every(({ rows, at }) => at < rows.length)) {
    let first: { readonly head: Head; readonly row: FeeRow } | undefined;
    for (const head of heads) {
      const row = head.rows[head.at];
      if (row && (!first || sign * byFee(row, first.row) < 0)) first = { head, row };
    }
    if (!first) break;
    first.head.at++;
    positions.push(first.row.seq);
  }
  return positions;
}

const byFee = (a: FeeRow, b: FeeRow): number => Buffer.compare(a.fee, b.fee) || a.seq - b.seq;
