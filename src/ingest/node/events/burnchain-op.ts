import {
  array,
  bareHex,
  checked,
  decimalAmount,
  field,
  hash20,
  hex,
  jsonObject,
  nonNegativeInteger,
  object,
  optional,
  principalText,
  type Reader,
  type ReaderResult,
} from './fields.ts';

/** A u128, which the node sends as a bare JSON number; a bigint if a double would not be exact. Returned as a decimal string. */
const u128: Reader<string> = (value, owner) =>
  decimalAmount(typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : value, owner);

const stacksAddress = object({
  address: principalText,
  address_version: optional(nonNegativeInteger),
  address_hash_bytes: optional(hash20),
});

/** What every operation may carry: its place in Bitcoin. Hashes are hex without `0x`, as on the wire. */
const place = {
  burn_block_height: optional(nonNegativeInteger),
  burn_header_hash: optional(bareHex(32)),
  burn_txid: optional(bareHex(32)),
  vtxindex: optional(nonNegativeInteger),
};

const addressOfOutput: Reader<readonly [index: number, address: string]> = (value, owner) => {
  const [index, address] = checked(
    array<unknown>(item => item),
    'an output index and an address',
    pair => pair.length === 2,
  )(value, owner);
  return [nonNegativeInteger(index, owner), principalText(address, owner)];
};

/** The operations a node reports (docs/spec/ingestion.md#operations). Amounts are decimal strings. */
const operations = {
  transfer_stx: object({
    ...place,
    sender: stacksAddress,
    recipient: stacksAddress,
    /** The spelling of the node. */
    transfered_ustx: u128,
    memo: optional(hex),
  }),
  stack_stx: object({
    ...place,
    sender: stacksAddress,
    stacked_ustx: u128,
    num_cycles: nonNegativeInteger,
    /** A Bitcoin address. */
    reward_addr: principalText,
    /** Hex without `0x`, as on the wire. These three are null before pox-4. */
    signer_key: optional(bareHex(33)),
    max_amount: optional(u128),
    auth_id: optional(u128),
  }),
  delegate_stx: object({
    ...place,
    sender: stacksAddress,
    delegate_to: stacksAddress,
    delegated_ustx: u128,
    reward_addr: optional(addressOfOutput),
    until_burn_height: optional(nonNegativeInteger),
  }),
  vote_for_aggregate_key: object({
    ...place,
    sender: stacksAddress,
    aggregate_key: bareHex(33),
    signer_key: bareHex(33),
    signer_index: nonNegativeInteger,
    round: nonNegativeInteger,
    reward_cycle: nonNegativeInteger,
  }),
  pre_stx: object({ ...place, output: stacksAddress }),
};

type Operations = { readonly [T in keyof typeof operations]: ReaderResult<(typeof operations)[T]> };

/** `{stack_stx: {...}}` of the wire as `{type: 'stack_stx', stack_stx: {...}}`. A kind that is not known has only its name. */
export type BurnchainOp =
  | { readonly [T in keyof Operations]: { readonly type: T } & { readonly [F in T]: Operations[T] } }[keyof Operations]
  | { readonly type: 'unknown'; readonly name: string };

const isKnown = (name: string): name is keyof Operations => Object.hasOwn(operations, name);

export const burnchainOp: Reader<BurnchainOp> = value => {
  const wire = checked(jsonObject, 'an object with one field', object => Object.keys(object).length === 1)(value, {});
  const name = Object.keys(wire)[0] ?? '';
  if (!isKnown(name)) return { type: 'unknown', name };
  return { type: name, [name]: field<unknown>(wire, name, operations[name]) } as unknown as BurnchainOp;
};
