/**
 * What the naive model knows of the chain: everything delivered, and what of it is canonical. It is made anew from all
 * deliveries for every question (world-of.ts), so there is nothing to update, to undo or to forget.
 *
 * The model shares only the codec with the program (bytes to values); every rule of the chain and of the responses is written
 * here a second time, from the specification, as simply as possible.
 */

import type { Transaction } from '../../src/base/codec/index.ts';

/** JSON as a node sent it. The model trusts its shape: it is only given what the event server accepted. */
// biome-ignore lint/suspicious/noExplicitAny: payloads are looked into freely
export type Payload = any;

export interface Tx {
  readonly txId: string;
  /** 0x-hex bytes as delivered. */
  readonly raw: string;
  /** What the bytes say; of an operation from Bitcoin, what stands for it. */
  readonly decoded: Transaction;
  /** The entry of `transactions` in the payload. */
  readonly payload: Payload;
  /** Those entries of `events` that count (committed, of a successful transaction), in order: the index here is the served one. */
  readonly events: readonly Payload[];
  /** Where it is served: of a boot transaction block 1, of an unanchored one a block with the hash `0x` above the tip. */
  readonly block: Block;
  /** `tx_index` as served. */
  readonly index: number;
  /** Set where the transaction came in a microblock. */
  readonly microblock: { readonly hash: string; readonly parentHash: string; readonly sequence: number } | undefined;
}

export interface Block {
  readonly payload: Payload;
  readonly hash: string;
  readonly indexHash: string;
  readonly parentIndexHash: string;
  readonly height: number;
  readonly burnHash: string;
  readonly burnHeight: number;
  /** Unix seconds. */
  readonly burnTime: number;
  /** In the order of the block. */
  /** Those of microblocks are numbered anew when the block becomes canonical. */
  txs: readonly Tx[];
  /** With those that the chain below has already, which a canonical block is served without. */
  own: readonly Tx[];
  /** Order of first delivery: 0, 1, 2 ... */
  readonly arrival: number;
}

export interface BurnBlock {
  readonly payload: Payload;
  readonly hash: string;
  readonly height: number;
  readonly arrival: number;
}

/** A transaction that was in the mempool. */
export interface MempoolTx {
  readonly txId: string;
  readonly raw: string;
  readonly decoded: Transaction;
  /** Unix seconds of arrival; of the last one, where it was announced again after it was dropped. */
  readonly receiptTime: number;
  /** Order of arrival, as above. */
  readonly arrival: number;
  /** False for a transaction that only a removed block had. */
  readonly announced: boolean;
  /** The tip when it was received. */
  readonly tip: Block | undefined;
  /** `mined`: in a canonical block or an unanchored microblock. */
  readonly status: string;
  readonly replacedBy: string | null;
  /** When its node dropped it, in Unix seconds. */
  readonly droppedAt: number | null;
}

export type PendingTx = MempoolTx;

/** A transaction of a streamed microblock, as far as its bytes go. */
export type StreamedBytes = Pick<Tx, 'txId' | 'raw'>;

/** A microblock, and the index block hash of the block that it stands on. */
export interface MicroblockLink {
  readonly hash: string;
  readonly parentHash: string;
  readonly sequence: number;
  readonly parentBlock: string;
}

export interface World {
  readonly network: 'mainnet' | 'testnet';
  /** Canonical, ascending, from height 1. The transactions of the boot block are those of `boot`, not of the first one. */
  readonly blocks: readonly Block[];
  /** The boot block as it is served: with its transactions in block 1. Undefined without either. */
  readonly boot: Block | undefined;
  /** Every other block that was delivered, in order of arrival: orphaned, or waiting for its parent. */
  readonly others: readonly Block[];
  /** Transactions of streamed microblocks that stand on the tip, in order. */
  readonly unanchored: readonly Tx[];
  /** Every block that was delivered, as it was delivered, in order of arrival: canonical, boot, and others. */
  readonly known: readonly Block[];
  /** Every transaction that was ever streamed in a microblock on the tip of its time. */
  readonly streamed: readonly Tx[];
  /** Every microblock that was streamed, also in a message that was ignored, or that a block accepted. */
  readonly microblocks: readonly MicroblockLink[];
  /** What every message of microblocks brought, also one that was ignored. */
  readonly streamedBytes: readonly StreamedBytes[];
  /** Every canonical transaction in chain order: those of blocks, boot ones in block 1, and unanchored ones. */
  readonly txs: readonly Tx[];
  /** Canonical, ascending. */
  readonly burnBlocks: readonly BurnBlock[];
  /** What is pending after all rules of the mempool, in order of arrival. */
  readonly pending: readonly PendingTx[];
  /** Every transaction that was ever in the mempool, in whatever state, in order of arrival. */
  readonly mempool: readonly MempoolTx[];
  /** Every zone file that was delivered, of whatever block, in order of arrival. */
  readonly attachments: readonly Payload[];
}
