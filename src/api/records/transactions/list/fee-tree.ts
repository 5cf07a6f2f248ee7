import type { Queries } from '../../../../base/store/database.ts';
import type { RowOf } from '../../../../base/store/table.ts';
import { type EVERYTHING, isDivided, nodeName, wholeLength } from '../../../../index/transactions/fee-lists.ts';
import { FEE_TXS, type LIST_TXS, type TXS } from '../../../../index/transactions/tables.ts';
import { positionsOf, type Slice } from '../../../../ingest/indexer/lists.ts';
import type { LISTS } from '../../../../ingest/indexer/tables.ts';

/** A leaf of the tree of a busy list (index/transactions/fee-lists.ts). */
interface Leaf {
  readonly path: string;
  readonly id: number;
  readonly length: number;
}

/**
 * The transactions that a slice of a busy list in the order of its fees has, by position among all; equal fees in chain order. Reads the lengths of all leaves, and
 * the entries of those leaves that the slice touches.
 * @param list its identifier, or EVERYTHING
 */
export async function positionsByFee(
  queries: Queries,
  list: number | typeof EVERYTHING,
  slice: Slice,
): Promise<number[]> {
  const leaves = await leavesOf(queries, list);
  const total = leaves.reduce((sum, { length }) => sum + length, 0);
  const { from, to } = positionsOf(slice, total);
  const positions: number[] = [];
  let before = 0;
  for (const leaf of leaves) {
    const [first, end] = [Math.max(from - before, 0), Math.min(to - before, leaf.length)];
    before += leaf.length;
    if (first < end) positions.push(...(await entriesOf(queries, leaf, first, end)));
  }
  return slice.order === 'asc' ? positions : positions.reverse();
}

/** All leaves, that of the lowest fees first. */
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
async function entriesOf(queries: Queries, { id, path }: Leaf, first: number, end: number): Promise<number[]> {
  if (path.length === wholeLength(path)) {
    const rows = await queries.all<RowOf<typeof LIST_TXS, 'tx'>>(
      'SELECT tx FROM list_txs WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq',
      [id, first, end],
    );
    return rows.map(({ tx }) => tx);
  }
  const rows = await queries.all<RowOf<typeof TXS, 'seq'>>(
    `SELECT t.seq FROM list_txs e JOIN txs t ON t.seq = e.tx WHERE e.list = ?
      ORDER BY t.fee, t.seq LIMIT ? OFFSET ?`,
    [id, end - first, first],
  );
  return rows.map(({ seq }) => seq);
}
