import type { Span } from '../../../base/lib/span.ts';
import type { Queries } from '../../../base/store/database.ts';
import { TXS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import { LOGS_BY_CONTRACT } from '../../../index/contracts/tables.ts';
import { FT_EVENTS_OF, LOGS_BY_PRINCIPAL, LOGS_BY_TOPIC } from '../../../index/events/tables.ts';
import { entriesBelow, findList } from '../../../ingest/indexer/lists.ts';

/** Lists of the transactions of a principal, with prints of a contract (also by topic or principal), or with moves of a token. */
const LISTS_OF = {
  principal: TXS_OF_ADDRESS,
  'contract-log': LOGS_BY_CONTRACT,
  'contract-log-topic': LOGS_BY_TOPIC,
  'contract-log-principal': LOGS_BY_PRINCIPAL,
  ft: FT_EVENTS_OF,
} as const;

/**
 * The transactions of such a list within a span, as positions among all, in order; a transaction may come several times.
 * @param most entries; if the result has this many, there may be more
 */
export async function occurrences(
  queries: Queries,
  kind: keyof typeof LISTS_OF,
  name: string,
  { from, to }: Span,
  most: number,
): Promise<number[]> {
  const { entries } = LISTS_OF[kind];
  const list = await findList(queries, LISTS_OF[kind], name);
  if (!list) return [];
  const first = await entriesBelow(queries, LISTS_OF[kind], list, 'tx', from);
  const rows = await queries.all<{ readonly tx: number }>(
    `SELECT tx FROM ${entries.name} WHERE list = ? AND seq >= ? AND seq < ? AND tx < ? ORDER BY seq`,
    [list.id, first, Math.min(first + most, list.length), to],
  );
  return rows.map(({ tx }) => tx);
}
