import { isoTime } from '../../../base/lib/time.ts';
import { leadingFieldsV1, trailingFieldsV1 } from '../../../index/transactions/stored.ts';
import type { PendingTransaction } from './pending.ts';

/**
 * A pending or dropped transaction as versions 1 and 2 serve it, keys in emitted order (docs/spec/transactions.md#pending-transactions);
 * the form of a confirmed one is stored (transactionV1).
 */
export const pendingTransactionV1 = (tx: PendingTransaction) => ({
  ...leadingFieldsV1(tx),
  tx_status: tx.status,
  replaced_by_tx_id: tx.replacedBy,
  receipt_time: tx.receiptTime,
  receipt_time_iso: isoTime(tx.receiptTime),
  ...trailingFieldsV1(tx),
});

/** A text of version 1, with events or without, less the arguments of its call. Leaving them out is the rare case, so they are stored. */
export function withoutFunctionArgsV1(text: string): string {
  const tx: { readonly contract_call?: { function_args?: unknown } } = JSON.parse(text);
  if (tx.contract_call) delete tx.contract_call.function_args;
  return JSON.stringify(tx);
}
