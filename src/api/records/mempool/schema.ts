import type { TSchema } from 'typebox';
import { COUNTED_TYPES } from '../../../index/mempool/counts.ts';
import { amount, count, nullable, unixTime } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { PERCENTILES, STATS_TYPES } from './stats.ts';

const priorities = Type.Object(
  {
    no_priority: count('25th percentile'),
    low_priority: count('50th percentile'),
    medium_priority: count('75th percentile'),
    high_priority: count('95th percentile'),
  },
  { title: 'FeePriorities', description: 'Fees in micro-STX' },
);

const byType = (value: TSchema, description: string) =>
  Type.Object(Object.fromEntries(STATS_TYPES.map(type => [type, value])), { description });
const percentiles = Type.Object(
  Object.fromEntries(
    Object.entries(PERCENTILES).map(([name, part]) => [
      name,
      nullable(Type.Number({ minimum: 0 }), `${100 * part}th percentile; null without such transactions`),
    ]),
  ),
  { title: 'Percentiles' },
);

/** Statistics of pending transactions. */
export const MempoolStatsSchemaV1 = Type.Object(
  {
    tx_type_counts: byType(count(), 'Number of transactions'),
    tx_simple_fee_averages: byType(percentiles, 'Fees in micro-STX'),
    tx_ages: byType(percentiles, 'Blocks since they were received, the next one included'),
    tx_byte_sizes: byType(percentiles, 'Bytes of the transaction'),
  },
  { title: 'MempoolStats' },
);

/** Fees by kind: a kind is present while a transaction of it is pending. */
export const FeeReportSchemaV2 = Type.Object(
  {
    all: priorities,
    token_transfer: Type.Optional(priorities),
    contract_call: Type.Optional(priorities),
    smart_contract: Type.Optional(priorities),
  },
  { title: 'MempoolFees' },
);

/** Discrete percentiles, which are existing values. */
const occurring = (value: TSchema, description: string) =>
  Type.Object(
    Object.fromEntries(
      Object.entries(PERCENTILES).map(([name, part]) => [
        name,
        nullable(value, `${100 * part}th percentile; null without such transactions`),
      ]),
    ),
    { description },
  );

const pendingSummary = {
  count: count('Number of transactions'),
  fee_rate: occurring(amount(), 'Whole fees in micro-STX'),
  tx_size: occurring(count(), 'Bytes of the serialised transactions'),
  receipt_time: occurring(unixTime(), 'When this server received them: the oldest first'),
  receipt_block_height: occurring(count(), 'Height of the tip when they were received'),
};

/** Figures of pending transactions (docs/spec/mempool.md#summary). */
export const MempoolSummarySchemaV3 = Type.Object(
  {
    ...pendingSummary,
    by_type: Type.Object(
      Object.fromEntries(
        COUNTED_TYPES.map(type => [type, Type.Object(pendingSummary, { title: 'MempoolSummaryOfType' })]),
      ),
    ),
  },
  { title: 'MempoolSummary' },
);
