import {
  array,
  hash20,
  hash32,
  nonNegativeInteger,
  object,
  optional,
  otherThan,
  principalText,
  type ReaderResult,
} from './fields.ts';

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
