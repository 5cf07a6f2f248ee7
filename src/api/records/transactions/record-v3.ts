import type { StoredMempoolTransaction, StoredTransaction } from '../../../index/transactions/stored.ts';
import { type Included, summaryOfPayload, wholePayload } from './payload-v3.ts';

/**
 * The block of a transaction, beside the fields of the transaction itself. Hashes 0x hex; `0x` while no block has it.
 */
export interface BlockOfTransaction {
  readonly indexHash: string;
  readonly parentIndexHash: string;
}

/** A confirmed transaction as lists of version 3 show it, keys in emitted order (docs/spec/transactions.md#version-3). */
export const transactionSummary = (tx: StoredTransaction, indexHash: string) => ({
  ...leadingFields(tx),
  ...positionFields(tx, indexHash),
  status: tx.tx_status,
  ...summaryOfPayload(tx),
});

/** The transaction with all its fields. */
export const wholeTransaction = (tx: StoredTransaction, block: BlockOfTransaction, include: ReadonlySet<Included>) => ({
  ...leadingFields(tx),
  ...positionFields(tx, block.indexHash),
  parent_block: { hash: tx.parent_block_hash, index_hash: block.parentIndexHash },
  status: tx.tx_status,
  event_count: tx.event_count,
  execution_cost: {
    read_count: tx.execution_cost_read_count,
    read_length: tx.execution_cost_read_length,
    runtime: tx.execution_cost_runtime,
    write_count: tx.execution_cost_write_count,
    write_length: tx.execution_cost_write_length,
  },
  vm_error: tx.vm_error,
  ...conditionFields(tx, include),
  ...(include.has('result') && { result: tx.tx_result }),
  ...wholePayload(tx, include),
});

/** A pending transaction as lists of version 3 show it. @param receiptHeight of the tip when it was announced */
export const mempoolSummary = (tx: StoredMempoolTransaction, receiptHeight: number) => ({
  ...leadingFields(tx),
  ...receiptFields(tx, receiptHeight),
  status: tx.tx_status,
  ...summaryOfPayload(tx),
});

/** The pending or dropped transaction with all its fields. */
export const wholeMempoolTransaction = (
  tx: StoredMempoolTransaction,
  receiptHeight: number,
  include: ReadonlySet<Included>,
) => ({
  ...leadingFields(tx),
  ...receiptFields(tx, receiptHeight),
  status: tx.tx_status,
  replaced_by_tx_id: tx.replaced_by_tx_id,
  ...conditionFields(tx, include),
  ...wholePayload(tx, include),
});

const leadingFields = (tx: StoredTransaction | StoredMempoolTransaction) => ({
  tx_id: tx.tx_id,
  sender: { address: tx.sender_address, nonce: tx.nonce },
  sponsor:
    tx.sponsor_address === undefined || tx.sponsor_nonce === undefined
      ? null
      : { address: tx.sponsor_address, nonce: tx.sponsor_nonce },
  fee_rate: tx.fee_rate,
});

/** The place of a transaction. */
export const positionFields = (tx: StoredTransaction, indexHash: string) => ({
  block: {
    height: tx.block_height,
    hash: tx.block_hash,
    index_hash: indexHash,
    time: tx.block_time,
    tx_index: tx.tx_index,
  },
  bitcoin_block: { height: tx.burn_block_height, time: tx.burn_block_time },
});

const receiptFields = (tx: StoredMempoolTransaction, receiptHeight: number) => ({
  receipt_time: tx.receipt_time,
  receipt_block_height: receiptHeight,
});

const conditionFields = (tx: StoredTransaction | StoredMempoolTransaction, include: ReadonlySet<Included>) =>
  include.has('post_conditions')
    ? { post_condition_mode: tx.post_condition_mode, post_conditions: tx.post_conditions }
    : {};
