import { array, hash20, hash32, hex, integer, integerOrDecimal, object, principal, type Read } from './fields.ts';

const attachment = object({
  attachment_index: integer,
  index_block_hash: hash32,
  /** A decimal string in old bodies. */
  block_height: integerOrDecimal,
  content_hash: hash20,
  contract_id: principal,
  /** A Clarity tuple. */
  metadata: hex,
  tx_id: hash32,
  content: hex,
});
export type Attachment = Read<typeof attachment>;

/** The body of `/attachments/new`: zone files of BNS version 1 (docs/spec/ingestion.md#attachment-messages). */
export const newAttachments = array(attachment);
