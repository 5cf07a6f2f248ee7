import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { PENDING_TXS } from '../../../index/mempool/tables.ts';
import { TX_TYPES, type TxType } from '../../../index/transactions/tables.ts';
import { PERCENTILES } from './stats.ts';

/** The types that the summary counts, in emitted order. No other type is pending, but for reports of microblocks. */
export const SUMMARY_TYPES = ['token_transfer', 'smart_contract', 'contract_call'] as const satisfies readonly TxType[];

type PendingRow = RowOf<typeof PENDING_TXS, 'type' | 'fee' | 'size' | 'receipt_time' | 'chain_height'>;

/** Each null without transactions. */
type Percentiles<T> = Readonly<Record<keyof typeof PERCENTILES, T | null>>;

/** Counts, and percentiles of what pending transactions offer and how long they have waited (docs/spec/mempool.md#summary). */
export async function mempoolFiguresV3(queries: Queries) {
  const types = SUMMARY_TYPES.map(type => TX_TYPES[type]);
  const rows = await queries.all<PendingRow>(
    `SELECT type, fee, size, receipt_time, chain_height FROM pending_txs
      WHERE streamed = 0 AND type IN (${types.map(() => '?').join(', ')})`,
    types,
  );
  const ofType = (type: TxType) => summaryOf(rows.filter(row => row.type === TX_TYPES[type]));
  return {
    ...summaryOf(rows),
    by_type: {
      token_transfer: ofType('token_transfer'),
      smart_contract: ofType('smart_contract'),
      contract_call: ofType('contract_call'),
    },
  };
}

function summaryOf(rows: readonly PendingRow[]) {
  const percentiles = (measure: (row: PendingRow) => number) =>
    percentilesOf(Float64Array.from(rows, measure).sort(), value => value);
  return {
    count: rows.length,
    fee_rate: percentilesOf(BigUint64Array.from(rows, ({ fee }) => Buffer.from(fee).readBigUInt64BE()).sort(), String),
    tx_size: percentiles(({ size }) => size),
    receipt_time: percentiles(row => row.receipt_time),
    receipt_block_height: percentiles(row => row.chain_height),
  };
}

/** Discrete percentiles: values that occur, not means of two. @param ascending the lowest first */
function percentilesOf<V, T>(ascending: ArrayLike<V>, shown: (value: V) => T): Percentiles<T> {
  const at = (part: number): T | null => {
    // In hundredths: 0.95 is not exact, and its products are above or below a whole number.
    const value = ascending[Math.ceil((100 * part * ascending.length) / 100) - 1];
    return value === undefined ? null : shown(value);
  };
  const { p25, p50, p75, p95 } = PERCENTILES;
  return { p25: at(p25), p50: at(p50), p75: at(p75), p95: at(p95) };
}
