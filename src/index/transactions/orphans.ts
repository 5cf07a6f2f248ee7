import { transactionId } from '../../base/codec/index.ts';
import { fromHex, hexBytes, toHex } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { Hooks } from '../../ingest/indexer/hooks.ts';
import type { IndexTransaction } from '../../ingest/indexer/projection.ts';
import { lengthBefore } from '../../ingest/indexer/undo-log.ts';
import type { UndoneUnit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { WaitingBytes } from './raw.ts';
import { confirmedTransaction, contextOf } from './record.ts';
import { packTransaction, readTransaction } from './stored.ts';
import { ALL_TXS, ORPHANED_TXS, type TX_BODIES, type TXS } from './tables.ts';

const NOT_ITS_OWN = -1;

/** A transaction that is about to be kept as orphaned. */
interface OrphanedTx {
  readonly txId: string;
  readonly place: number;
  /** As packRecord gives it. */
  readonly record: string;
}

/** Remembers that a block that is not canonical has these transactions. All hashes 0x hex. */
function keepOrphaned(txs: Iterable<OrphanedTx>, block: string, workspace: Workspace): void {
  for (const { txId, place, record } of txs) {
    workspace.keep(ORPHANED_TXS, { tx_id: hexBytes(txId), block: hexBytes(block), place, record });
  }
}

/** The transactions of a block that is not applied as it arrives. */
function transactionsOffChain(block: BlockFacts): OrphanedTx[] {
  const context = contextOf(block, true);
  return block.txs.map((tx, place) => ({
    txId: tx.txId,
    place,
    record: packTransaction(confirmedTransaction(tx, context, noNames)),
  }));
}

/** The transactions of a block that was applied without them. */
function leftOut(applied: BlockFacts, whole: BlockFacts): OrphanedTx[] {
  const kept = new Set(applied.txs.map(({ txId }) => txId));
  const own = whole.txs.filter(({ ownTimes }) => ownTimes === null);
  return transactionsOffChain({ ...whole, txs: own }).filter(({ txId }) => !kept.has(txId));
}

/** Gives the transactions of an undone block their places among all of its own: those that were left out have theirs. */
async function inFreePlaces(queries: Queries, undone: readonly OrphanedTx[], block: string): Promise<OrphanedTx[]> {
  const rows = await queries.all<RowOf<typeof ORPHANED_TXS, 'tx_id' | 'place'>>(
    'SELECT tx_id, place FROM orphaned_txs WHERE block = ?',
    [hexBytes(block)],
  );
  const ids = new Set(undone.map(({ txId }) => txId));
  const taken = new Set(rows.filter(({ tx_id }) => !ids.has(toHex(tx_id))).map(({ place }) => place));
  let next = 0;
  return undone.map(tx => {
    if (tx.place === NOT_ITS_OWN) return tx;
    while (taken.has(next)) next++;
    return { ...tx, place: next++ };
  });
}

/** The names of arguments are looked up when the record is shown. */
const noNames = () => undefined;

/** A transaction that loses its block. */
export interface UndoneTx extends OrphanedTx {
  /** Its bytes, 0x hex. */
  readonly rawTx: string;
  /** Of that block. */
  readonly height: number;
  /** Unix seconds. */
  readonly blockTime: number;
}

type UndoneRow = RowOf<typeof TXS, 'tx_id' | 'height' | 'record'> & RowOf<typeof TX_BODIES, 'raw'>;

/** The transactions that undoing the newest unit will take out, from its undo records. */
export async function transactionsToUndo(
  queries: Queries,
  { records, fromBootBlock }: Pick<UndoneUnit, 'records' | 'fromBootBlock'>,
): Promise<UndoneTx[]> {
  const before = lengthBefore(records, ALL_TXS);
  if (before === undefined) return [];
  const rows = await queries.all<UndoneRow>(
    `SELECT t.tx_id, b.raw, t.height, t.record
      FROM txs t JOIN tx_bodies b ON b.seq = t.seq WHERE t.seq >= ? ORDER BY t.seq`,
    [before],
  );
  let own = 0;
  return rows.map(({ tx_id, raw, height, record }) => {
    const { blockTime } = readTransaction(record);
    const txId = toHex(tx_id);
    const place = fromBootBlock.has(txId) ? NOT_ITS_OWN : own++;
    return { txId, rawTx: toHex(raw), place, record, height, blockTime };
  });
}

/** Keeps the bytes of all transactions that no canonical block has, and which blocks off the chain had them. */
export function keepTransactionsOffChain(transaction: IndexTransaction): Hooks {
  const { tx, workspace } = transaction;
  const bytes = new WaitingBytes(workspace);
  return {
    blockArrived({ unreadable }) {
      bytes.keep(unreadable);
    },
    blockOffTip(block) {
      bytes.keep(block.txs);
      keepOrphaned(transactionsOffChain(block), block.indexBlockHash, workspace);
    },
    microblocksArrived({ microblocks, unreadable }) {
      for (const { txs } of microblocks) bytes.keep(txs);
      bytes.keep(unreadable);
    },
    transactionsAnnounced(rawTxs) {
      bytes.keep(rawTxs.map(rawTx => ({ txId: transactionId(fromHex(rawTx) ?? new Uint8Array()), rawTx })));
    },
    async unitApplied({ kind, block }, { block: whole }) {
      // What is in a microblock may still be left out by the next block.
      if (kind === 'microblock') return;
      await bytes.mined(block.txs);
      // Undoing the block will not find these: they are kept as if it were orphaned already.
      if (whole !== block) keepOrphaned(leftOut(block, whole), whole.indexBlockHash, workspace);
    },
    async unitUndone(unit) {
      const undone = await transactionsToUndo(tx, unit);
      const placed = await inFreePlaces(tx, undone, unit.hash);
      return () => {
        bytes.keep(undone);
        keepOrphaned(placed, unit.hash, workspace);
      };
    },
    async beforeCommit() {
      await bytes.settle(transaction.state.tip?.height ?? 0);
    },
  };
}
