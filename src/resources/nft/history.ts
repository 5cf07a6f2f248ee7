import { createHash } from 'node:crypto';
import { entriesBelow, findList, positionsOf, type Slice } from '../../indexer/lists.ts';
import { toHex } from '../../lib/hex.ts';
import type { Queries } from '../../store/database.ts';
import type { KeyOf, RowOf } from '../../store/table.ts';
import type { TXS } from '../transactions/tables.ts';
import { EVENTS_OF_TOKEN, type NFT_EVENTS, type NFT_OWNERS } from './tables.ts';

/** The name of the list of the events of a token: 16 bytes of a digest, as the value of a token can be longer than an index takes. */
export const historyName = ({ asset, token }: KeyOf<typeof NFT_OWNERS>): string =>
  createHash('sha256').update(`${asset}\n`).update(token).digest().toString('base64url', 0, 16);

/** A mint, transfer or burn of a token. */
export interface TokenEvent {
  /** Where its transaction is in the list of all. */
  readonly tx: number;
  readonly txId: string;
  readonly index: number;
  /** Null for a mint. */
  readonly sender: string | null;
  /** Null for a burn. */
  readonly recipient: string | null;
}

/**
 * A page of what became of a token, newest first, and the number of its events (getNftHistory).
 * @param txsBelow only events of transactions below this position count; undefined for all
 */
export async function historyOfToken(
  queries: Queries,
  token: KeyOf<typeof NFT_OWNERS>,
  { limit, offset }: Omit<Slice, 'order'>,
  txsBelow?: number,
): Promise<{ readonly total: number; readonly events: readonly TokenEvent[] }> {
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
