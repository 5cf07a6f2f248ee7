import type { JsonObject } from '../../../base/lib/json.ts';
import {
  assetIdentifierText,
  bareHex,
  boolean,
  decimalAmount,
  field,
  hash32,
  hex,
  integerOrDecimal,
  jsonObject,
  nonNegativeInteger,
  object,
  optional,
  principalText,
  type Reader,
  type ReaderResult,
  string,
} from './fields.ts';

/**
 * The payload of every type of event (docs/spec/ingestion.md#event-messages). The decoded `value` of older nodes is left out:
 * raw_value contains all of it.
 */
const payloads = {
  contract_event: object({ contract_identifier: principalText, topic: string, raw_value: hex }),
  stx_transfer_event: object({
    sender: principalText,
    recipient: principalText,
    amount: decimalAmount,
    /** Hex without `0x`, all zero without a memo; null before 2.1. */
    memo: optional(bareHex()),
  }),
  stx_mint_event: object({ recipient: principalText, amount: decimalAmount }),
  stx_burn_event: object({ sender: principalText, amount: decimalAmount }),
  stx_lock_event: object({
    locked_address: principalText,
    locked_amount: decimalAmount,
    /** A burn height; a decimal string on the wire. */
    unlock_height: integerOrDecimal,
    /** null before 2.1, when only the contract `pox` could lock. */
    contract_identifier: optional(principalText),
  }),
  ft_transfer_event: object({
    asset_identifier: assetIdentifierText,
    sender: principalText,
    recipient: principalText,
    amount: decimalAmount,
  }),
  ft_mint_event: object({ asset_identifier: assetIdentifierText, recipient: principalText, amount: decimalAmount }),
  ft_burn_event: object({ asset_identifier: assetIdentifierText, sender: principalText, amount: decimalAmount }),
  nft_transfer_event: object({
    asset_identifier: assetIdentifierText,
    sender: principalText,
    recipient: principalText,
    raw_value: hex,
  }),
  nft_mint_event: object({ asset_identifier: assetIdentifierText, recipient: principalText, raw_value: hex }),
  nft_burn_event: object({ asset_identifier: assetIdentifierText, sender: principalText, raw_value: hex }),
};

type Payloads = { readonly [T in keyof typeof payloads]: ReaderResult<(typeof payloads)[T]> };

interface EventPlace {
  readonly txid: string;
  /** Position in the whole block, or in the whole microblock message. The array itself is in no order. */
  readonly event_index: number;
  /** Older nodes also send events of what was rolled back, as false. */
  readonly committed: boolean;
}

/** One entry of `events`: `type` determines which payload field it has. An entry of an unknown type has no payload. */
export type TransactionEvent = EventPlace &
  (
    | { readonly [T in keyof Payloads]: { readonly type: T } & { readonly [F in T]: Payloads[T] } }[keyof Payloads]
    | { readonly type: 'unknown' }
  );

const isKnown = (type: string): type is keyof Payloads => Object.hasOwn(payloads, type);

export const transactionEvent: Reader<TransactionEvent> = value => {
  const event: JsonObject = jsonObject(value, {});
  const place: EventPlace = {
    txid: field(event, 'txid', hash32),
    event_index: field(event, 'event_index', nonNegativeInteger),
    committed: field(event, 'committed', boolean),
  };
  const type = field(event, 'type', string);
  if (!isKnown(type)) return { ...place, type: 'unknown' };
  const payload = field<unknown>(event, type, payloads[type]);
  return { ...place, type, [type]: payload } as unknown as TransactionEvent;
};
