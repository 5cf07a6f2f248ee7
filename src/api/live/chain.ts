/**
 * Reads the log of the chain on from any place, over forks. The log is not stored: canonical blocks are read from the
 * index, and removed blocks are still known with their parents. So a token alone determines the blocks to roll back.
 */

import { hexBytes, toHex } from '../../base/lib/hex.ts';
import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Span } from '../../base/lib/span.ts';
import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import { CANONICAL, lastFinalBurnNumber } from '../../index/blocks/canonical-chain.ts';
import { type BlockRecordRow, RECORD_FIELDS } from '../../index/blocks/record.ts';
import type { BLOCKS } from '../../index/blocks/tables.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import { blockV2 } from '../records/blocks/record-v2.ts';
import { pendingOfBlocks } from '../records/mempool/queries.ts';
import { balancesAfterRollback } from './block-balances.ts';
import { blockLog } from './block-log.ts';
import { LogEntry } from './entry.ts';
import type { LoggedBlock, TipFields } from './logged-block.ts';
import { areListed, relevantTransactions } from './relevant.ts';
import { undoneLog } from './removed-blocks-v1.ts';
import { isBlock1Changed, type RemovedBlock, standingOf } from './standing.ts';
import {
  BEGINNING,
  comparePositionsInBlock,
  isEnd,
  isOfChanged,
  type LogPosition,
  PLACE,
  type PositionInBlock,
  placeIn,
  prefixOf,
  transactionsBefore,
} from './token.ts';
import { BLOCK_END, type Interest, REORG, V1 } from './topics.ts';

export interface LogLimits {
  /** Most blocks in one read: blocks whose transactions are read cost more. */
  readonly blocks: { readonly content: number; readonly headers: number };
  /** Events after which a reading ends. */
  readonly events: number;
  /** Transactions after which a reading ends, also within a block. */
  readonly transactions: number;
  /** Most blocks between a place and the tip, on its own fork or on the canonical chain; a place further away is too old. */
  readonly distance: number;
  /**
   * If the block of a place is unknown and at most this far above the tip, this process may not have indexed it yet.
   */
  readonly ahead: number;
}

/** Limits of one request for a page. */
export const MOST_OF_PAGE: Pick<LogLimits, 'blocks' | 'transactions'> = {
  blocks: { content: 50, headers: 500 },
  transactions: 10_000,
};

/** The next events of the log. */
export interface LogBatch {
  readonly entries: readonly LogEntry[];
  /** The place after these events. */
  readonly to: LogPosition;
  /** Whether the page ends at the tip. */
  readonly isAtTip: boolean;
  readonly tip: TipFields['tip'] | null;
}

/** Transactions that a rollback names as pending again. */
const MOST_RESTORED = 1000;
/** Before the first event of a block. */
const BEFORE_BLOCK: PositionInBlock = [-1];

/**
 * Reads the events after a place that match the topics of a listener. If the place is unknown or too old, the log has a
 * `gap` and continues from the tip.
 *
 *     height   3     4     5     6
 *              A --- B --- C --- D   canonical; D is the tip
 *               \
 *                `-- b --- c         rolled back
 *
 * The token of a client is the end of c (place 4, see PLACE). The reading has these steps:
 *
 * 1. It follows the parents of c down to a canonical block: `found` has the ancestor A and the removed blocks c and b.
 * 2. `rollback`, which names c and b, is place 5 of A. Older channels also get what was in c and b.
 * 3. The balances that the rollback changed follow, and the place is 6 of A.
 * 4. The events of B, C and D follow, block by block. The place is now the end of D, and the reading is at the tip.
 *
 * For the token of a transaction in A, nothing is removed: step 3 has the rest of A instead of the balances. For the end of A, only step
 * 4 runs. A reading that reaches its limit of events ends at the place of the last event; the next reading starts there, in the same
 * step. The same holds for the limit of transactions, which may end a reading between two transactions of a block.
 * @param pause awaited wherever many rows are read, so that a reading of any length keeps one snapshot and does not block other work
 */
