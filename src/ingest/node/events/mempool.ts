import { array, hash32, hex, object, optional, type ReaderResult, string } from './fields.ts';

/** The body of `/new_mempool_tx`: serialised transactions, `0x` and hex. That they decode is not checked here. */
export const newMempoolTx = array(hex);

/** The body of `/drop_mempool_tx` (docs/spec/ingestion.md#mempool-messages). */
export const dropMempoolTx = object({
  dropped_txids: array(hash32),
  /** `ReplaceByFee`, `ReplaceAcrossFork`, `TooExpensive`, `StaleGarbageCollect`, `Problematic`, or something newer. */
  reason: string,
  /** What replaced it; null when nothing did, and before 3.1. */
  new_txid: optional(hash32),
});
export type DropMempoolTx = ReaderResult<typeof dropMempoolTx>;
