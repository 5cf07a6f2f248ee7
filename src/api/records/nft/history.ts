import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { KeyOf, RowOf } from '../../../base/store/table.ts';
import { EVENTS_OF_TOKEN, historyName, type NFT_EVENTS, type NFT_OWNERS } from '../../../index/nft/tables.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import { entriesBelow, findList, positionsOf, type Slice } from '../../../ingest/indexer/lists.ts';
import type { CursorPage, CursorQuery } from '../../paging/cursor-page.ts';
import { pageOfEvents } from '../../paging/event-lists.ts';
import { transactionsAt } from '../transactions/positions-v3.ts';

/** A mint, transfer or burn of a token. */
export interface NftEvent {
  /** Position of its transaction among all. */
  readonly tx: number;
  readonly txId: string;
  readonly index: number;
  /** Null for a mint. */
  readonly sender: string | null;
  /** Null for a burn. */
  readonly recipient: string | null;
}

/**
 * A page of the history of a token, newest first, and the number of its events (getNftHistoryV1).
 * @param txsBelow only events of transactions below this position count; undefined for all
 */
export async function historyOfToken(
  queries: Queries,
  token: KeyOf<typeof NFT_OWNERS>,
  { limit, offset }: Omit<Slice, 'order'>,
  txsBelow?: number,
): Promise<{ readonly total: number; readonly events: readonly NftEvent[] }> {
  const list = await findList(queries, EVENTS_OF_TOKEN, historyName(token));
  if (!list) return { total: 0, events: [] };
  const total =
    txsBelow === undefined ? list.length : await entriesBelow(queries, EVENTS_OF_TOKEN, list, 'tx', txsBelow);
  const { from, to } = positionsOf({ order: 'desc', offset, limit }, total);
  const rows = await queries.all<
    RowOf<typeof NFT_EVENTS, 'tx' | 'event_index' | 'sender' | 'recipient'> & RowOf<typeof TXS, 'tx_id'>
  >(
    `SELECT e.tx, e.event_index, e.sender, e.recipient, (SELECT t.tx_id FROM txs t WHERE t.seq = e.tx) AS tx_id
       FROM nft_events e WHERE e.list = ? AND e.seq >= ? AND e.seq < ? ORDER BY e.seq DESC`,
    [list.id, from, to],
  );
  const events = rows.map(({ tx, tx_id, event_index: index, sender, recipient }) => ({
    tx,
    txId: toHex(tx_id),
    index,
    sender,
    recipient,
  }));
  return { total, events };
}

type EventRow = RowOf<typeof NFT_EVENTS, 'tx' | 'event_index' | 'sender' | 'recipient'>;

/** The same by a cursor, microblocks on the tip included (getNftInstanceHistoryV3). */
export const pageOfTokenHistory = (
  queries: Queries,
  token: KeyOf<typeof NFT_OWNERS>,
  query: CursorQuery,
): Promise<CursorPage<EventRow>> =>
  pageOfEvents<EventRow>(queries, EVENTS_OF_TOKEN, historyName(token), query, ', sender, recipient');

/** The history of a token in the form of version 3, in the order of the rows. */
export async function tokenHistoryV3(queries: Queries, rows: readonly EventRow[]) {
  const transactions = await transactionsAt(
    queries,
    rows.map(({ tx }) => tx),
  );
  return rows.flatMap(({ tx, event_index, sender, recipient }) => {
    const transaction = transactions.get(tx);
    if (transaction === undefined) return [];
    const { tx_id, ...position } = transaction;
    return [
      {
        asset_event_type: sender === null ? 'mint' : recipient === null ? 'burn' : 'transfer',
        sender,
        recipient,
        transaction: { tx_id, event_index },
        ...position,
      },
    ];
  });
}
