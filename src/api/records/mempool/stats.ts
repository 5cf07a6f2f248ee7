import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { PENDING_TXS } from '../../../index/mempool/tables.ts';
import { TX_TYPES, type TxType } from '../../../index/transactions/tables.ts';
import { readState } from '../../../ingest/indexer/index-state.ts';
import { feeNumber, percentileOf } from './fees.ts';

/** The types that the statistics count, in emitted order. */
export const STATS_TYPES = [
  'token_transfer',
  'smart_contract',
  'contract_call',
  'poison_microblock',
] as const satisfies readonly TxType[];
type StatsType = (typeof STATS_TYPES)[number];
type ByType<T> = Readonly<Record<StatsType, T>>;

export const PERCENTILES = { p25: 0.25, p50: 0.5, p75: 0.75, p95: 0.95 } as const;
type Percentiles = Readonly<Record<keyof typeof PERCENTILES, number | null>>;

interface MempoolStats {
  readonly tx_type_counts: ByType<number>;
  readonly tx_simple_fee_averages: ByType<Percentiles>;
  readonly tx_ages: ByType<Percentiles>;
  readonly tx_byte_sizes: ByType<Percentiles>;
}

type PendingRow = RowOf<typeof PENDING_TXS, 'type' | 'fee' | 'size' | 'chain_height'>;

/** Counts, fees, ages and sizes of pending transactions (docs/spec/mempool.md#statistics). */
export async function mempoolStats(queries: Queries): Promise<MempoolStats> {
  const { tip } = await readState(queries);
  const next = (tip?.height ?? 0) + 1;
  const rows = await queries.all<PendingRow>(
    'SELECT type, fee, size, chain_height FROM pending_txs WHERE streamed = 0',
  );
  const of = byType(type => rows.filter(row => row.type === TX_TYPES[type]));
  const percentiles = (measure: (row: PendingRow) => number) =>
    byType(type => percentilesOf(Float64Array.from(of[type], measure)));
  return {
    tx_type_counts: byType(type => of[type].length),
    tx_simple_fee_averages: percentiles(({ fee }) => feeNumber(fee)),
    // The tip can be lower than at the time of receipt.
    tx_ages: percentiles(({ chain_height }) => Math.max(1, next - chain_height)),
    tx_byte_sizes: percentiles(({ size }) => size),
  };
}

const byType = <T>(value: (type: StatsType) => T): ByType<T> => ({
  token_transfer: value('token_transfer'),
  smart_contract: value('smart_contract'),
  contract_call: value('contract_call'),
  poison_microblock: value('poison_microblock'),
});

function percentilesOf(values: Float64Array): Percentiles {
  const ascending = values.toSorted();
  const at = (part: number) => (ascending.length === 0 ? null : percentileOf(ascending, part));
  const { p25, p50, p75, p95 } = PERCENTILES;
  return { p25: at(p25), p50: at(p50), p75: at(p75), p95: at(p95) };
}
