import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import { clockOf } from '../../ingest/chain/chain-clock.ts';
import type { IndexTransaction } from '../../ingest/indexer/projection.ts';
import type { UndoneUnit, Unit } from '../../ingest/indexer/unit.ts';
import { transactionsToUndo, type UndoneTx } from '../transactions/orphans.ts';
import { arrivalOf, newRow, noteChange } from './announce.ts';
import { type MempoolTx, mempoolRowsOf, putRows, slotsOf } from './rows.ts';
import type { MempoolChanges } from './settle.ts';

/** Handles an applied block or microblock: its transactions are no longer pending, nor are others with the same nonces. */
export async function confirmTransactions(
  transaction: IndexTransaction,
  changes: MempoolChanges,
  { kind, block }: Unit,
): Promise<void> {
  await changes.use(
    transaction.tx,
    block.txs.flatMap(tx => slotsOf(tx.transaction)),
  );
  if (kind === 'block') setChainClock(transaction, changes, block);
}

/** Sets the clock to the time of the tip. @param tip null: the chain is empty */
export function setChainClock(transaction: IndexTransaction, changes: MempoolChanges, tip: BlockFacts | null): void {
  const { mempool } = transaction.state;
  transaction.state = { ...transaction.state, mempool: { ...mempool, clock: tip && clockOf(tip) } };
  changes.moveClock();
}

/**
 * Handles the undoing of a block or microblock: its transactions become pending again, whatever their earlier status, even
 * if they were never announced. Transactions that are applied again at once stay mined. Operations from Bitcoin have no
 * bytes, and cannot be pending. Transactions of the boot block become pending only if they were announced.
 * @returns a function that makes them pending, to be called after the undo
 */
export async function returnTransactions(
  transaction: IndexTransaction,
  changes: MempoolChanges,
  unit: UndoneUnit,
): Promise<() => Promise<void>> {
  const { reapplied, fromBootBlock } = unit;
  const undone = await transactionsToUndo(transaction.tx, unit);
  const back = undone.filter(({ txId }) => !reapplied.has(txId));
  return () => putBack(transaction, changes, back, fromBootBlock);
}

async function putBack(
  transaction: IndexTransaction,
  changes: MempoolChanges,
  back: readonly UndoneTx[],
  fromBootBlock: ReadonlySet<string>,
): Promise<void> {
  const txIds = back.map(({ txId }) => txId);
  const known = new Map((await mempoolRowsOf(transaction.tx, txIds)).map(row => [row.txId, row]));
  const rows = new Map<string, MempoolTx>();
  const first = changes.countReturned(transaction.state.position, back.length);
  // In the order of undoing: the newest transaction first.
  for (const [i, { txId, rawTx, height, blockTime }] of back.toReversed().entries()) {
    const before = known.get(txId);
    if (before?.announced) rows.set(txId, { ...before, dropped: null, droppedFor: null, droppedAt: null });
    else if (!fromBootBlock.has(txId)) {
      const row = newRow(rawTx, arrivalOf(transaction, first + i));
      if (row) rows.set(txId, { ...row, receiptTime: blockTime, chainTime: blockTime, chainHeight: height });
    }
  }
  await putRows(transaction.tx, [...rows.values()]);
  changes.touch(rows.keys());
  noteChange(transaction);
}
