/** Classifies the text of a search of version 3 by the ids that may begin with it (docs/spec/search.md#terms-of-version-3). */
import { fromHex } from '../../../base/lib/hex.ts';
import { LEAST_OF_NAME } from '../../../index/contracts/search-texts.ts';
import { spellPrincipal } from '../../http/principals.ts';

/** Types that are searched by default, in the order of the results. */
export const SEARCH_TYPES = ['block', 'bitcoin_block', 'transaction', 'address', 'smart_contract', 'token'] as const;
/** Types that are searched only if `type` names them. */
export const FURTHER_TYPES = ['pending_transaction', 'name', 'namespace', 'bitcoin_address', 'function'] as const;

/** A type of results. */
export type SearchType = (typeof SEARCH_TYPES)[number] | (typeof FURTHER_TYPES)[number];

/** Hashes between two, both included. */
type HashRange = readonly [first: Uint8Array, last: Uint8Array];

/** The classes of a text; undefined for each class that it does not have. */
export interface SearchTerm {
  readonly height: number | undefined;
  /** The hashes that begin with it. */
  readonly hash: HashRange | undefined;
  /** The last bytes that these hashes must have, from a shortened hash; else empty. */
  readonly hashEnd: Uint8Array;
  /** True for all 64 digits of a hash. */
  readonly isWholeHash: boolean;
  /** The beginning of an address. */
  readonly address: string | undefined;
  /** The beginning of a contract id, with its dot. */
  readonly contract: string | undefined;
  /** The beginning of an asset identifier, with its dot. */
  readonly asset: string | undefined;
  /** Part of the name of a contract, in lower case. */
  readonly contractName: string | undefined;
  /** Part of the names of a contract and its asset, in lower case. */
  readonly assetName: string | undefined;
  /** The beginning of a name of a function; part of a name of BNS; the beginning of a namespace; and of a Bitcoin address. */
  readonly functionName: string | undefined;
  readonly bnsName: string | undefined;
  readonly namespace: string | undefined;
  readonly bitcoinAddress: string | undefined;
}

const HIGHEST = 2 ** 31 - 1;

const HASH = /^(?:0x)?([0-9a-f]{8,64})$/i;
/** A hash as programs shorten it: `0x350063…c8c2dc`. */
const SHORT_HASH = /^(?:0x)?([0-9a-f]{6,56})(?:…|\.{2,3})((?:[0-9a-f]{2}){2,4})$/i;
const C32 = '[0-9A-HJKMNP-TV-Z]';
const ADDRESS = new RegExp(`^S${C32}{5,40}$`, 'i');
const BEFORE_DOT = new RegExp(`^S${C32}*$`, 'i');
const NAME = '[a-z][a-z0-9\\-_!?+<>=/*]*';
const NAME_ALONE = new RegExp(`^${NAME}$`, 'i');
const NAMES = new RegExp(`^${NAME}(::${NAME})?$`, 'i');
const BNS_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]*)*$/i;
const NAMESPACE = /^\.?([a-z0-9_-]{1,20})$/i;
const BITCOIN_ADDRESS = /^[a-z0-9]{6,90}$/i;
const SEGWIT = /^(bc|tb|bcrt)1/i;

/** Classifies a text without blanks around it. */
export function readSearchTerm(text: string): SearchTerm {
  const [, begin, end = ''] = SHORT_HASH.exec(text) ?? [];
  const digits = HASH.exec(text)?.[1] ?? begin;
  const dotted = text.includes('.') ? spellDotted(text) : undefined;
  const isLong = text.length >= LEAST_OF_NAME;
  const name = isLong && NAME_ALONE.test(text) ? text : undefined;
  return {
    height: /^[0-9]+$/.test(text) && Number(text) <= HIGHEST ? Number(text) : undefined,
    hash: digits === undefined ? undefined : [hashOf(digits, '0'), hashOf(digits, 'f')],
    hashEnd: fromHex(`0x${end.toLowerCase()}`) ?? new Uint8Array(),
    isWholeHash: digits?.length === 64,
    address: text.includes('.') ? undefined : spellAddress(text),
    contract: dotted?.split('::')[0],
    asset: dotted,
    contractName: name?.toLowerCase(),
    assetName: isLong && NAMES.test(text) ? text.toLowerCase() : undefined,
    functionName: name,
    bnsName: isLong && BNS_NAME.test(text) ? text.toLowerCase() : undefined,
    namespace: NAMESPACE.exec(text)?.[1]?.toLowerCase(),
    bitcoinAddress: BITCOIN_ADDRESS.test(text) ? (SEGWIT.test(text) ? text.toLowerCase() : text) : undefined,
  };
}

/** SQL: the condition that a hash ends like this, with its parameters. @param column with hashes of 32 bytes */
export const endsWith = (column: string, { hashEnd }: Pick<SearchTerm, 'hashEnd'>): [string, number, Uint8Array] => [
  `substr(${column}, ?) = ?`,
  HASH_BYTES + 1 - hashEnd.length,
  hashEnd,
];

const HASH_BYTES = 32;

const hashOf = (digits: string, filler: string): Uint8Array =>
  fromHex(`0x${digits.toLowerCase().padEnd(64, filler)}`) ?? new Uint8Array();

/** A whole address may have any spelling, as everywhere; a beginning has no checksum to correct its spelling. */
const spellAddress = (text: string): string | undefined =>
  spellPrincipal(text) ?? (ADDRESS.test(text) ? text.toUpperCase() : undefined);

function spellDotted(text: string): string | undefined {
  const dot = text.indexOf('.');
  const [before, rest] = [text.slice(0, dot), text.slice(dot)];
  const address = spellPrincipal(before) ?? (BEFORE_DOT.test(before) ? before.toUpperCase() : undefined);
  return address === undefined ? undefined : address + rest;
}

/** The classes that each type searches. */
const SEARCHED: Readonly<Record<SearchType, readonly Exclude<keyof SearchTerm, 'isWholeHash' | 'hashEnd'>[]>> = {
  block: ['height', 'hash'],
  bitcoin_block: ['height', 'hash'],
  transaction: ['hash'],
  address: ['address'],
  smart_contract: ['contract', 'contractName', 'address'],
  token: ['asset', 'assetName', 'address'],
  pending_transaction: ['hash'],
  name: ['bnsName'],
  namespace: ['namespace'],
  bitcoin_address: ['bitcoinAddress'],
  function: ['functionName'],
};

/** Whether a text has a class that is searched by default, or for one of these types. */
export const isSearchable = (term: SearchTerm, types: readonly SearchType[]): boolean =>
  [...SEARCH_TYPES, ...types].some(type => SEARCHED[type].some(name => term[name] !== undefined));
