import { decodeTransaction } from '../../../base/codec/index.ts';
import { fromHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { waitingRawTransactions } from '../../../index/transactions/raw.ts';
import { contentOf, type TransactionContent } from '../../../index/transactions/stored.ts';
import { functionsOfContractsNow } from '../contracts/functions.ts';
import type { MempoolStatus } from './status.ts';

/** What is known of a transaction beside its bytes. */
interface Reception {
  readonly txId: string;
  readonly status: MempoolStatus;
  readonly replacedBy: string | null;
  /** Unix seconds. */
  readonly receiptTime: number;
  /** Height of the tip when it was received. */
  readonly chainHeight: number;
}

/** A pending or dropped transaction. */
export type WaitingTransaction = TransactionContent & Reception;

/**
 * These transactions in the order of their receptions. They are decoded per request, as the contract that a pending
 * transaction calls may be deployed after the announcement.
 */
export async function pendingTransactions(
  queries: Queries,
  receptions: readonly Reception[],
): Promise<WaitingTransaction[]> {
  const raws = await waitingRawTransactions(
    queries,
    receptions.map(({ txId }) => txId),
  );
  const found = receptions.flatMap(reception => {
    const decoded = decodeTransaction(fromHex(raws.get(reception.txId) ?? '') ?? new Uint8Array());
    return decoded.ok ? [{ reception, tx: decoded.value }] : [];
  });
  const called = found.flatMap(({ tx }) => (tx.payload.kind === 'contract_call' ? [tx.payload.contractId] : []));
  const functionOf = await functionsOfContractsNow(queries, [...new Set(called)]);
  return found.map(({ reception: { txId, status, replacedBy, receiptTime, chainHeight }, tx }) => ({
    ...contentOf(txId, tx, functionOf),
    status,
    replacedBy,
    receiptTime,
    chainHeight,
  }));
}
