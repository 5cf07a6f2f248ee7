import type { Entities } from '../entities.ts';
import { cold, type Scenario, scenario } from './scenario.ts';

const V3 = '/extended/v3';

/** Routes of version 3: getTransactions, getBlockTransactions. */
export function version3Scenarios({ blocks, height }: Entities): Scenario[] {
  const filled = blocks.filter(({ transactions }) => transactions > 0);
  return [
    scenario('getTransactions newest, hot', [`${V3}/transactions?limit=20`]),
    cold(
      'getTransactions deep page',
      Array.from({ length: 100 }, (_, i) => `${V3}/transactions?cursor=${1 + Math.floor((height * i) / 200)}:0:0`),
    ),
    scenario(
      'getBlockTransactions',
      filled.map(block => `${V3}/blocks/${block.height}/transactions`),
    ),
  ];
}
