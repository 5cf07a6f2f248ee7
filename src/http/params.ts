/** The parameters that routes share, as schemas (TypeBox), and what their values mean. */
import Type, { type Static, type TSchema } from 'typebox';
import { ZERO_IS_DEFAULT } from './validation.ts';

/** Of any integer: beyond it a number loses digits, and an offset is past the end of every list. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

const HASH_PATTERN = '^(0x)?[a-fA-F0-9]{64}$';
const ADDRESS_START = '^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}';
const CONTRACT_NAME = '[a-zA-Z]([a-zA-Z0-9]|[-_]){0,39}$';

interface IntegerBounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

/** An integer. Without bounds: every integer that a number holds exactly. */
export const integer = (bounds: IntegerBounds = {}) =>
  Type.Integer({ minimum: -MAX_INTEGER, maximum: MAX_INTEGER, ...bounds });

/**
 * The length of a page, 0..maximum.
 * @param zero what `limit=0` means: the default (most lists), or an empty page (`kept`: getTransactionsByBlock, getAddressTransactions)
 */
export const limit = (maximum: number, standard: number, zero: 'default' | 'kept' = 'default') =>
  Type.Integer({ minimum: 0, maximum, default: standard, ...(zero === 'default' && { [ZERO_IS_DEFAULT]: true }) });

/** Where a page begins. Only getBlocks has bounds of its own. */
export const offset = (minimum = 0, maximum = MAX_INTEGER) => Type.Integer({ minimum, maximum, default: 0 });

/** `true` or `false`. */
export const flag = (standard = false) => Type.Boolean({ default: standard });

/** Text without further rules; NUL and unpaired surrogates are refused for every parameter. */
export const text = () => Type.String();

/** One of these words. Each of them adds a sentence to the message when none matches. */
export const oneOf = <const T extends string>(values: readonly T[], standard?: NoInfer<T>) =>
  Type.Unsafe<T>({ ...wordOf(values), ...(standard !== undefined && { default: standard }) });

/** A list of these words: `a,b` in one parameter, or the parameter repeated. */
export const listOf = <const T extends string>(values: readonly T[]) =>
  Type.Unsafe<T[]>({ type: 'array', items: wordOf(values) });

const wordOf = (values: readonly string[]) => ({ anyOf: values.map(value => ({ type: 'string', const: value })) });

/** A transaction id (or any hash of 32 bytes), `0x` optional; see normalHash. */
export const txId = () => Type.String({ pattern: HASH_PATTERN });

/** The cursor of getBlocks: an index block hash, `0x` required. */
export const blockCursor = () => Type.String({ pattern: '^0x[a-fA-F0-9]{64}$' });

/** The beginning of a principal, as getMempoolTransactionList demands it. Whether the rest is valid is for the handler. */
export const principalStart = () => Type.String({ pattern: ADDRESS_START });

/** The address of getAddressTransactions and getAddressTransactionEvents: everything that begins like a principal passes. */
export const addressOrContract = () =>
  Type.Unsafe<string>({
    anyOf: [
      { type: 'string', pattern: ADDRESS_START },
      { type: 'string', pattern: `${ADDRESS_START}.${CONTRACT_NAME}` }, // the dot is any character, as recorded
    ],
  });

/** A contract principal as getNftMetadata demands it: name of up to 40 characters. */
export const contractPrincipal = () => Type.String({ pattern: `${ADDRESS_START}\\.${CONTRACT_NAME}` });

/**
 * The block of getTransactionsByBlock, getBlock, getBurnBlock: `latest`, a hash, or digits; see blockRef
 * (docs/spec/blocks.md#block-ids).
 */
export const heightOrHash = () =>
  Type.Unsafe<string | number>({
    anyOf: [{ type: 'string', const: 'latest' }, { type: 'string', pattern: HASH_PATTERN }, { type: 'integer' }],
  });

/** Which block is meant. Hashes are `0x` and lower-case hex. */
export type BlockRef = { readonly latest: true } | { readonly hash: string } | { readonly height: number };

/** The meaning of a validated heightOrHash. A height beyond MAX_INTEGER becomes MAX_INTEGER, which no chain reaches. */
export function blockRef(value: string | number): BlockRef {
  if (value === 'latest') return { latest: true };
  if (typeof value === 'string') return { hash: normalHash(value) };
  return { height: Math.min(value, MAX_INTEGER) };
}

/** A validated hash in the form of the index: `0x` and lower-case hex. */
export function normalHash(hash: string): string {
  const lower = hash.toLowerCase();
  return lower.startsWith('0x') ? lower : `0x${lower}`;
}

/** Lets Fastify give `request.params` and `request.query` the types of their schemas. */
export interface SchemaTypes {
  readonly schema: unknown;
  readonly validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
  readonly serializer: unknown;
}
