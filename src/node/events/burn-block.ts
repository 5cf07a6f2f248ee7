import { array, hash20, hash32, integer, object, optional, otherThan, principal, type Read } from './fields.ts';

/** The body of `/new_burn_block` (docs/spec/ingestion.md#burn-block-messages). Amounts in satoshi. */
export const newBurnBlock = object({
  burn_block_hash: hash32,
  burn_block_height: integer,
  burn_amount: integer,
  reward_recipients: array(object({ recipient: principal, amt: integer })),
  /** Bitcoin addresses by slot index. */
  reward_slot_holders: array(principal),
  /** These two are null before 3.1. */
  consensus_hash: optional(hash20),
  parent_burn_block_hash: optional(otherThan('burn_block_hash', hash32)),
});
export type NewBurnBlock = Read<typeof newBurnBlock>;
