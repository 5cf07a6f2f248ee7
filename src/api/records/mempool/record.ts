import { decodeTransaction } from '../../../base/codec/index.ts';
import { fromHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { STATUS } from '../../../index/mempool/status.ts';
import { waitingRawTransactions } from '../../../index/transactions/raw.ts';
import { contentOf } from '../../../index/transactions/record.ts';
import { functionsOfContractsNow } from '../contracts/queries.ts';
import type { PendingTransaction } from '../transactions/pending.ts';

/** `tx_status` of records; transactions in getMempoolTransactionListV1 are pending whether or not a microblock has them. */
export const STATUS_NAMES: Readonly<Partial<Record<number, MempoolStatus>>> = {
  [STATUS.STREAMED]: 'pending',
  [STATUS.PENDING]: 'pending',
  [STATUS.REPLACED_BY_FEE]: 'dropped_replace_by_fee',
  [STATUS.REPLACED_ACROSS_FORK]: 'dropped_replace_across_fork',
  [STATUS.TOO_EXPENSIVE]: 'dropped_too_expensive',
  [STATUS.STALE]: 'dropped_stale_garbage_collect',
  [STATUS.AGED_OUT]: 'dropped_stale_garbage_collect',
  [STATUS.PROBLEMATIC]: 'dropped_problematic',
};

export const MEMPOOL_STATUSES = [
  'pending',
  'dropped_replace_by_fee',
  'dropped_replace_across_fork',
  'dropped_too_expensive',
  'dropped_stale_garbage_collect',
  'dropped_problematic',
] as const;

export type MempoolStatus = (typeof MEMPOOL_STATUSES)[number];

/** A pending or dropped transaction. */
export interface WaitingTransaction extends PendingTransaction {
  readonly status: MempoolStatus;
}

/** Facts about a transaction beside its bytes. */
type Reception = Pick<WaitingTransaction, 'txId' | 'status' | 'replacedBy' | 'receiptTime' | 'chainHeight'>;

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
