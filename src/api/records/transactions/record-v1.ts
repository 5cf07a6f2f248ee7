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

/** Removes the arguments of the call from a record of version 1. Few requests leave them out, so records are stored with them. */
export function withoutFunctionArgsV1(text: string): string {
  const tx: { readonly contract_call?: { function_args?: unknown } } = JSON.parse(text);
  if (tx.contract_call) delete tx.contract_call.function_args;
  return JSON.stringify(tx);
}
