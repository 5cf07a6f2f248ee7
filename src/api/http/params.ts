/** The parameters that routes share, as schemas (TypeBox), and functions that interpret their values. */
import type { Static, TSchema } from 'typebox';
import { invalidParameter } from './errors.ts';
import { FORMATS, type FormatName } from './principals.ts';
import { Type } from './type.ts';
import { FORM_WORDS, HASH, textForm, ZERO_IS_DEFAULT } from './validation.ts';

/** Largest integer: a greater number would lose digits, and a greater offset is past the end of every list. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** The documentation of a parameter. */
type About = {
  readonly description: string;
  /** Values to try: the sample chain has something for each. */
  readonly examples?: readonly unknown[];
};

const about = (description: string, ...examples: readonly unknown[]): About => ({
  description,
  ...(examples.length > 0 && { examples }),
});

const given = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value]);

interface IntegerBounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

/** An integer. Without bounds: every integer that a number holds exactly. */
export const integer = (description: string, bounds: IntegerBounds = {}, example?: number) =>
  Type.Integer({ minimum: -MAX_INTEGER, maximum: MAX_INTEGER, ...bounds, ...about(description, ...given(example)) });

/**
 * The length of a page, 0..maximum.
 * @param zero what `limit=0` means: the default (most lists), or an empty page (`kept`)
 */
export const limit = (
  maximum: number,
  byDefault: number,
  zero: 'default' | 'kept' = 'default',
  description = 'Records of the page.',
) =>
  Type.Integer({
    minimum: 0,
    maximum,
    default: byDefault,
    ...(zero === 'default' && { [ZERO_IS_DEFAULT]: true }),
    description: zero === 'default' ? `${description} 0 stands for the default.` : description,
  });

/** The start of a page. */
export const offset = (minimum = 0, maximum = MAX_INTEGER, description = 'Records to skip.') =>
  Type.Integer({ minimum, maximum, default: 0, description });

/** `true` or `false`. */
export const flag = (description: string, byDefault = false) => Type.Boolean({ default: byDefault, description });

/** Text without further rules; NUL and unpaired surrogates are refused for every parameter. */
export const text = (description: string, ...examples: readonly string[]) =>
  Type.String(about(description, ...examples));

/** One of these words. */
export const oneOf = <const T extends string>(
  description: string,
  values: readonly T[],
  byDefault?: NoInfer<T>,
  example?: NoInfer<T>,
) =>
  Type.Unsafe<T>({
    ...wordOf(values),
    ...(byDefault !== undefined && { default: byDefault }),
    ...about(description, ...given(example)),
  });

/** A list of these words: `a,b` in one parameter, or the parameter repeated. */
export const listOf = <const T extends string>(
  description: string,
  values: readonly T[],
  options: { readonly uniqueItems?: true } = {},
) => Type.Unsafe<T[]>({ type: 'array', items: wordOf(values), description, ...options });

const wordOf = (values: readonly string[]) => ({ type: 'string', enum: [...values] });

/** A transaction id (or any hash of 32 bytes), `0x` optional; see normalHash. */
export const txId = (example: string) =>
  Type.String({ ...HASH, ...about('Transaction id; `0x` may be left out.', example) });

/** Transaction ids, `0x` optional: `a,b` in one parameter, or the parameter repeated; see normalHash. */
export const txIds = (example: string) =>
  Type.Unsafe<string[]>({
    type: 'array',
    items: { type: 'string', ...HASH },
    ...about('Transaction ids, `0x` may be left out: `a,b`, or the parameter repeated.', [example]),
  });

/** The same, at most so many, each once in any spelling: see distinctHashes. */
export const distinctTxIds = (example: string, most: number) =>
  Type.Unsafe<string[]>({ ...txIds(example), minItems: 1, maxItems: most, uniqueItems: true });

/**
 * The validated hashes of a parameter in the form of the index.
 * @throws ApiError 400 for a repeated hash: the schema compares texts, and does not recognise another spelling
 */
export function distinctHashes(parameter: string, hashes: readonly string[]): string[] {
  const normal = hashes.map(normalHash);
  const twice = normal.find((hash, i) => normal.indexOf(hash) < i);
  if (twice !== undefined) {
    throw invalidParameter(`querystring/${parameter} must have each item once, but has "${twice}" twice`);
  }
  return normal;
}

/** The cursor of a list of blocks: an index block hash, `0x` required. */
export const blockCursor = (example: string) =>
  Type.String({
    ...textForm('^0x[a-fA-F0-9]{64}$', 'a hash (0x and 64 hex digits)'),
    ...about('A cursor of another page: an index block hash.', example),
  });

