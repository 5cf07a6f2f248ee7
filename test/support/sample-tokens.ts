import {
  encodeClarityAscii,
  encodeClarityList,
  encodeClarityPrincipal,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';
import type { JsonValue } from '../../src/base/lib/json.ts';
import { type SampleFunction, sampleFunction, sampleInterface } from './sample-contracts.ts';

const BUFF_34 = { buffer: { length: 34 } };
const URI = { response: { ok: { optional: { 'string-ascii': { length: 256 } } }, error: 'uint128' } };

const readOnly = (name: string, ...types: readonly JsonValue[]): SampleFunction => ({
  ...sampleFunction(name, ...types),
  access: 'read_only',
});

const tokenUri = (...types: readonly JsonValue[]): SampleFunction => ({
  ...readOnly('get-token-uri', ...types),
  outputs: { type: URI },
});

/** The functions of each standard, as the interfaces of contracts show them. */
export const TOKEN_FUNCTIONS = {
  'sip-009': [
    readOnly('get-last-token-id'),
    tokenUri('uint128'),
    readOnly('get-owner', 'uint128'),
    sampleFunction('transfer', 'uint128', 'principal', 'principal'),
  ],
  'sip-010': [
    sampleFunction('transfer', 'uint128', 'principal', 'principal', { optional: BUFF_34 }),
    readOnly('get-name'),
    readOnly('get-symbol'),
    readOnly('get-decimals'),
    readOnly('get-balance', 'principal'),
    readOnly('get-total-supply'),
    tokenUri(),
  ],
  'sip-013': [
    readOnly('get-balance', 'uint128', 'principal'),
    readOnly('get-overall-balance', 'principal'),
    readOnly('get-total-supply', 'uint128'),
    readOnly('get-overall-supply'),
    readOnly('get-decimals', 'uint128'),
    tokenUri('uint128'),
    sampleFunction('transfer', 'uint128', 'uint128', 'principal', 'principal'),
    sampleFunction('transfer-memo', 'uint128', 'uint128', 'principal', 'principal', BUFF_34),
  ],
} as const;

/** The interface of a token contract, with a function `act` to call. Assets: `cat` (NFT), `coin` (FT). */
export const tokenContractInterface = (standard: keyof typeof TOKEN_FUNCTIONS) => ({
  ...sampleInterface([...TOKEN_FUNCTIONS[standard], sampleFunction('act')]),
  non_fungible_tokens: standard === 'sip-010' ? [] : [{ name: 'cat', type: 'uint128' }],
  fungible_tokens: standard === 'sip-009' ? [] : [{ name: 'coin' }],
});

/** A Clarity uint, 0x hex. */
export const uintHex = (value: bigint | number): string => toHex(encodeClarityUint(value));

/** Serialised payload of a notification; members that are undefined are left out. */
export interface NotificationParts {
  readonly contractId?: Uint8Array | string | undefined;
  readonly tokenClass?: Uint8Array | string | undefined;
  readonly ids?: Uint8Array | readonly (bigint | number)[] | undefined;
  readonly mode?: Uint8Array | string | undefined;
  readonly ttl?: Uint8Array | bigint | number | undefined;
}

/** The value that announces an update of metadata (SIP-019), 0x hex. Texts are strings unless given as serialised values. */
export function notificationHex({ contractId, tokenClass, ids, mode, ttl }: NotificationParts): string {
  const ascii = (text: Uint8Array | string) => (typeof text === 'string' ? encodeClarityAscii(text) : text);
  const members = {
    ...(contractId !== undefined && {
      'contract-id': typeof contractId === 'string' ? encodeClarityPrincipal(contractId) : contractId,
    }),
    ...(tokenClass !== undefined && { 'token-class': ascii(tokenClass) }),
    ...(ids !== undefined && {
      'token-ids': ids instanceof Uint8Array ? ids : encodeClarityList(ids.map(encodeClarityUint)),
    }),
    ...(mode !== undefined && { 'update-mode': ascii(mode) }),
    ...(ttl !== undefined && { ttl: ttl instanceof Uint8Array ? ttl : encodeClarityUint(ttl) }),
  };
  return toHex(
    encodeClarityTuple({
      notification: encodeClarityAscii('token-metadata-update'),
      payload: encodeClarityTuple(members),
    }),
  );
}

/** What a semi-fungible token contract prints when it mints, 0x hex. */
export const sftMintHex = (id: Uint8Array, recipient: string): string =>
  toHex(
    encodeClarityTuple({
      type: encodeClarityAscii('sft_mint'),
      'token-id': id,
      amount: encodeClarityUint(5),
      recipient: encodeClarityPrincipal(recipient),
    }),
  );