export async function readLog(
  queries: Queries,
  after: LogPosition,
  interest: Interest,
  limits: LogLimits,
  pause: Pause,
): Promise<LogBatch> {
  const { tip } = await readState(queries);
  const height = tip?.height ?? 0;
  const shownTip = tip && { height, index_hash: tip.indexBlockHash };
  const isChanged = await isBlock1Changed(queries);
  // Step 1
  const found = await standingOf(queries, after, isChanged, limits.distance, pause);
  if (found === 'unknown' && after.height > height && after.height <= height + limits.ahead)
    return { entries: [], to: after, isAtTip: true, tip: shownTip };
  if (typeof found === 'string' || height - found.ancestor > limits.distance) {
    const to = tip ? placeIn(height, tip.indexBlockHash, PLACE.end, isChanged) : BEGINNING;
    const reason = found === 'unknown' ? 'unknown' : 'expired';
    return { entries: [gap(to, shownTip, reason)], to, isAtTip: true, tip: shownTip };
  }
  const isListed = interest.topics !== undefined && areListed(interest.topics);
  const { content, headers } = limits.blocks;
  // A client that gets content gets an event at the end of every block, so it needs no more blocks than events.
  const most = interest.wants(BLOCK_END) ? Math.min(isListed ? headers : content, limits.events + 1) : headers;
  const last = Math.min(height, found.ancestor + most);
  const blocks = await canonicalBlocks(queries, found.ancestor, last, isChanged);
  const finalized_height = shownTip ? await finalizedHeight(queries) : 0;
  const told: TipFields = { tip: shownTip ?? { height: 0, index_hash: '' }, finalized_height };
  const entries: LogEntry[] = [];
  // Nothing is before the first block: a place there is its end, or a reading from it would end where it began.
  let to = after.height === 0 && !isEnd(after) ? BEGINNING : after;
  const standing = found.ancestor === 0 ? undefined : blocks[0];
  const next = standing ? blocks.slice(1) : blocks;
  // Step 2
  if (found.removed.length > 0) {
    to = standing ? standing.place(PLACE.rollback) : { ...BEGINNING, at: PLACE.rollback };
    const removed = found.removed.map(({ indexBlockHash }) => hexBytes(indexBlockHash));
    const restored = await pendingOfBlocks(queries, removed, MOST_RESTORED, pause);
    entries.push(rollback(to, standing, found.removed, isOfChanged(after), restored));
    const hashes = found.removed.filter(({ isLost }) => isLost).map(({ indexBlockHash }) => indexBlockHash);
    if (interest.wants(V1.undone))
      for (const entry of await undoneLog(queries, to, hashes, interest, pause)) entries.push(entry);
  }
  const span = spanOf(blocks, standing ? to.at : BEFORE_BLOCK);
  const relevant =
    isListed && interest.wants(BLOCK_END)
      ? await relevantTransactions(
          queries,
          interest.topics,
          span,
          Math.min(limits.transactions, limits.events + 1),
          pause,
        )
      : undefined;
  let transactions = 0;
  /** Adds the rest of a block, as far as the limits allow. */
  const read = async (block: LoggedBlock, from: PositionInBlock) => {
    const most = { events: limits.events - entries.length, transactions: limits.transactions - transactions };
    const portion = await blockLog(queries, block, told, interest, { after: from, ...most, relevant, pause });
    for (const entry of portion.entries) entries.push(entry);
    transactions += portion.transactions;
    to = block.place(portion.to);
  };
  // Step 3
  if (standing && comparePositionsInBlock(to.at, PLACE.rollback) >= 0) {
    for (const entry of await balancesAfterRollback(queries, standing, interest, pause))
      if (comparePositionsInBlock(entry.place.at, to.at) > 0) entries.push(entry);
    to = standing.place(PLACE.afterRollback);
  } else if (standing && !isEnd(to)) await read(standing, to.at);
  // Step 4
  for (const block of next) {
    if (!isEnd(to) || entries.length >= limits.events || transactions >= limits.transactions) break;
    if (relevant && relevant.end <= block.firstTx) break;
    await pause();
    await read(block, BEFORE_BLOCK);
  }
  const cut = entries.slice(0, limits.events);
  const lastEntry = cut.at(-1);
  if (cut.length < entries.length && lastEntry) to = lastEntry.place;
  return { entries: cut, to, isAtTip: to.height === height && isEnd(to), tip: shownTip };
}

/** The transactions of these blocks after a place in the first of them, as positions among all. */
function spanOf(blocks: readonly LoggedBlock[], after: PositionInBlock): Span {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (!first || !last) return { from: 0, to: 0 };
  return { from: first.firstTx + Math.min(first.txRows, transactionsBefore(after)), to: last.firstTx + last.txRows };
}

type BlockRow = RowOf<typeof BLOCKS, 'seq' | 'first_tx' | 'tx_rows' | 'burn_number'> & BlockRecordRow;

/** The canonical blocks of these heights, both included. */
async function canonicalBlocks(queries: Queries, from: number, to: number, isChanged: boolean) {
  const rows = await queries.all<BlockRow>(
    `SELECT b.seq, b.first_tx, b.tx_rows, b.burn_number, ${RECORD_FIELDS} FROM ${CANONICAL}
      WHERE b.seq >= ? AND b.seq < ? ORDER BY b.seq`,
    [from - 2, to],
  );
  const numbers = new Map(rows.map(row => [row.seq, row.burn_number]));
  const found = rows
    .filter(({ seq }) => seq >= from - 1)
    .map(
      (row): LoggedBlock => ({
        record: blockV2(row),
        firstTx: row.first_tx,
        txRows: row.tx_rows,
        isFirstOfBurnBlock: numbers.get(row.seq - 1) !== row.burn_number,
        place: at => placeIn(row.height, toHex(row.index_block_hash), at, isChanged),
      }),
    );
  return found;
}

/** The highest block whose burn block is far enough below the tip's that the burn chain is not expected to replace it. */
async function finalizedHeight(queries: Queries): Promise<number> {
  const row = await queries.get<RowOf<typeof BLOCKS, 'seq'>>(
    'SELECT seq FROM blocks WHERE burn_number <= ? ORDER BY burn_number DESC, seq DESC LIMIT 1',
    [await lastFinalBurnNumber(queries)],
  );
  return row ? row.seq + 1 : 0;
}

function gap(to: LogPosition, tip: TipFields['tip'] | null, reason: 'expired' | 'unknown'): LogEntry {
  return new LogEntry(to, { event: 'gap', keys: [REORG], full: () => JSON.stringify({ reason, resume_from: tip }) });
}

function rollback(
  to: LogPosition,
  standing: LoggedBlock | undefined,
  removed: readonly RemovedBlock[],
  isChanged: boolean,
  mempool_restored: readonly string[],
): LogEntry {
  const fork_point = { height: to.height, index_hash: standing?.record.index_block_hash ?? null };
  const shown = removed.map(({ height, indexBlockHash }) => ({
    height,
    index_hash: indexBlockHash,
    id_prefix: prefixOf(placeIn(height, indexBlockHash, PLACE.end, isChanged)),
  }));
  return new LogEntry(to, {
    event: 'rollback',
    keys: [REORG],
    full: () => JSON.stringify({ fork_point, removed: shown, mempool_restored }),
  });
}
