import type { BlockFacts } from '../../chain/block-facts.ts';
import { decodeTransaction, transactionId } from '../../codec/index.ts';
import type { Hooks } from '../../indexer/hooks.ts';
import type { IndexTransaction } from '../../indexer/projection.ts';
import { lengthBefore } from '../../indexer/undo-log.ts';
import type { UndoRecord, Workspace } from '../../indexer/workspace.ts';
import { fromHex, hexBytes, toHex } from '../../lib/hex.ts';
import type { Queries } from '../../store/database.ts';
import { type RowOf, table } from '../../store/table.ts';
import { unpackRecord } from './packed-record.ts';
import { rawTransaction, WaitingBytes } from './raw.ts';
import { contextOf, orphanedRecord, outcomeOf, transactionRecord } from './record.ts';
import { ALL_TXS, type TX_BODIES, TX_TYPES, type TXS } from './tables.ts';

/** Transactions of blocks and microblocks that are not, or were for a time not, canonical. Never undone. */
export const ORPHANED_TXS = table({
  name: 'orphaned_txs',
  columns: {
    tx_id: 'bytes',
    /** Index block hash of the block, or hash of the microblock. */
    block: 'bytes',
    /** A number of TX_TYPES. */
    type: 'int',
    /** Of a deployment what became of it there (see outcomeOf): a search shows it with the contract. */
    outcome: 'text?',
  },
  key: ['tx_id', 'block'],
});

/** A transaction that is about to be kept as orphaned. */
interface OrphanedTx {
  readonly txId: string;
  /** A number of TX_TYPES. */
  readonly type: number;
  readonly outcome: string | null;
}

/** Remembers that a block that is not canonical has these transactions. All hashes 0x hex. */
function keepOrphaned(txs: Iterable<OrphanedTx>, block: string, workspace: Workspace): void {
  for (const { txId, type, outcome } of txs) {
    workspace.keep(ORPHANED_TXS, { tx_id: hexBytes(txId), block: hexBytes(block), type, outcome });
  }
}

/** The transactions of a block that is not applied as it arrives. */
function transactionsOffChain(block: BlockFacts): OrphanedTx[] {
  const context = contextOf(block, true);
  return block.txs.map(tx => {
    const { kind } = tx.transaction.payload;
    const outcome =
      kind === 'smart_contract' ? outcomeOf(JSON.stringify(transactionRecord(tx, context, noNames))) : null;
    return { txId: tx.txId, type: TX_TYPES[kind], outcome };
  });
}

/** Names of arguments, which a deployment has none of. */
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

type UndoneRow = RowOf<typeof TXS, 'tx_id' | 'type' | 'height' | 'record'> & RowOf<typeof TX_BODIES, 'raw'>;

/** The transactions that undoing the newest unit will take out, told by its undo records. */
export async function transactionsToUndo(queries: Queries, records: readonly UndoRecord[]): Promise<UndoneTx[]> {
  const before = lengthBefore(records, ALL_TXS);
  if (before === undefined) return [];
  const rows = await queries.all<UndoneRow>(
    `SELECT t.tx_id, b.raw, t.type, t.height, t.record
      FROM txs t JOIN tx_bodies b ON b.seq = t.seq WHERE t.seq >= ? ORDER BY t.seq`,
    [before],
  );
  return rows.map(({ tx_id, raw, type, height, record }) => {
    const text = unpackRecord(record);
    const { block_time: blockTime } = JSON.parse(text) as { block_time: number };
    const outcome = type === TX_TYPES.smart_contract ? outcomeOf(text) : null;
    return { txId: toHex(tx_id), rawTx: toHex(raw), type, outcome, height, blockTime };
  });
}

/** Whether a block that was not canonical at the time has had this transaction. */
export async function isOrphaned(queries: Queries, txId: string): Promise<boolean> {
  const sql = 'SELECT tx_id FROM orphaned_txs WHERE tx_id = ? LIMIT 1';
  return (await queries.get(sql, [fromHex(txId) ?? null])) !== undefined;
}

/** The record of the deployment that an orphaned block has, as JSON text. @param block index block hash, 0x hex */
export async function orphanedDeployment(queries: Queries, txId: string, block: string): Promise<string | undefined> {
  const sql = 'SELECT outcome FROM orphaned_txs WHERE tx_id = ? AND block = ?';
  const row = await queries.get<RowOf<typeof ORPHANED_TXS, 'outcome'>>(sql, [
    fromHex(txId) ?? null,
    fromHex(block) ?? null,
  ]);
  const decoded = decodeTransaction(fromHex((await rawTransaction(queries, txId)) ?? '') ?? new Uint8Array());
  return row?.outcome && decoded.ok
    ? JSON.stringify(orphanedRecord(txId, decoded.value, row.outcome, noNames))
    : undefined;
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
    async unitApplied(unit) {
      // What is in a microblock may still be left out by the next block.
      if (unit.kind === 'block') await bytes.mined(unit.block.txs);
    },
    async unitUndone({ hash, records }) {
      const undone = await transactionsToUndo(tx, records);
      return () => {
        bytes.keep(undone);
        keepOrphaned(undone, hash, workspace);
      };
    },
    async beforeCommit() {
      await bytes.settle(transaction.state.tip?.height ?? 0);
    },
  };
}
