import { transactionId } from '../../codec/index.ts';
import type { Session } from '../../indexer/session.ts';
import { fromHex } from '../../lib/hex.ts';
import { keepRawTransaction } from '../transactions/projection.ts';

/** Transactions wait for a block: their bytes can be asked for by id from now on (E20). */
export function announceTransactions(session: Session, rawTxs: readonly string[]): void {
  for (const rawTx of rawTxs) {
    keepRawTransaction(transactionId(fromHex(rawTx) ?? new Uint8Array()), rawTx, session.workspace);
  }
}
