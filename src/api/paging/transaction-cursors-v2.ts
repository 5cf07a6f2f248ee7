import { toHex } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';
import type { OuterRowOf, RowOf } from '../../base/store/table.ts';
import { type ADDRESS_TXS, TXS_OF_ADDRESS } from '../../index/addresses/tables.ts';
import { CANONICAL, canonicalHeights, countBlocks } from '../../index/blocks/canonical-chain.ts';
import type { TXS } from '../../index/transactions/tables.ts';
import type { KNOWN_BLOCKS } from '../../ingest/indexer/known-blocks.ts';
import { entriesBelow, type List } from '../../ingest/indexer/lists.ts';
import { type ChainPosition, chainPositionOf, compareChainPositions, countUpTo } from './chain-position.ts';

const FORM = /^(0x(?:[0-9a-f]{64})?):([0-9]{1,10}):([0-9]{1,10})$/;

/** The index block hash of transactions that no block has yet. */
const NO_BLOCK = '0x';

/**
 * The index block hash of the block of a transaction `t`. A subquery for each row: with a join, PostgreSQL may read all
 * blocks for three rows.
 */
export const BLOCK_HASH_OF_T = `(SELECT k.index_block_hash FROM ${CANONICAL} WHERE b.seq = t.height - 1)`;

/** A transaction with BLOCK_HASH_OF_T. */
export type RowWithPosition = RowOf<typeof TXS, 'height' | 'record'> &
  OuterRowOf<typeof KNOWN_BLOCKS, 'index_block_hash'>;

/** The cursor of the page that begins with a transaction (docs/spec/addresses.md#cursors). */
export function cursorOf(row: RowWithPosition): string {
  const [, sequence, index] = chainPositionOf(row);
  const hash = row.index_block_hash === null ? NO_BLOCK : toHex(row.index_block_hash);
  return `${hash}:${sequence}:${index}`;
}

/** The cursors of the pages that begin with these entries of a list, by position. */
export async function cursorsAt(
  queries: Queries,
  list: List,
  positions: readonly number[],
): Promise<Map<number, string>> {
  const rows = await queries.all<RowWithPosition & RowOf<typeof ADDRESS_TXS, 'seq'>>(
    `SELECT e.seq, t.height, t.record, ${BLOCK_HASH_OF_T} AS index_block_hash
       FROM address_txs e JOIN txs t ON t.seq = e.tx WHERE e.list = ? AND e.seq IN (${positions.map(() => '?').join(', ')})`,
    [list.id, ...positions],
  );
  return new Map(rows.map(row => [row.seq, cursorOf(row)]));
}

/** The newest position in a list of the transaction that a cursor names; undefined if the list lacks the transaction. */
export async function positionOfCursor(queries: Queries, list: List, cursor: string): Promise<number | undefined> {
  const [, hash, sequence, index] = FORM.exec(cursor.toLowerCase()) ?? [];
  if (hash === undefined) return undefined;
  const height =
    hash === NO_BLOCK ? (await countBlocks(queries)) + 1 : (await canonicalHeights(queries, [hash])).get(hash);
  if (height === undefined) return undefined;
  const wanted: ChainPosition = [height, Number(sequence), Number(index)];
  const end = await countUpTo(queries, wanted);
  const position = (await entriesBelow(queries, TXS_OF_ADDRESS, list, 'tx', end)) - 1;
  const row = await queries.get<RowOf<typeof TXS, 'height' | 'record'>>(
    'SELECT t.height, t.record FROM address_txs e JOIN txs t ON t.seq = e.tx WHERE e.list = ? AND e.seq = ?',
    [list.id, position],
  );
  return row && compareChainPositions(chainPositionOf(row), wanted) === 0 ? position : undefined;
}
