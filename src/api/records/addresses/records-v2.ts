import { reprOf } from '../../../index/transactions/record.ts';
import type { AssetEvent } from '../../../ingest/chain/event-facts.ts';
import type { AddressTransaction } from './transactions-v2.ts';

/**
 * A transaction of a principal as getAddressTransactionsV2 serves it, as JSON text. Written without JSON.stringify, which would be most of
 * the work of a page.
 * @param record the transaction as it is served
 */
export function addressTransactionV2({ sent, received, counts }: AddressTransaction, record: string): string {
  const [stx, ft, nft] = [counts.stx, counts.ft, counts.nft].map(
    ({ transfer, mint, burn }) => `{"transfer":${transfer},"mint":${mint},"burn":${burn}}`,
  );
  return `{"tx":${record},"stx_sent":"${sent}","stx_received":"${received}","events":{"stx":${stx},"ft":${ft},"nft":${nft}}}`;
}

/**
 * An event in the form of getAddressTransactionEventsV2 only: with `type` and `data` in place of eventV1's `event_type` and `asset`, and without
 * a missing party, for which eventV1 has an empty text.
 */
export function addressEventV2(event: AssetEvent) {
  switch (event.kind) {
    case 'stx': {
      const { kind: type, index: event_index, action, amount } = event;
      return { type, event_index, data: { type: action, amount, ...parties(event) } };
    }
    case 'ft': {
      const { kind: type, index: event_index, action, amount, asset: asset_identifier } = event;
      return { type, event_index, data: { type: action, amount, asset_identifier, ...parties(event) } };
    }
    case 'nft': {
      const { kind: type, index: event_index, action, asset: asset_identifier } = event;
      const value = { hex: event.value, repr: reprOf(event.value) };
      return { type, event_index, data: { type: action, asset_identifier, value, ...parties(event) } };
    }
    default:
      return event satisfies never;
  }
}

/** A mint has no sender, a burn no recipient. */
function parties({ sender, recipient }: { sender: string | null; recipient: string | null }) {
  return { ...(sender !== null && { sender }), ...(recipient !== null && { recipient }) };
}
