import { array, hash32, nonNegativeInteger, object, type ReaderResult } from './fields.ts';
import { nodeTransaction } from './transaction.ts';
import { transactionEvent } from './transaction-event.ts';

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
