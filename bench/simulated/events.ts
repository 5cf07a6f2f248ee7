import {
  encodeClarityAscii,
  encodeClarityPrincipal,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';
import type { Account } from './accounts.ts';

/** An event, without its transaction and number. */
export type SimulatedEvent = Readonly<Record<string, unknown>>;

const event = (type: string, payload: Readonly<Record<string, unknown>>): SimulatedEvent => ({ type, [type]: payload });

const uintHex = (value: number): string => toHex(encodeClarityUint(value));

export const stxTransfer = (sender: string, recipient: string, amount: number, memo = ''): SimulatedEvent =>
  event('stx_transfer_event', { sender, recipient, amount: String(amount), memo });

export const stxMint = (recipient: string, amount: number): SimulatedEvent =>
  event('stx_mint_event', { recipient, amount: String(amount) });

export const ftMint = (asset: string, recipient: string, amount: number): SimulatedEvent =>
  event('ft_mint_event', { asset_identifier: asset, recipient, amount: String(amount) });

export const ftTransfer = (asset: string, sender: string, recipient: string, amount: number): SimulatedEvent =>
  event('ft_transfer_event', { asset_identifier: asset, sender, recipient, amount: String(amount) });

/** Nodes send values twice: serialised and as JSON. */
const nft = (id: number) => ({ value: { UInt: id }, raw_value: uintHex(id) });

export const nftMint = (asset: string, recipient: string, id: number): SimulatedEvent =>
  event('nft_mint_event', { asset_identifier: asset, recipient, ...nft(id) });

export const nftTransfer = (asset: string, sender: string, recipient: string, id: number): SimulatedEvent =>
  event('nft_transfer_event', { asset_identifier: asset, sender, recipient, ...nft(id) });

/** A member of a tuple that is printed. */
type Printed = number | string | Account;

/** A contract prints a tuple of numbers, texts and accounts. */
export function print(contract: string, members: Readonly<Record<string, Printed>>): SimulatedEvent {
  const named = Object.entries(members).map(([name, member]) => ({ name, ...printedValue(member) }));
  const raw = encodeClarityTuple(Object.fromEntries(named.map(({ name, raw }) => [name, raw])));
  const data_map = Object.fromEntries(named.map(({ name, json }) => [name, json]));
  const type_map = Object.fromEntries(named.map(({ name, type }) => [name, type]));
  const value = { Tuple: { data_map, type_signature: { type_map } } };
  return event('contract_event', {
    ...{ contract_identifier: contract, topic: 'print', value, raw_value: toHex(raw) },
  });
}

function printedValue(member: Printed): { readonly raw: Uint8Array; readonly json: unknown; readonly type: unknown } {
  if (typeof member === 'number') return { raw: encodeClarityUint(member), json: { UInt: member }, type: 'UIntType' };
  if (typeof member === 'string')
    return {
      raw: encodeClarityAscii(member),
      json: { Sequence: { String: { ASCII: { data: [...Buffer.from(member)] } } } },
      type: { SequenceType: { StringType: { ASCII: member.length } } },
    };
  const json = { Principal: { Standard: [26, [...member.hash]] } };
  return { raw: encodeClarityPrincipal(member.address), json, type: 'PrincipalType' };
}
