import { isoTime } from '../../../base/lib/time.ts';
import type { StoredTransaction, TransactionContent } from '../../../index/transactions/stored.ts';
import { type Included, payloadSummaryV3, wholePayloadV3 } from './payload-v3.ts';
import type { PendingTransaction } from './pending.ts';

/**
 * The block of a transaction, beside the fields of the transaction itself. Hashes 0x hex; `0x` while no block has it.
 */
export interface BlockOfTransaction {
  readonly indexHash: string;
  readonly parentIndexHash: string;
}

/** A confirmed transaction as lists of version 3 show it, keys in emitted order (docs/spec/transactions.md#version-3). */
export const transactionSummaryV3 = (tx: StoredTransaction, indexHash: string) => ({
  ...leadingFields(tx),
  ...positionFieldsV3(tx, indexHash),
  status: tx.status,
  ...payloadSummaryV3(tx.payload),
});

/** The transaction with all its fields. */
export const transactionV3 = (tx: StoredTransaction, block: BlockOfTransaction, include: ReadonlySet<Included>) => ({
  ...leadingFields(tx),
  ...positionFieldsV3(tx, block.indexHash),
  parent_block: { hash: tx.parentBlockHash, index_hash: block.parentIndexHash },
  status: tx.status,
  event_count: tx.eventCount,
  execution_cost: {
    read_count: tx.cost.read_count,
    read_length: tx.cost.read_length,
    runtime: tx.cost.runtime,
    write_count: tx.cost.write_count,
    write_length: tx.cost.write_length,
  },
  vm_error: tx.vmError,
  ...conditionFields(tx, include),
  ...(include.has('result') && { result: tx.result }),
  ...wholePayloadV3(tx.payload, include),
});

/** A pending transaction as lists of version 3 show it. */
export const mempoolSummaryV3 = (tx: PendingTransaction) => ({
  ...leadingFields(tx),
  ...receiptFields(tx),
  status: tx.status,
  ...payloadSummaryV3(tx.payload),
});

/** The pending or dropped transaction with all its fields. */
export const mempoolTransactionV3 = (tx: PendingTransaction, include: ReadonlySet<Included>) => ({
  ...leadingFields(tx),
  ...receiptFields(tx),
  status: tx.status,
  replaced_by_tx_id: tx.replacedBy,
  ...conditionFields(tx, include),
  ...wholePayloadV3(tx.payload, include),
});

const leadingFields = (tx: TransactionContent) => ({
  tx_id: tx.txId,
  sender: { address: tx.sender, nonce: tx.nonce },
  sponsor: tx.sponsor,
  fee_rate: tx.fee,
});

/** The time of a block in both forms. @param time in Unix seconds; an invalid one gets an empty text */
const timeV3 = (time: number) => ({ time, time_iso: isoTime(time) });

/** The place of a transaction. */
export const positionFieldsV3 = (tx: StoredTransaction, indexHash: string) => ({
  block: {
    height: tx.blockHeight,
    hash: tx.blockHash,
    index_hash: indexHash,
    ...timeV3(tx.blockTime),
    tx_index: tx.txIndex,
  },
  bitcoin_block: { height: tx.burnBlockHeight, ...timeV3(tx.burnBlockTime) },
});

const receiptFields = (tx: PendingTransaction) => ({
  receipt_time: tx.receiptTime,
  receipt_block_height: tx.chainHeight,
});

const conditionFields = (tx: TransactionContent, include: ReadonlySet<Included>) =>
  include.has('post_conditions')
    ? { post_condition_mode: tx.postConditionMode, post_conditions: tx.postConditions }
    : {};
