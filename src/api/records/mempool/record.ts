import { decodeTransaction, type Transaction } from '../../../base/codec/index.ts';
import { fromHex } from '../../../base/lib/hex.ts';
import { isoTime } from '../../../base/lib/time.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { FunctionOf } from '../../../index/contracts/functions.ts';
import { payloadRecord } from '../../../index/transactions/payload-record.ts';
import { waitingRawTransactions } from '../../../index/transactions/raw.ts';
import { leadingFields, sponsorFields } from '../../../index/transactions/record.ts';
import { functionsOfContractsNow } from '../contracts/functions.ts';
import type { MempoolStatus } from './status.ts';

/** The fields of a record that are not in the bytes of the transaction. */
export interface Reception {
  readonly txId: string;
  readonly status: MempoolStatus;
  readonly replacedBy: string | null;
  /** Unix seconds. */
  readonly receiptTime: number;
}

/**
 * A pending or dropped transaction as the API serves it wherever it appears, keys in emitted order
 * (docs/spec/transactions.md#pending-transactions).
 */
function mempoolRecord(tx: Transaction, { txId, status, replacedBy, receiptTime }: Reception, functionOf: FunctionOf) {
  return {
    ...leadingFields(txId, tx),
    tx_status: status,
    replaced_by_tx_id: replacedBy,
    receipt_time: receiptTime,
    receipt_time_iso: isoTime(receiptTime),
    ...payloadRecord(tx, functionOf),
    ...sponsorFields(tx),
  };
}

/**
 * The records of these transactions as JSON texts, each with its reception, in the given order. They are built per
 * request, as the contract that a pending transaction calls may be deployed after the announcement.
 */
export async function mempoolRecords<R extends Reception>(
  queries: Queries,
  receptions: readonly R[],
): Promise<{ readonly reception: R; readonly record: string }[]> {
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
  return found.map(({ reception, tx }) => ({
    reception,
    record: JSON.stringify(mempoolRecord(tx, reception, functionOf)),
  }));
}
