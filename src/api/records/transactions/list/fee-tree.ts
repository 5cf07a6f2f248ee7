import type { Span } from '../../../../base/lib/span.ts';
import type { Queries } from '../../../../base/store/database.ts';
import type { RowOf } from '../../../../base/store/table.ts';
import { type EVERYTHING, isDivided, nodeName, wholeLength } from '../../../../index/transactions/fee-lists.ts';
import { FEE_TXS, type LIST_TXS, type TXS } from '../../../../index/transactions/tables.ts';
import { lengthsShown, positionsOf, type Slice } from '../../../../ingest/indexer/lists.ts';
import type { LISTS } from '../../../../ingest/indexer/tables.ts';

/** A leaf of the tree of a busy list (index/transactions/fee-lists.ts). */
interface Leaf {
  readonly path: string;
  readonly id: number;
  /** As of a block: of those of its transactions that are shown, which are its first. */
  readonly length: number;
}

/** Leaves whose lengths as of a block are searched at once. */
const LEAVES_AT_ONCE = 32;

/**
 * The transactions that a slice of a busy list in the order of its fees has, by position among all; equal fees in chain order. Reads the lengths of all leaves, and
 * the entries of those leaves that the slice touches. As of a block, the lengths of the leaves between the slice and the nearer end are searched.
 * @param list its identifier, or EVERYTHING
 * @param total how many transactions of the list the queries show
 */
export async function positionsByFee(
  queries: Queries,
  list: number | typeof EVERYTHING,
  slice: Slice,
  total: number,
): Promise<number[]> {
  const { from, to } = positionsOf(slice, total);
  const isNearTop = total - to < from;
  const [near, far] = isNearTop ? [total - to, total - from] : [from, to];
  const leaves = await leavesOf(queries, list);
  if (isNearTop) leaves.reverse();
  const parts: number[][] = [];
  let before = 0;
  for await (const leaf of shownLeaves(queries, leaves)) {
    const [first, end] = [Math.max(near - before, 0), Math.min(far - before, leaf.length)];
    before += leaf.length;
    if (first < end) {
      const { length } = leaf;
      parts.push(
        await entriesOf(
          queries,
          leaf,
          isNearTop ? { from: length - end, to: length - first } : { from: first, to: end },
        ),
      );
    }
    if (before >= far) break;
  }
  const positions = (isNearTop ? parts.reverse() : parts).flat();
  return slice.order === 'asc' ? positions : positions.reverse();
}

/** These leaves, with the lengths that the queries show. */
async function* shownLeaves(queries: Queries, leaves: readonly Leaf[]): AsyncGenerator<Leaf> {
  for (let start = 0; start < leaves.length; start += LEAVES_AT_ONCE) {
    const some = leaves.slice(start, start + LEAVES_AT_ONCE);
    const lengths = await lengthsShown(queries, FEE_TXS, some);
    for (const [i, leaf] of some.entries()) yield { ...leaf, length: lengths[i] ?? 0 };
  }
}

/** All leaves to their ends, that of the lowest fees first. */
async function leavesOf(queries: Queries, list: number | typeof EVERYTHING): Promise<Leaf[]> {
  const prefix = nodeName(list, '');
  const rows = await queries.all<RowOf<typeof LISTS, 'name' | 'id' | 'length'>>(
    'SELECT name, id, length FROM lists WHERE kind = ? AND name >= ? AND name < ? ORDER BY name',
    [FEE_TXS.code, prefix, `${prefix}~`],
  );
  return rows
    .map(({ name, id, length }) => ({ path: name.slice(prefix.length), id, length }))
    .filter(({ path, length }) => !isDivided(path, length));
}

/** Entries of a leaf in the order of their fees. */
async function entriesOf(queries: Queries, { id, path, length }: Leaf, { from, to }: Span): Promise<number[]> {
  if (path.length === wholeLength(path)) {
    const rows = await queries.all<RowOf<typeof LIST_TXS, 'tx'>>(
      'SELECT tx FROM list_txs WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq',
      [id, from, to],
    );
    return rows.map(({ tx }) => tx);
  }
  const rows = await queries.all<RowOf<typeof TXS, 'seq'>>(
    `SELECT t.seq FROM list_txs e JOIN txs t ON t.seq = e.tx WHERE e.list = ? AND e.seq < ?
      ORDER BY t.fee, t.seq LIMIT ? OFFSET ?`,
    [id, length, to - from, from],
  );
  return rows.map(({ seq }) => seq);
}
