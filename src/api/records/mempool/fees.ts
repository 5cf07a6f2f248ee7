import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { PENDING_TXS } from '../../../index/mempool/tables.ts';
import { TX_TYPES, type TxType } from '../../../index/transactions/tables.ts';

/** Fees in micro-STX for each priority. */
interface FeePriorities {
  readonly no_priority: number;
  readonly low_priority: number;
  readonly medium_priority: number;
  readonly high_priority: number;
}

/** Types that have fees of their own, in emitted order; the other types count in `all` only. */
const TYPES = ['token_transfer', 'contract_call', 'smart_contract'] as const satisfies readonly TxType[];
type FeeReport = { readonly all: FeePriorities } & { readonly [type in (typeof TYPES)[number]]?: FeePriorities };

/** A pending transaction's fee and type (a number of TX_TYPES). */
export interface TypedFee {
  readonly type: number;
  readonly fee: number;
}

/** Fees of pending transactions, in any order: an index of fees would have to look up the type of each. */
export async function pendingFees(queries: Queries): Promise<TypedFee[]> {
  const rows = await queries.all<RowOf<typeof PENDING_TXS, 'type' | 'fee'>>(
    'SELECT type, fee FROM pending_txs WHERE streamed = 0',
  );
  return rows.map(({ type, fee }) => ({ type, fee: feeNumber(fee) }));
}

/** @param fee as stored: 8 bytes, big-endian */
export function feeNumber(fee: Uint8Array): number {
  const view = new DataView(fee.buffer, fee.byteOffset, fee.byteLength);
  return view.getUint32(0) * 2 ** 32 + view.getUint32(4);
}

/** The response of getMempoolFeePrioritiesV2 (docs/spec/mempool.md#fee-priorities). */
export function feeReport(fees: readonly TypedFee[]): FeeReport {
  const report: { -readonly [key in keyof FeeReport]: FeeReport[key] } = { all: priorities(fees) };
  for (const type of TYPES) {
    const own = fees.filter(fee => fee.type === TX_TYPES[type]);
    if (own.length > 0) report[type] = priorities(own);
  }
  return report;
}

function priorities(fees: readonly TypedFee[]): FeePriorities {
  const ascending = Float64Array.from(fees, ({ fee }) => fee).sort();
  const percentile = (part: number) => halfToEven(percentileOf(ascending, part));
  return {
    no_priority: percentile(0.25),
    low_priority: percentile(0.5),
    medium_priority: percentile(0.75),
    high_priority: percentile(0.95),
  };
}

/** The continuous percentile: between two values, their weighted mean. 0 without values. @param ascending the lowest first */
export function percentileOf(ascending: Float64Array, part: number): number {
  const position = part * (ascending.length - 1);
  const below = ascending[Math.floor(position)] ?? 0;
  const above = ascending[Math.ceil(position)] ?? 0;
  return below + (above - below) * (position - Math.floor(position));
}

function halfToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
