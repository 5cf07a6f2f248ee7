import type { BlockFacts } from '../../chain/block-facts.ts';
import type { Unit } from '../../indexer/projection.ts';
import type { Session } from '../../indexer/session.ts';
import type { MinedTx } from '../transactions/mined.ts';
import { arrivalOf, newRow, noteChange } from './announce.ts';
import { clockOf } from './chain-clock.ts';
import { type MempoolTx, putRows, rowsOf } from './rows.ts';
import { slotsOf } from './slots.ts';

/** A block or microblock was applied: its transactions wait no longer, nor do those that wanted the same nonces. */
export async function confirmTransactions(session: Session, { kind, block }: Unit): Promise<void> {
  await session.mempool.use(
    session.tx,
    block.txs.flatMap(({ transaction }) => slotsOf(transaction)),
  );
  if (kind === 'block') setChainClock(session, block);
}

/** The tip is this block now, or there is none. */
export function setChainClock(session: Session, tip: BlockFacts | null): void {
  const { mempool } = session.state;
  session.state = { ...session.state, mempool: { ...mempool, clock: tip && clockOf(tip) } };
  session.mempool.moveClock();
}

/**
 * A block or microblock was taken back: its transactions wait again, whatever was said of them before, also those that
 * were never announced. Operations that came from Bitcoin have no bytes that could wait. Those of the boot block have
 * never waited; unless they were announced, they do not now.
 * @param bytes of these transactions, by id, 0x hex
 * @param boot ids of those that came with the boot block
 */
export async function returnTransactions(
  session: Session,
  taken: readonly MinedTx[],
  bytes: ReadonlyMap<string, string>,
  boot: ReadonlySet<string>,
): Promise<void> {
  const txIds = taken.map(({ txId }) => txId);
  const known = new Map((await rowsOf(session.tx, txIds)).map(row => [row.txId, row]));
  const rows = new Map<string, MempoolTx>();
  for (const [i, { txId, height, blockTime }] of taken.entries()) {
    const before = known.get(txId);
    if (before?.announced) rows.set(txId, { ...before, dropped: null, droppedFor: null });
    else if (!boot.has(txId)) {
      const row = newRow(bytes.get(txId) ?? '', arrivalOf(session, i));
      if (row) rows.set(txId, { ...row, receiptTime: blockTime, chainTime: blockTime, chainHeight: height });
    }
  }
  await putRows(session.tx, [...rows.values()]);
  session.mempool.touch(rows.keys());
  noteChange(session);
}
