import { decodeTransaction, type Transaction, transactionId } from '../../base/codec/index.ts';
import { fromHex } from '../../base/lib/hex.ts';
import type { MinerReward, NewBlock, RewardSet } from '../node/events/block.ts';
import type { ExecutionCost, NodeTransaction } from '../node/events/transaction.ts';
import type { TransactionEvent } from '../node/events/transaction-event.ts';
import { readBitcoinOperation } from './bitcoin-operation.ts';
import { type EventFacts, readEvent } from './event-facts.ts';
import type { Network } from './network.ts';

/** The decoded content of a block, which projections read. Plain and immutable. */
export interface BlockFacts {
  readonly height: number;
  readonly blockHash: string;
  readonly indexBlockHash: string;
  readonly parentBlockHash: string;
  readonly parentIndexBlockHash: string;
  /** The last microblock that the block accepted; null for a block without microblocks. */
  readonly parentMicroblock: { readonly hash: string; readonly sequence: number } | null;
  /** Unix seconds: the block's own time, in epoch 2 that of its burn block. */
  readonly blockTime: number;
  readonly burnBlockHash: string;
  readonly burnBlockHeight: number;
  readonly burnBlockTime: number;
  readonly parentBurnBlockTime: number;
  /** Consensus hash that the newest tenure change of the block names as its burn view; null without one. */
  readonly burnView: string | null;
  readonly minerTxId: string;
  readonly tenureHeight: number | null;
  readonly signerBitvec: string | null;
  /** 65 bytes each, in hex without `0x`, in the order of the node; none before epoch 3. */
  readonly signerSignatures: readonly string[];
  readonly cost: ExecutionCost;
  /** Length of the node's list: it counts transactions that are not stored, and leaves out those of the boot block. */
  readonly txCount: number;
  /** In chain order: those of accepted microblocks first. */
  readonly txs: readonly TransactionFacts[];
  /** Ids of transactions that its payload repeats: `txs` has the first of each (docs/spec/ingestion.md#duplicate-transactions). */
  readonly repeated: readonly string[];
  readonly microblocks: readonly MicroblockFacts[];
  readonly minerRewards: readonly MinerReward[];
  readonly rewardSet: { readonly cycle: number; readonly set: RewardSet } | null;
  /** Burn heights at which the locks of PoX 1 to 4 end by force, null where not known. */
  readonly poxUnlockHeights: readonly (number | null)[];
}

/** The time a block is shown with: its own, or that of its burn block where it is 0. */
export const shownTime = (block: Pick<BlockFacts, 'blockTime' | 'burnBlockTime'>): number =>
  block.blockTime > 0 ? block.blockTime : block.burnBlockTime;

export interface TransactionFacts {
  readonly txId: string;
  readonly txIndex: number;
  /** 0x hex as the node gave it; `0x00` for an operation that came from Bitcoin. */
  readonly rawTx: string;
  readonly transaction: Transaction;
  readonly status: string;
  /** Clarity value, 0x hex. */
  readonly result: string;
  readonly cost: ExecutionCost;
  readonly vmError: string | null;
  readonly microblock: { readonly hash: string; readonly parentHash: string; readonly sequence: number } | null;
  /** Only those that took effect, numbered 0, 1, 2 ... within the transaction. */
  readonly events: readonly EventFacts[];
  /** Interface of a deployed contract; null if the node sent none. */
  readonly contractInterface: unknown;
  /** Unix seconds, if they differ from those of the block: transactions of the boot block keep their own times. */
  readonly ownTimes: { readonly blockTime: number; readonly parentBurnBlockTime: number } | null;
}

/** A microblock that a block accepted. */
interface MicroblockFacts {
  readonly hash: string;
  /** Hash of the preceding microblock, or of the parent block for the first microblock. */
  readonly parentHash: string;
  readonly sequence: number;
  readonly txCount: number;
}

/** A transaction that cannot be decoded, or has an unknown origin. Lists leave it out; its bytes are kept. */
export interface Unreadable {
  readonly txId: string;
  /** 0x hex; null if the bytes do not have this id, so that they never replace the right bytes. */
  readonly rawTx: string | null;
  readonly reason: string;
}

export interface DecodedBlock {
  readonly facts: BlockFacts;
  readonly unreadable: readonly Unreadable[];
}

