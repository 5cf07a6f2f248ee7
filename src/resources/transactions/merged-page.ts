import type { Queries } from '../../store/database.ts';
import { recordsInOrder } from './positions.ts';
import { entriesOf, positionsOf, type Slice, type TxList } from './queries.ts';

/** A list and how many of its first entries, in the order of the page, are passed over. */
interface Passed {
  readonly list: TxList;
  passed: number;
}

/**
 * A page of several lists of transactions that share none, as if they were one. Of the entries before it only some are read, whose
 * number grows with the logarithm of the offset.
 */
export async function pageOfLists(queries: Queries, lists: readonly TxList[], slice: Slice): Promise<string[]> {
  const { order, limit } = slice;
  const heads = lists.map(list => ({ list, passed: 0 }));
  const left = await passOver(queries, heads, slice);
  const candidates: number[] = [];
  for (const { list, passed } of heads) {
    candidates.push(...(await entriesOf(queries, list, { order, offset: passed, limit: left + limit })));
  }
  const positions = candidates.sort((a, b) => (order === 'asc' ? a - b : b - a)).slice(left, left + limit);
  return recordsInOrder(queries, positions);
}

/**
 * Passes over entries before the page, and gives how many are left to pass: fewer than there are lists. Of `n` lists, each is looked
 * at an n-th of the way ahead. The entry found there that comes first in the order of the page has at most as many before it, in all
 * lists together, as are to be passed: so those of its own list up to it are.
 */
async function passOver(queries: Queries, heads: Passed[], { order, offset }: Slice): Promise<number> {
  for (let left = offset; ; ) {
    const open = heads.filter(({ list, passed }) => passed < list.length);
    const step = Math.floor(left / open.length);
    if (open.length === 0 || step === 0) return left;
    const ahead = open.map(head => ({ head, count: Math.min(step, head.list.length - head.passed) }));
    const places = ahead.map(({ head: { list, passed }, count }) => ({
      list: list.id,
      seq: positionsOf({ order, offset: passed + count - 1, limit: 1 }, list.length).from,
    }));
    const found = await entriesAt(queries, places);
    const [first] = ahead
      .map(({ head, count }) => ({ head, count, tx: found.get(head.list.id) ?? 0 }))
      .sort((a, b) => (order === 'asc' ? a.tx - b.tx : b.tx - a.tx));
    if (!first) return left;
    first.head.passed += first.count;
    left -= first.count;
  }
}

/** One entry of each list, by the identifier of the list. */
async function entriesAt(
  queries: Queries,
  places: readonly { readonly list: number; readonly seq: number }[],
): Promise<Map<number, number>> {
  const rows = await queries.all<{ list: number; tx: number }>(
    `SELECT list, tx FROM list_txs WHERE ${places.map(() => '(list = ? AND seq = ?)').join(' OR ')}`,
    places.flatMap(({ list, seq }) => [list, seq]),
  );
  return new Map(rows.map(({ list, tx }) => [list, tx]));
}
