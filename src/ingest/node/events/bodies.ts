import {
  array,
  hash20,
  hash32,
  hex,
  integerOrDecimal,
  nonNegativeInteger,
  object,
  optional,
  otherThan,
  principalText,
  type ReaderResult,
  string,
} from './fields.ts';
import { nodeTransaction } from './transaction.ts';
import { transactionEvent } from './transaction-event.ts';

/** A Bitcoin transaction that pays rewards, with its outputs that do. */
const poxTransaction = object({
  txid: hash32,
  reward_recipients: array(object({ recipient: principalText, amt: nonNegativeInteger, utxo_idx: nonNegativeInteger })),
});
export type PoxTransaction = ReaderResult<typeof poxTransaction>;

/** The body of `/new_burn_block` (docs/spec/ingestion.md#burn-block-messages). Amounts in satoshi. */
export const newBurnBlock = object({
  burn_block_hash: hash32,
  burn_block_height: nonNegativeInteger,
  burn_amount: nonNegativeInteger,
  reward_recipients: array(object({ recipient: principalText, amt: nonNegativeInteger })),
  /** Bitcoin addresses by slot index. */
  reward_slot_holders: array(principalText),
  /** null before 3.3. */
  pox_transactions: optional(array(poxTransaction)),
  /** These two are null before 3.1. */
  consensus_hash: optional(hash20),
  parent_burn_block_hash: optional(otherThan('burn_block_hash', hash32)),
});
export type NewBurnBlock = ReaderResult<typeof newBurnBlock>;

/**
 * The body of `/new_microblocks`, epochs 2.0 to 2.5 (docs/spec/ingestion.md#microblock-messages). `burn_*` describe the parent
 * anchor block.
 */
export const newMicroblocks = object({
  parent_index_block_hash: hash32,
  burn_block_hash: hash32,
  burn_block_height: nonNegativeInteger,
  /** Seconds. */
  burn_block_timestamp: nonNegativeInteger,
  transactions: array(nodeTransaction),
  events: array(transactionEvent),
});
export type NewMicroblocks = ReaderResult<typeof newMicroblocks>;

/** The body of `/new_mempool_tx`: serialised transactions, `0x` and hex. That they decode is not checked here. */
export const newMempoolTx = array(hex);

/** The body of `/drop_mempool_tx` (docs/spec/ingestion.md#mempool-messages). */
export const dropMempoolTx = object({
  dropped_txids: array(hash32),
  /** `ReplaceByFee`, `ReplaceAcrossFork`, `TooExpensive`, `StaleGarbageCollect`, `Problematic`, or something newer. */
  reason: string,
  /** The transaction that replaced it; null without one, and before 3.1. */
  new_txid: optional(hash32),
});
export type DropMempoolTx = ReaderResult<typeof dropMempoolTx>;

const attachment = object({
  attachment_index: nonNegativeInteger,
  index_block_hash: hash32,
  /** A decimal string in old bodies. */
  block_height: integerOrDecimal,
  content_hash: hash20,
  contract_id: principalText,
  /** A Clarity tuple. */
  metadata: hex,
  tx_id: hash32,
  content: hex,
});
export type Attachment = ReaderResult<typeof attachment>;

/** The body of `/attachments/new`: zone files of BNS version 1 (docs/spec/ingestion.md#attachment-messages). */
export const newAttachments = array(attachment);
