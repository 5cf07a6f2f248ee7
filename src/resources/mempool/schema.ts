import Type from 'typebox';
import { count } from '../../http/schema.ts';

const priorities = Type.Object(
  {
    no_priority: count('25th percentile'),
    low_priority: count('50th percentile'),
    medium_priority: count('75th percentile'),
    high_priority: count('95th percentile'),
  },
  { title: 'FeePriorities', description: 'Fees in micro-STX' },
);

/** Fees by kind: a kind is there while a transaction of it is pending. */
export const FeeReportSchema = Type.Object(
  {
    all: priorities,
    token_transfer: Type.Optional(priorities),
    contract_call: Type.Optional(priorities),
    smart_contract: Type.Optional(priorities),
  },
  { title: 'MempoolFees' },
);
