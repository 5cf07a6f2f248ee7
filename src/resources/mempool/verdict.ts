import { type ChainClock, hasAged } from '../../chain/chain-clock.ts';
import type { MempoolTx } from './rows.ts';
import type { Slot } from './slots.ts';
import { STATUS } from './status.ts';

/** Where transactions and slots stand on the canonical chain. */
export interface OnChain {
  /** The height of a mined transaction; that of a streamed one is above the tip's. */
  heightOf(txId: string): number | undefined;
  /** The mined transaction that used a slot. */
  userOf(slot: Slot): string | undefined;
  readonly tipHeight: number;
  readonly clock: ChainClock | null;
}

/** What becomes of a transaction, and which other one took its place. */
export interface Verdict {
  readonly status: number;
  readonly replacedBy: string | null;
  /** Whether it has waited too long; null where its age does not matter. */
  readonly aged: boolean | null;
}

const as = (status: number, replacedBy: string | null = null, aged: boolean | null = null): Verdict => ({
  status,
  replacedBy,
  aged,
});

/**
 * Judges a transaction by what was said of it and by the chain (docs/spec/mempool.md#life-of-a-pending-transaction): mined,
 * dropped by its node, its nonce used by another, outbid, too old; else it is pending.
 * @param bestOf the transaction that would be mined of those that want a slot
 */
export function judge(tx: MempoolTx, bestOf: (slot: Slot) => MempoolTx | undefined, chain: OnChain): Verdict {
  const height = chain.heightOf(tx.txId);
  if (height !== undefined) return as(height > chain.tipHeight ? STATUS.STREAMED : STATUS.MINED);
  if (tx.dropped !== null) return as(tx.dropped, tx.droppedFor);
  const user = userOfItsSlots(tx, chain);
  if (user !== undefined) return as(STATUS.REPLACED_BY_FEE, user);
  const aged = hasAged(tx, chain.clock);
  const rivals = tx.slots.map(bestOf).filter(rival => rival !== undefined);
  const winner = rivals.reduce(better, tx);
  if (winner.txId !== tx.txId) return as(STATUS.REPLACED_BY_FEE, winner.txId, aged);
  return as(aged ? STATUS.AGED_OUT : STATUS.PENDING, null, aged);
}

/** The best of those that can be mined still, for each slot that they want. */
export function bestOfSlots(rows: readonly MempoolTx[], chain: OnChain): Map<Slot, MempoolTx> {
  const best = new Map<Slot, MempoolTx>();
  for (const row of rows) {
    if (!isAlive(row, chain)) continue;
    for (const slot of row.slots) best.set(slot, better(row, best.get(slot) ?? row));
  }
  return best;
}

/** Whether a transaction could be mined still, were it not for its rivals. */
function isAlive(tx: MempoolTx, chain: OnChain): boolean {
  return (
    tx.dropped === null &&
    chain.heightOf(tx.txId) === undefined &&
    userOfItsSlots(tx, chain) === undefined &&
    !hasAged(tx, chain.clock)
  );
}

function userOfItsSlots(tx: MempoolTx, chain: OnChain): string | undefined {
  return tx.slots.map(slot => chain.userOf(slot)).find(user => user !== undefined && user !== tx.txId);
}

/** The higher fee wins; of equal ones the later, so that announcing again helps. */
function better(a: MempoolTx, b: MempoolTx): MempoolTx {
  if (a.fee !== b.fee) return a.fee > b.fee ? a : b;
  return a.arrival >= b.arrival ? a : b;
}
