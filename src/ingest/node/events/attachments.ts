import {
  array,
  hash20,
  hash32,
  hex,
  integerOrDecimal,
  nonNegativeInteger,
  object,
  principalText,
  type ReaderResult,
} from './fields.ts';

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
