import type { Transaction } from '../../src/base/codec/index.ts';
import { decoded, NO_BYTES } from './transactions.ts';
import type { Block, MempoolTx, Payload, Tx } from './world.ts';

/** The mempool's knowledge of a transaction. */
export interface Heard {
  readonly txId: string;
  readonly raw: string;
  readonly decoded: Transaction;
  readonly receiptTime: number;
  readonly arrival: number;
  /** The tip when it was received. */
  readonly tip: Block | undefined;
  /** False for a transaction that only a removed block had. */
  readonly announced: boolean;
  /** What a node said of it last. */
  readonly dropped:
    | { readonly status: string; readonly replacedBy: string | null; readonly seconds: number }
    | undefined;
}

/** The canonical chain as the mempool sees it. */
export interface Mined {
  readonly txs: readonly Tx[];
  readonly tip: Block | undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  ReplaceByFee: 'dropped_replace_by_fee',
  ReplaceAcrossFork: 'dropped_replace_across_fork',
  TooExpensive: 'dropped_too_expensive',
  StaleGarbageCollect: 'dropped_stale_garbage_collect',
  Problematic: 'dropped_problematic',
};

/**
 * A node announces transactions: each that is news, or was dropped for any reason, is received now; what is pending or mined
 * stays as it was before the message (docs/spec/mempool.md#life-of-a-pending-transaction).
 */
export function heardOf(
  heard: readonly Heard[],
  raws: readonly string[],
  seconds: number,
  mined: Mined,
): readonly Heard[] {
  let now = heard;
  for (const raw of raws) {
    const entry = entryOf(now, raw, seconds, mined);
    const before = heard.find(({ txId }) => txId === entry?.txId);
    const isInPlace = before?.announced && ['pending', 'mined'].includes(judged(before, heard, mined).status);
    if (entry && !isInPlace) now = [...now.filter(({ txId }) => txId !== entry.txId), entry];
  }
  return now;
}

function entryOf(heard: readonly Heard[], raw: string, seconds: number, mined: Mined): Heard | undefined {
  const transaction = decoded(raw);
  // What only the miner of a block can make waits for no other block.
  if (!transaction || ['coinbase', 'tenure_change'].includes(transaction.payload.kind)) return undefined;
  const { txId } = transaction;
  const arrival = Math.max(-1, ...heard.map(({ arrival }) => arrival)) + 1;
  return {
    txId,
    raw,
    decoded: transaction,
    receiptTime: seconds,
    arrival,
    tip: mined.tip,
    announced: true,
    dropped: undefined,
  };
}

const isMined = ({ txId }: Heard, { txs }: Mined): boolean => txs.some(tx => tx.txId === txId);

const isInBlock = ({ txId }: Heard, { txs }: Mined): boolean =>
  txs.some(tx => tx.txId === txId && tx.block.hash !== '0x');

/** A node reports dropped transactions; ids that were never announced are ignored. */
export function dropped(heard: readonly Heard[], payload: Payload, seconds: number): readonly Heard[] {
  const status = REASONS[payload.reason] ?? 'dropped_problematic';
  return heard.map(entry =>
    payload.dropped_txids.includes(entry.txId)
      ? { ...entry, dropped: { status, replacedBy: payload.new_txid ?? null, seconds } }
      : entry,
  );
}

/**
 * Transactions that are no longer mined return (docs/spec/mempool.md#life-of-a-pending-transaction): also those that no mempool
 * announced, made from what the block that lost them last told, so received at its time, when it was the tip.
 */
export function restored(heard: readonly Heard[], unmined: readonly Tx[], mined: Mined): readonly Heard[] {
  let now = heard;
  const stillMined = new Set(mined.txs.map(({ txId }) => txId));
  for (const { txId, raw, block } of unmined.toReversed()) {
    if (raw === NO_BYTES || stillMined.has(txId)) continue;
    const entry = entryOf(now, raw, timeOf(block), mined);
    const before = now.find(known => known.txId === txId);
    const others = now.filter(known => known !== before);
    if (before?.announced) now = now.map(known => (known === before ? { ...before, dropped: undefined } : known));
    else if (entry) now = [...others, { ...entry, tip: block, announced: false }];
  }
  return now;
}

