/** Lists of transactions as version 3 shows them: the newest first, with cursors of places (docs/spec/cursors.md#places). */
import { hexBytes, toHex } from '../../../base/lib/hex.ts';
import { isInSpan, lengthOf, type Span } from '../../../base/lib/span.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { CANONICAL, hashesAt } from '../../../index/blocks/canonical-chain.ts';
import { readTransaction, type StoredTransaction } from '../../../index/transactions/stored.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import { endOfTransactions } from '../../../ingest/indexer/horizon.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { type CursorList, type CursorPage, type CursorQuery, pageFrom } from '../../paging/cursor-page.ts';
import { endOfCursor, type Placed, placeCursors } from '../../paging/transaction-cursors.ts';
import { type BlockOfTransaction, transactionSummaryV3 } from './record-v3.ts';

/** A transaction of such a list. */
export interface ListedTransaction extends Placed {
  readonly stored: StoredTransaction;
}

/** The columns read of a transaction, and the transaction made from them. */
export type ListedRow = RowOf<typeof TXS, 'seq' | 'record'>;

export function toListed({ seq, record }: ListedRow): ListedTransaction {
  const stored = readTransaction(record);
  return { tx: seq, stored, place: [stored.blockHeight, stored.microblock.sequence, stored.txIndex] };
}

/** The index block hash of transactions that no block has yet. */
const NO_BLOCK = '0x';

/** Index block hashes of the canonical blocks of these heights; `0x` for the one above the tip. */
export async function indexHashesOf(queries: Queries, heights: Iterable<number>): Promise<(height: number) => string> {
  const hashes = await hashesAt(
    queries,
    [...new Set(heights)].map(height => height - 1),
  );
  return height => hashes.get(height - 1) ?? NO_BLOCK;
}

/** The block of this height, or of the one above the tip that no block has yet. */
export async function blockOfHeight(queries: Queries, height: number): Promise<BlockOfTransaction> {
  const row = await queries.get<RowOf<typeof KNOWN_BLOCKS, 'index_block_hash' | 'parent_index_block_hash'>>(
    `SELECT k.index_block_hash, k.parent_index_block_hash FROM ${CANONICAL} WHERE b.seq = ?`,
    [height - 1],
  );
  if (row) return { indexHash: toHex(row.index_block_hash), parentIndexHash: toHex(row.parent_index_block_hash) };
  return { indexHash: NO_BLOCK, parentIndexHash: (await indexHashesOf(queries, [height - 1]))(height - 1) };
}

/** The transactions as they are shown, in their order. */
export async function summariesV3(queries: Queries, listed: readonly ListedTransaction[]) {
  const indexHashOf = await indexHashesOf(
    queries,
    listed.map(({ place }) => place[0]),
  );
  return listed.map(({ stored, place }) => transactionSummaryV3(stored, indexHashOf(place[0])));
}

/** The canonical transactions of these ids (0x hex), the newest first; of one that the chain has twice, the last. */
export async function transactionsWithIds(queries: Queries, txIds: readonly string[]): Promise<ListedTransaction[]> {
  const rows = await allIn<ListedRow>(
    queries,
    list => `SELECT seq, record FROM txs WHERE tx_id IN ${list}`,
    txIds.map(hexBytes),
  );
  const end = endOfTransactions(queries);
  const shown = rows.filter(({ seq }) => seq < end);
  const newestFirst = shown.map(toListed).sort((a, b) => b.tx - a.tx);
  return newestFirst.filter(({ stored }, i) => newestFirst.findIndex(other => other.stored.txId === stored.txId) === i);
}

/** A page of the transactions in a span of the chain, the newest first. */
export async function pageOfSpan(
  queries: Queries,
  span: Span,
  { cursor, limit }: CursorQuery,
): Promise<CursorPage<ListedTransaction>> {
  const list: CursorList<ListedTransaction> = {
    length: lengthOf(span),
    rows: async (start, end) => {
      const sql = 'SELECT seq, record FROM txs WHERE seq >= ? AND seq < ? ORDER BY seq DESC';
      return (await queries.all<ListedRow>(sql, [span.to - end, span.to - start])).map(toListed);
    },
    cursors: rows => placeCursors(queries, rows),
  };
  const isListed = (tx: number): boolean => isInSpan(tx, span);
  const before = cursor === undefined ? span.to : await endOfCursor(queries, cursor, isListed);
  return pageFrom(list, span.to - Math.min(Math.max(before, span.from), span.to), limit);
}