/** The cursor of a list of transactions: any text, as in version 9 one that is malformed is not found, like an unknown one. */
export const transactionCursor = (example: string) =>
  Type.String(
    about(
      'A cursor of another page: index block hash, microblock sequence and index of its first transaction.',
      example,
    ),
  );

/** The cursor of a list of logs. */
export const logCursor = (example: string) =>
  Type.String({
    pattern: '^[0-9]+:[0-9]+:[0-9]+:[0-9]+$',
    ...about('A cursor of another page: block height, microblock sequence, index of transaction and event.', example),
  });

const ofFormat = (format: FormatName, description: string, example: string) =>
  Type.String({ format, pattern: FORMATS[format].pattern, ...about(description, example) });

/** An address, or the id of a contract. Handlers get it in the spelling of the index, as with the three below (./principals.ts). */
export const principalParam = (description: string, example: string) =>
  ofFormat('stacks-principal', description, example);

/** An address, and no contract. */
export const standardAddress = (description: string, example: string) =>
  ofFormat('stacks-address', description, example);

/** The id of a contract, and no address alone. */
export const contractPrincipal = (example: string) =>
  ofFormat('stacks-contract', 'The contract: `<address>.<name>`.', example);

/** Ids of contracts: `a,b` in one parameter, or the parameter repeated. */
export const contractPrincipals = (example: string) =>
  Type.Unsafe<string[]>({
    type: 'array',
    items: { type: 'string', format: 'stacks-contract', pattern: FORMATS['stacks-contract'].pattern },
    ...about('Contracts, each `<address>.<name>`: `a,b`, or the parameter repeated.', [example]),
  });

/** Addresses and ids of contracts: `a,b` in one parameter, or the parameter repeated. */
export const principals = (description: string, example: string, most: number) =>
  Type.Unsafe<string[]>({
    type: 'array',
    items: { type: 'string', format: 'stacks-principal', pattern: FORMATS['stacks-principal'].pattern },
    minItems: 1,
    maxItems: most,
    ...about(`${description}: \`a,b\`, or the parameter repeated.`, [example]),
  });

/** Tokens of contracts: `a,b` in one parameter, or the parameter repeated. */
export const tokensOfContracts = (example: string, most: number) =>
  Type.Unsafe<string[]>({
    type: 'array',
    items: { type: 'string', format: 'stacks-token', pattern: FORMATS['stacks-token'].pattern },
    minItems: 1,
    maxItems: most,
    ...about(
      'Tokens, each `<contract id>` or `<contract id>:<number>`, where 1 is the number of those without: `a,b`, or the parameter repeated.',
      [example],
    ),
  });

/** A class of assets: `<contract id>::<asset name>`. */
export const assetIdentifier = (description: string, example: string) => ofFormat('stacks-asset', description, example);

/** A list of classes of assets: `a,b` in one parameter, or the parameter repeated. */
export const assetIdentifiers = (description: string, example: string) =>
  Type.Unsafe<string[]>({
    type: 'array',
    items: { type: 'string', format: 'stacks-asset', pattern: FORMATS['stacks-asset'].pattern },
    description,
    examples: [example],
  });

/** Bytes in hex, `0x` optional. */
export const hexValue = (description: string, example: string) =>
  Type.String({
    ...textForm('^(0x)?([0-9a-fA-F]{2})*$', 'hex digits, two for each byte'),
    ...about(description, example),
  });

/** Bytes, `0x` optional; see fromHex. */
export const hexText = (description: string, example: string) => ofFormat('hex-bytes', description, example);

/** The principal that a route is about. */
export const addressOrContract = (example: string) => principalParam('An address, or the id of a contract.', example);

/** A block: `latest`, a hash, or digits; see blockRef (docs/spec/blocks.md#block-ids). */
export const heightOrHash = (
  description = 'Height, block hash or index block hash (`0x` may be left out), or `latest`.',
  example: string | number = 'latest',
) =>
  Type.Unsafe<string | number>({
    anyOf: [
      { type: 'string', description: '"latest"', const: 'latest' },
      { type: 'string', description: HASH[FORM_WORDS], pattern: HASH.pattern },
      { type: 'integer', description: 'a height in digits', minimum: 0 },
    ],
    ...about(description, example),
  });

/** The block that a parameter names. Hashes are `0x` and lower-case hex. */
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

/** The block up to which a response counts; momentOf reads the parameter. */
export const untilBlock = () =>
  Type.Optional(text('Only blocks up to this one count: its height, or its block hash with `0x`.', '20'));

/** Lets Fastify give `request.params` and `request.query` the types of their schemas. */
export interface SchemaTypes {
  readonly schema: unknown;
  readonly validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
  readonly serializer: unknown;
}
