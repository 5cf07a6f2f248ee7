import type { Span } from '../../../base/lib/span.ts';
import type { Queries } from '../../../base/store/database.ts';
import { inLists } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { TXS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import { entriesBelow, findList, firstReaching, type List, positionsOf } from '../../../ingest/indexer/lists.ts';

/**
 * The histories of a principal (docs/spec/addresses.md#histories-of-a-principal): each is the list of its transactions
 * without some; every entry has the number of entries left out up to it.
 */
type History = 'without_stx' | 'without_transfers';

/** A transaction in a history. */
export interface HistoryEntry {
  /** Its position among all transactions. */
  readonly tx: number;
  /** Record in TXS. */
  readonly record: string;
}

/**
 * A page of a history, newest first, and its number of entries within a span: a seek at any offset. If the history leaves
 * out entries, a binary search by the number of left out entries finds each entry of the page.
 */
export async function historyOf(
  queries: Queries,
  principal: string,
  history: History,
  { span, offset, limit }: { readonly span: Span; readonly offset: number; readonly limit: number },
): Promise<{ readonly total: number; readonly entries: readonly HistoryEntry[] }> {
  const list = await findList(queries, TXS_OF_ADDRESS, principal);
  if (!list) return { total: 0, entries: [] };
  const window = await windowOf(queries, list, span);
  const before = await leftOutBefore(queries, list, history, window.from);
  const until = await leftOutBefore(queries, list, history, window.to);
  const first = window.from - before;
  const total = window.to - until - first;
  const { from, to } = positionsOf({ order: 'desc', offset, limit }, total);
  const numbers = Array.from({ length: to - from }, (_, i) => first + from + i);
  const positions = await positionsOfNumbers(queries, list, history, numbers, { before, until });
  return { total, entries: await entriesAt(queries, list, positions) };
}

/** The entries of a list whose transactions are in a span of positions: entries are in the order of the chain. */
async function windowOf(queries: Queries, list: List, { from, to }: Span): Promise<Span> {
  const place = (bound: number) => entriesBelow(queries, TXS_OF_ADDRESS, list, 'tx', bound);
  return { from: from === 0 ? 0 : await place(from), to: to === Infinity ? list.length : await place(to) };
}

/** The number of entries at the beginning of a list that a history leaves out. */
async function leftOutBefore(queries: Queries, list: List, history: History, position: number): Promise<number> {
  if (position === 0) return 0;
  const sql = `SELECT ${history} AS count FROM address_txs WHERE list = ? AND seq = ?`;
  return (await queries.get<{ count: number }>(sql, [list.id, position - 1]))?.count ?? 0;
}

/** Positions of the entries of a history in the list, by their numbers in the history. */
async function positionsOfNumbers(
  queries: Queries,
  list: List,
  history: History,
  numbers: readonly number[],
  leftOut: { readonly before: number; readonly until: number },
): Promise<number[]> {
  if (leftOut.before === leftOut.until || numbers.length === 0) return numbers.map(number => number + leftOut.before);
  const searches = numbers.map(bound => ({ bound, from: bound + leftOut.before, to: bound + leftOut.until }));
  // An entry that is left out has the number of the entry before it.
  const found = await firstReaching(queries, TXS_OF_ADDRESS, list, `e.seq - e.${history}`, searches);
  return numbers.flatMap(number => found.get(number) ?? []);
}

async function entriesAt(queries: Queries, list: List, positions: readonly number[]): Promise<HistoryEntry[]> {
  const rows: RowOf<typeof TXS, 'seq' | 'record'>[] = [];
  for (const { list: marks, values } of inLists(positions)) {
    const sql = `SELECT t.seq, t.record FROM address_txs e JOIN txs t ON t.seq = e.tx WHERE e.list = ? AND e.seq IN ${marks}`;
    rows.push(...(await queries.all<RowOf<typeof TXS, 'seq' | 'record'>>(sql, [list.id, ...values])));
  }
  return rows.sort((a, b) => b.seq - a.seq).map(({ seq, record }) => ({ tx: seq, record }));
}

/** A canonical transaction by its position among all. */
export async function entryAt(queries: Queries, tx: number): Promise<HistoryEntry | undefined> {
  const sql = 'SELECT record FROM txs WHERE seq = ?';
  const row = await queries.get<RowOf<typeof TXS, 'record'>>(sql, [tx]);
  return row && { tx, record: row.record };
}
