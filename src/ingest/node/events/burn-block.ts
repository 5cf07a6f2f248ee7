import { array, hash20, hash32, integer, object, optional, otherThan, principal, type Read } from './fields.ts';

/** A Bitcoin transaction that pays rewards, with its outputs that do. */
const poxTransaction = object({
  txid: hash32,
  reward_recipients: array(object({ recipient: principal, amt: integer, utxo_idx: integer })),
});
export type PoxTransaction = Read<typeof poxTransaction>;

/** The body of `/new_burn_block` (docs/spec/ingestion.md#burn-block-messages). Amounts in satoshi. */
export const newBurnBlock = object({
  burn_block_hash: hash32,
  burn_block_height: integer,
  burn_amount: integer,
  reward_recipients: array(object({ recipient: principal, amt: integer })),
  /** Bitcoin addresses by slot index. */
  reward_slot_holders: array(principal),
  /** null before 3.3. */
  pox_transactions: optional(array(poxTransaction)),
  /** These two are null before 3.1. */
  consensus_hash: optional(hash20),
  parent_burn_block_hash: optional(otherThan('burn_block_hash', hash32)),
});
export type NewBurnBlock = Read<typeof newBurnBlock>;
