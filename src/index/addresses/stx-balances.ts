import type { Queries } from '../../base/store/database.ts';
import { lastEntries } from '../../ingest/indexer/last-entries.ts';
import { readStxTotals } from './stored.ts';
import { MINER_REWARDS_OF_ADDRESS, TXS_OF_ADDRESS } from './tables.ts';

/** SQL: the stored balance of a row `b` of ACCOUNTS at a height; null if the principal was no holder. */
export const STX_AT = `(SELECT s.balance FROM stx_balances s WHERE s.account = b.number AND s.height <= ? ORDER BY s.height DESC LIMIT 1)`;

/**
 * The STX of principals as far as the queries show, in micro-STX, computed from the last transaction in the list of each and its last reward. Reads
 * all together.
 */
export async function stxBalances(
  queries: Queries,
  principals: readonly string[],
): Promise<(principal: string) => bigint> {
  const [sums, rewards] = await Promise.all([
    lastEntries(queries, TXS_OF_ADDRESS, principals, ['totals']),
    lastEntries(queries, MINER_REWARDS_OF_ADDRESS, principals, ['total']),
  ]);
  return principal => {
    const totals = sums.get(principal)?.totals;
    const { received, sent, fees } = totals ? readStxTotals(totals) : NO_STX;
    return received - sent - fees + BigInt(rewards.get(principal)?.total ?? 0);
  };
}

export const NO_STX = { received: 0n, sent: 0n, fees: 0n };
