import {
  assetIdentifier,
  bareHex,
  boolean,
  decimal,
  field,
  hash32,
  hex,
  integer,
  integerOrDecimal,
  type JsonObject,
  jsonObject,
  object,
  optional,
  principal,
  type Read,
  type Reader,
  string,
} from './fields.ts';

/**
 * The payload of every type of event (docs/spec/ingestion.md#event-messages). The decoded `value` of older nodes is left out:
 * raw_value contains all of it.
 */
const payloads = {
  contract_event: object({ contract_identifier: principal, topic: string, raw_value: hex }),
  stx_transfer_event: object({
    sender: principal,
    recipient: principal,
    amount: decimal,
    /** Hex without `0x`, all zero without a memo; null before 2.1. */
    memo: optional(bareHex()),
  }),
  stx_mint_event: object({ recipient: principal, amount: decimal }),
  stx_burn_event: object({ sender: principal, amount: decimal }),
  stx_lock_event: object({
    locked_address: principal,
    locked_amount: decimal,
    /** A burn height; a decimal string on the wire. */
    unlock_height: integerOrDecimal,
    /** null before 2.1, when only the contract `pox` could lock. */
    contract_identifier: optional(principal),
  }),
  ft_transfer_event: object({
    asset_identifier: assetIdentifier,
    sender: principal,
    recipient: principal,
    amount: decimal,
  }),
  ft_mint_event: object({ asset_identifier: assetIdentifier, recipient: principal, amount: decimal }),
  ft_burn_event: object({ asset_identifier: assetIdentifier, sender: principal, amount: decimal }),
  nft_transfer_event: object({
    asset_identifier: assetIdentifier,
    sender: principal,
    recipient: principal,
    raw_value: hex,
  }),
  nft_mint_event: object({ asset_identifier: assetIdentifier, recipient: principal, raw_value: hex }),
  nft_burn_event: object({ asset_identifier: assetIdentifier, sender: principal, raw_value: hex }),
};

type Payloads = { readonly [T in keyof typeof payloads]: Read<(typeof payloads)[T]> };

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
    event_index: field(event, 'event_index', integer),
    committed: field(event, 'committed', boolean),
  };
  const type = field(event, 'type', string);
  if (!isKnown(type)) return { ...place, type: 'unknown' };
  const payload = field<unknown>(event, type, payloads[type]);
  return { ...place, type, [type]: payload } as unknown as TransactionEvent;
};
