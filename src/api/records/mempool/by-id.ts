import type { Queries } from '../../../base/store/database.ts';
import { firstUnanchored } from '../../../index/blocks/canonical-chain.ts';
import { type EventWindow, transactionDetails } from '../transactions/detail.ts';
import { mempoolRecordsById } from './queries.ts';

/** Options of a request for transactions by their ids. */
interface ByIdQuery {
  /** Whether one that only a microblock on the tip has counts as confirmed. */
  readonly unanchored: boolean;
  readonly events: EventWindow;
}

/**
 * Transactions by their ids (0x, lower case), as JSON texts: confirmed ones with their events, else pending or dropped ones; others are
 * left out (docs/spec/transactions.md#transactions-by-id).
 */
export async function transactionsById(
  queries: Queries,
  txIds: readonly string[],
  { unanchored, events }: ByIdQuery,
): Promise<Map<string, string>> {
  const before = unanchored ? undefined : await firstUnanchored(queries);
  const confirmed = await transactionDetails(queries, txIds, events, before);
  const others = txIds.filter(txId => !confirmed.has(txId));
  const waiting = others.length > 0 ? await mempoolRecordsById(queries, others) : [];
  return new Map([...confirmed, ...waiting]);
}