/** Sequence under which anchored transactions sort: after those of microblocks (docs/spec/ingestion.md#order-of-transactions). */
export const ANCHORED_SEQUENCE = 2147483647;

/** Replaces the bytes of an operation that came from Bitcoin. */
const BITCOIN_OPERATION = '0x00';

const ZERO_HASH = `0x${'00'.repeat(32)}`;

const ZERO_COST: ExecutionCost = { read_count: 0, read_length: 0, runtime: 0, write_count: 0, write_length: 0 };

/** Decodes a block payload (docs/spec/ingestion.md#block-facts). Never throws: `unreadable` lists the transactions that cannot be read. */
export function readBlock(block: NewBlock, network: Network): DecodedBlock {
  const context = { burnBlockHeight: block.burn_block_height, network };
  const { txs: read, unreadable } = readTransactions(block.transactions, block.events, context);
  const { txs, repeated } = firstOfEach(read.sort(inChainOrder));
  const facts: BlockFacts = {
    height: block.block_height,
    blockHash: block.block_hash,
    indexBlockHash: block.index_block_hash,
    parentBlockHash: block.parent_block_hash,
    parentIndexBlockHash: block.parent_index_block_hash,
    parentMicroblock:
      block.parent_microblock === ZERO_HASH
        ? null
        : { hash: block.parent_microblock, sequence: block.parent_microblock_sequence },
    blockTime: block.block_time ?? block.burn_block_time,
    burnBlockHash: block.burn_block_hash,
    burnBlockHeight: block.burn_block_height,
    burnBlockTime: block.burn_block_time,
    parentBurnBlockTime: block.parent_burn_block_timestamp,
    burnView: burnViewNamed(txs),
    minerTxId: block.miner_txid,
    tenureHeight: block.tenure_height,
    signerBitvec: block.signer_bitvec,
    signerSignatures: block.signer_signature ?? [],
    cost: block.anchored_cost ?? block.transactions.reduce((sum, tx) => addCosts(sum, tx.execution_cost), ZERO_COST),
    txCount: block.transactions.length,
    txs,
    repeated,
    microblocks: acceptedMicroblocks(txs),
    minerRewards: block.matured_miner_rewards,
    rewardSet:
      block.reward_set && block.cycle_number !== null ? { cycle: block.cycle_number, set: block.reward_set } : null,
    poxUnlockHeights: [
      block.pox_v1_unlock_height,
      block.pox_v2_unlock_height,
      block.pox_v3_unlock_height,
      block.pox_v4_unlock_height,
    ],
  };
  return { facts, unreadable };
}

/** Decodes the transactions of a block or of microblocks, each with its events. */
export function readTransactions(
  transactions: readonly NodeTransaction[],
  events: readonly TransactionEvent[],
  context: { readonly burnBlockHeight: number; readonly network: Network },
): { txs: TransactionFacts[]; unreadable: Unreadable[] } {
  const eventsOf = Map.groupBy(
    events.filter(event => event.committed).sort((a, b) => a.event_index - b.event_index),
    event => event.txid,
  );
  const txs: TransactionFacts[] = [];
  const unreadable: Unreadable[] = [];
  for (const tx of transactions) {
    const facts = tx.status === 'success' ? numberEvents(eventsOf.get(tx.txid) ?? []) : [];
    const decoded = tx.raw_tx === BITCOIN_OPERATION ? readBitcoinOperation(tx, facts, context) : readRaw(tx.raw_tx);
    if (decoded === null) continue;
    if (typeof decoded === 'string') unreadable.push(unreadableTransaction(tx, decoded));
    else if (decoded.txId !== tx.txid) unreadable.push(unreadableTransaction(tx, 'its id is not that of its bytes'));
    else txs.push(transactionFacts(tx, decoded, facts));
  }
  return { txs, unreadable };
}

function burnViewNamed(txs: readonly TransactionFacts[]): string | null {
  const changes = txs.flatMap(({ transaction: { payload } }) => (payload.kind === 'tenure_change' ? [payload] : []));
  return changes.at(-1)?.burnViewConsensusHash ?? null;
}

function unreadableTransaction({ txid, raw_tx }: NodeTransaction, reason: string): Unreadable {
  const isItsOwn = transactionId(fromHex(raw_tx) ?? new Uint8Array()) === txid;
  return { txId: txid, rawTx: isItsOwn ? raw_tx : null, reason };
}

