import { decodeTransaction, type Transaction as StacksTransaction } from '../../codec/index.ts';
import { fromHex } from '../../lib/hex.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { waitingRawTransactions } from '../transactions/raw.ts';
import { TX_TYPES } from '../transactions/tables.ts';
import { bigEndian, idBytes, type MempoolTx } from './rows.ts';
import { STATUS } from './status.ts';
import type { PENDING_TXS } from './tables.ts';

/**
 * Rows of PENDING_TXS. What they tell of a transaction is read from its bytes, which every transaction here has; one whose
 * id a false Bitcoin operation has taken since is left out.
 */
export async function pendingRows(queries: Queries, rows: readonly MempoolTx[]): Promise<RowOf<typeof PENDING_TXS>[]> {
  const raws = await waitingRawTransactions(
    queries,
    rows.map(({ txId }) => txId),
  );
  return rows.flatMap(row => {
    const raw = fromHex(raws.get(row.txId) ?? '') ?? new Uint8Array();
    const decoded = decodeTransaction(raw);
    if (!decoded.ok) return [];
    const pending = {
      tx_id: idBytes(row.txId),
      streamed: row.status === STATUS.STREAMED ? 1 : 0,
      receipt_time: row.receiptTime,
      size: raw.length,
      fee: bigEndian(row.fee),
      ...shownFacts(decoded.value),
    };
    return [pending];
  });
}

function shownFacts(tx: StacksTransaction) {
  const { payload, origin, sponsor } = tx;
  const transfer = payload.kind === 'token_transfer' ? payload : null;
  return {
    type: TX_TYPES[payload.kind],
    sender: origin.address,
    payer: (sponsor ?? origin).address,
    recipient: transfer?.recipient ?? null,
    amount: transfer ? String(transfer.amount) : null,
    contract: contractOf(tx),
  };
}

/** The contract that a transaction calls or deploys. */
function contractOf({ payload, origin }: StacksTransaction): string | null {
  if (payload.kind === 'contract_call') return payload.contractId;
  return payload.kind === 'smart_contract' ? `${origin.address}.${payload.name}` : null;
}