/**
 * The state of every transaction that was ever in the mempool. Transactions known from a removed block only count until
 * a block has them again.
 */
export const judgedMempool = (heard: readonly Heard[], mined: Mined): readonly MempoolTx[] =>
  heard
    .filter(entry => entry.announced || !isInBlock(entry, mined))
    .map(entry => ({ ...entry, ...judged(entry, heard, mined) }))
    .sort((a, b) => a.arrival - b.arrival);

interface Verdict {
  readonly status: string;
  readonly replacedBy: string | null;
  /** When a node dropped it: Unix seconds. */
  readonly droppedAt: number | null;
}

function judged(entry: Heard, heard: readonly Heard[], mined: Mined): Verdict {
  if (isMined(entry, mined)) return { status: 'mined', replacedBy: null, droppedAt: null };
  if (entry.dropped) return { ...entry.dropped, droppedAt: entry.dropped.seconds };
  const user = userOfNonce(entry.decoded, mined);
  if (user) return { status: 'dropped_replace_by_fee', replacedBy: user.txId, droppedAt: null };
  const rivals = heard.filter(other => compete(other.decoded, entry.decoded) && isInPlay(other, mined));
  const winner = rivals.reduce((best, other) => (outbids(other, best) ? other : best), entry);
  if (winner !== entry) return { status: 'dropped_replace_by_fee', replacedBy: winner.txId, droppedAt: null };
  const isOld = isStale(entry, mined.tip);
  return { status: isOld ? 'dropped_stale_garbage_collect' : 'pending', replacedBy: null, droppedAt: null };
}

/** Neither dropped nor too old, nor is its nonce used. */
const isInPlay = (entry: Heard, mined: Mined): boolean =>
  !entry.dropped && !isStale(entry, mined.tip) && !userOfNonce(entry.decoded, mined);

export const payerOf = (tx: Transaction): string => (tx.sponsor ?? tx.origin).address;
export const feeOf = (tx: Transaction): bigint => (tx.sponsor ?? tx.origin).fee;

/** The accounts whose next transaction this one is, each at its own nonce: the chain accepts a nonce of an account once, in either role. */
const spends = ({ origin, sponsor }: Transaction): readonly Transaction['origin'][] =>
  sponsor ? [origin, sponsor] : [origin];

const isSpentBy = (one: Transaction['origin'], tx: Transaction): boolean =>
  spends(tx).some(({ address, nonce }) => address === one.address && nonce === one.nonce);

const compete = (a: Transaction, b: Transaction): boolean => spends(a).some(one => isSpentBy(one, b));

/** The mined transaction that has used the nonce of the sender, else that of the sponsor. Operations from Bitcoin use none. */
function userOfNonce(tx: Transaction, { txs }: Mined): Tx | undefined {
  for (const one of spends(tx)) {
    const user = txs.findLast(({ raw, decoded }) => raw !== NO_BYTES && isSpentBy(one, decoded));
    if (user) return user;
  }
  return undefined;
}

/** The higher fee wins, of equal ones the one received last. */
function outbids(a: Heard, b: Heard): boolean {
  const [fee, other] = [feeOf(a.decoded), feeOf(b.decoded)];
  return fee > other || (fee === other && a.arrival > b.arrival);
}

/** By the clock of the chain: 2560 minutes before a Nakamoto tip, 256 blocks before another. Before all blocks the receipt counts. */
function isStale({ tip: then, receiptTime }: Heard, tip: Block | undefined): boolean {
  if (!tip) return false;
  if (isNakamoto(tip)) return timeOf(tip) - (then ? timeOf(then) : receiptTime) > 2560 * 60;
  return tip.height - (then?.height ?? 0) >= 256;
}

const isNakamoto = ({ payload }: Block): boolean =>
  payload.signer_bitvec !== null && payload.signer_bitvec !== undefined;

const timeOf = ({ payload, burnTime }: Block): number => payload.block_time || burnTime;
