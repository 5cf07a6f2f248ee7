import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';

/** The change that a transaction made to the STX of its account; the sent amount includes the fee. */
export const changeOf = ({ stx_received, stx_sent }: Api.HistoryRow): bigint => BigInt(stx_received) - BigInt(stx_sent);

/**
 * The STX balance after each row of a page of a history. It is anchored at a balance that the API gives, and goes on by the changes of
 * the rows; undefined where the anchor does not reach: rewards of miners are balances without transactions.
 * @param id of the account, encoded  @param now the balance after the first row, where that is the newest
 */
export async function runningBalances(
  api: ApiClient,
  id: string,
  rows: readonly Api.HistoryRow[],
  now: Api.StxBalance | undefined,
): Promise<readonly (bigint | undefined)[]> {
  const [first] = rows;
  if (first === undefined) return [];
  if (now !== undefined && now.total_miner_rewards_received === '0') return descending(rows, 0, BigInt(now.balance));
  // The page before may have further rows of the first row's block. The balance at the end of the next block below is
  // exact.
  const below = rows.findIndex(({ tx }) => tx.block_height !== first.tx.block_height);
  if (below < 0) return rows.map(() => undefined);
  const height = rows[below]?.tx.block_height;
  const anchor = await api.find<Api.StxBalance>(`/extended/v1/address/${id}/stx?until_block=${height}`);
  if (anchor === undefined || anchor.total_miner_rewards_received !== '0') return rows.map(() => undefined);
  return descending(rows, below, BigInt(anchor.balance));
}

/** From the balance after the row at `at`: downwards each row takes its change back, upwards it adds it. */
function descending(rows: readonly Api.HistoryRow[], at: number, balance: bigint): bigint[] {
  const balances: bigint[] = new Array(rows.length).fill(0n);
  let after = balance;
  for (let i = at; i < rows.length; i++) {
    balances[i] = after;
    after -= changeOf(rows[i] as Api.HistoryRow);
  }
  after = balance;
  for (let i = at - 1; i >= 0; i--) {
    after += changeOf(rows[i] as Api.HistoryRow);
    balances[i] = after;
  }
  return balances;
}