function readRaw(hex: string): Transaction | string {
  const decoded = decodeTransaction(fromHex(hex) ?? new Uint8Array());
  return decoded.ok ? decoded.value : decoded.error.message;
}

/** Events in effect are numbered anew per transaction (docs/spec/ingestion.md#event-numbers). */
function numberEvents(events: readonly TransactionEvent[]): EventFacts[] {
  const facts: EventFacts[] = [];
  for (const each of events) {
    const event = readEvent(each);
    if (event) facts.push({ index: facts.length, ...event });
  }
  return facts;
}

function transactionFacts(
  tx: NodeTransaction,
  transaction: Transaction,
  events: readonly EventFacts[],
): TransactionFacts {
  return {
    txId: tx.txid,
    txIndex: tx.tx_index,
    rawTx: tx.raw_tx,
    transaction,
    status: tx.status,
    result: tx.raw_result,
    cost: tx.execution_cost,
    vmError: tx.vm_error,
    microblock:
      tx.microblock_hash !== null && tx.microblock_parent_hash !== null && tx.microblock_sequence !== null
        ? { hash: tx.microblock_hash, parentHash: tx.microblock_parent_hash, sequence: tx.microblock_sequence }
        : null,
    events,
    contractInterface: tx.contract_interface,
    ownTimes: null,
  };
}

/**
 * False for Bitcoin operations: they have ids of Bitcoin transactions, and one of these may hold several operations. Every other id is
 * the hash of the bytes, and a chain applies the same bytes once.
 */
export const hasOwnId = ({ rawTx }: Pick<TransactionFacts, 'rawTx'>): boolean => rawTx !== BITCOIN_OPERATION;

function firstOfEach(read: readonly TransactionFacts[]): Pick<BlockFacts, 'txs' | 'repeated'> {
  const seen = new Set<string>();
  const repeated: string[] = [];
  const txs: TransactionFacts[] = [];
  for (const tx of read) {
    const isRepeated = hasOwnId(tx) && seen.has(tx.txId);
    if (isRepeated) repeated.push(tx.txId);
    else txs.push(tx);
    seen.add(tx.txId);
  }
  return { txs, repeated };
}

/** The block without these transactions, and without microblocks that lose all of theirs. @param txIds not of Bitcoin operations */
export function withoutTransactions(block: BlockFacts, txIds: ReadonlySet<string>): BlockFacts {
  const txs = block.txs.filter(tx => !(hasOwnId(tx) && txIds.has(tx.txId)));
  return { ...block, txs, microblocks: acceptedMicroblocks(txs) };
}

export function inChainOrder(a: TransactionFacts, b: TransactionFacts): number {
  return microblockSequence(a) - microblockSequence(b) || a.txIndex - b.txIndex;
}

const microblockSequence = (tx: TransactionFacts): number => tx.microblock?.sequence ?? ANCHORED_SEQUENCE;

function acceptedMicroblocks(txs: readonly TransactionFacts[]): MicroblockFacts[] {
  const counts = new Map<string, MicroblockFacts>();
  for (const { microblock } of txs) {
    if (!microblock) continue;
    counts.set(microblock.hash, { ...microblock, txCount: (counts.get(microblock.hash)?.txCount ?? 0) + 1 });
  }
  return [...counts.values()].sort((a, b) => a.sequence - b.sequence);
}

function addCosts(a: ExecutionCost, b: ExecutionCost): ExecutionCost {
  return {
    read_count: a.read_count + b.read_count,
    read_length: a.read_length + b.read_length,
    runtime: a.runtime + b.runtime,
    write_count: a.write_count + b.write_count,
    write_length: a.write_length + b.write_length,
  };
}

/**
 * Block 1 as the index holds it: the transactions of the boot block (height 0) are part of it, numbered from 1
 * (docs/spec/ingestion.md#boot-block), and keep the times they had. The boot block itself is never a block of the canonical chain.
 */
export function withBootBlock(first: BlockFacts, boot: BlockFacts): BlockFacts {
  const { blockTime, parentBurnBlockTime } = boot;
  const moved = boot.txs.map(tx => ({ ...tx, txIndex: tx.txIndex + 1, ownTimes: { blockTime, parentBurnBlockTime } }));
  const { txs, repeated } = firstOfEach([...moved, ...first.txs].sort(inChainOrder));
  return { ...first, txs, repeated: [...boot.repeated, ...first.repeated, ...repeated] };
}
