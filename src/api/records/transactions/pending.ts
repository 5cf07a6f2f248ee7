import type { TransactionContent } from '../../../index/transactions/stored.ts';

/** A pending or dropped transaction, for the renderers of both versions. */
export interface PendingTransaction extends TransactionContent {
  /** As it is served. */
  readonly status: string;
  readonly replacedBy: string | null;
  /** Unix seconds. */
  readonly receiptTime: number;
  /** Height of the tip when it was received. */
  readonly chainHeight: number;
}
