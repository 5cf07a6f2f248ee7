/** Packs the records of mints. getNftMintsV1 serves their texts without parsing, so keys are in emitted order. */
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import { reprOf } from '../transactions/record.ts';

/** A mint of a column `record` of NFT_MINTS. */
interface StoredMint {
  readonly event_index: number;
  readonly value: { readonly hex: string; readonly repr: string };
  readonly tx_id: string;
  readonly recipient: string | null;
}

/** The text of a mint. @param event of the transaction, with the action `mint` */
export function packMint(
  txId: string,
  { index, recipient, value }: Extract<EventFacts, { readonly kind: 'nft' }>,
): string {
  const mint: StoredMint = { event_index: index, value: { hex: value, repr: reprOf(value) }, tx_id: txId, recipient };
  return JSON.stringify(mint);
}

export const readMint = (record: string): StoredMint => JSON.parse(record) as StoredMint;
