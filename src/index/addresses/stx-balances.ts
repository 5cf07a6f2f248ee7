import type { Queries } from '../../base/store/database.ts';
import { lastEntries } from '../../ingest/indexer/last-entries.ts';
import { readStxTotals } from './stored.ts';
import { MINER_REWARDS_OF_ADDRESS, TXS_OF_ADDRESS } from './tables.ts';

/**
 * The STX of principals as far as the queries show, in micro-STX: what the last transaction of its list and its last reward left to each. All are
 * read together.
 * @param rewarded those of them that ever got a reward, where that is known
 */
export async function stxBalances(
  queries: Queries,
  principals: readonly string[],
  rewarded: readonly string[] = principals,
): Promise<(principal: string) => bigint> {
  const [sums, rewards] = await Promise.all([
    lastEntries(queries, TXS_OF_ADDRESS, principals, ['totals']),
    rewarded.length === 0 ? NO_REWARDS : lastEntries(queries, MINER_REWARDS_OF_ADDRESS, rewarded, ['total']),
  ]);
  return principal => {
    const totals = sums.get(principal)?.totals;
    const { received, sent, fees } = totals ? readStxTotals(totals) : NO_STX;
    return received - sent - fees + BigInt(rewards.get(principal)?.total ?? 0);
  };
}

export const NO_STX = { received: 0n, sent: 0n, fees: 0n };

const NO_REWARDS: ReadonlyMap<string, { readonly total: string }> = new Map();
