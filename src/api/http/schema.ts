/**
 * Parts of the schemas of responses (TypeBox). Only the documentation and the tests use them, no serialiser does.
 * An object is exact: a key that its schema does not list is not sent. A schema with a `title` becomes a named component
 * of the OpenAPI document, so a title belongs to one schema.
 */
import type { TProperties, TSchema } from 'typebox';
import { Type } from './type.ts';

const HASH = '0x9a1b3c5d7e9f00112233445566778899aabbccddeeff00112233445566778899';

/** 32 bytes: a hash or a transaction id. */
export const hash = (description?: string) =>
  Type.String({ pattern: '^0x[0-9a-f]{64}$', examples: [HASH], ...about(description) });

/** The same; the API writes `0x` where there is no hash. */
export const hashOrNone = (description: string, example?: string) =>
  Type.Union([hash(), Type.Literal('0x')], { description, ...(example !== undefined && { examples: [example] }) });

/** Bytes in hex; without a size, any number of them. */
export const hexString = (description?: string, size?: number) =>
  Type.String({
    pattern: size === undefined ? '^0x([0-9a-f]{2})*$' : `^0x[0-9a-f]{${size * 2}}$`,
    examples: [size === undefined ? '0x0703' : `0x${'0a'.repeat(size)}`],
    ...about(description),
  });

/** A whole number as text, as it may exceed the range of JSON numbers; `signed` if it can be below zero. */
export const amount = (description = 'Micro-STX', signed = false) =>
  Type.String({ pattern: signed ? '^-?[0-9]+$' : '^[0-9]+$', examples: ['1000000'], description });

/** A number of things, a position, or a height. */
export const count = (description?: string) => Type.Integer({ minimum: 0, ...about(description) });

/** Any integer. */
export const whole = (description?: string) => Type.Integer(about(description));

/** Seconds since 1970. */
export const unixTime = (description?: string) =>
  Type.Integer({ examples: [1700001214], description: sentence(description, 'Unix seconds') });

/** The same moment as text; empty when it is not known. */
export const isoTimestamp = (description?: string) =>
  Type.String({
    pattern: '^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z)?$',
    examples: ['2023-11-14T22:33:34.000Z'],
    description: sentence(description, 'ISO 8601, empty when it is not known'),
  });

const ADDRESS = 'S[0-9A-HJKMNP-TV-Z]{20,41}';
const NAME = '[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}';

/** A standard address in c32check. */
export const address = (description?: string) =>
  Type.String({
    pattern: `^${ADDRESS}$`,
    examples: ['SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7'],
    ...about(description),
  });

/** An address, or the id of a contract. */
export const principal = (description?: string) =>
  Type.String({
    pattern: `^${ADDRESS}(\\.${NAME})?$`,
    examples: ['SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7'],
    ...about(description),
  });

/** `<address>.<name>`. */
export const contractId = (description = '`<address>.<name>`') =>
  Type.String({
    pattern: `^${ADDRESS}\\.${NAME}$`,
    examples: ['SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7.my-contract'],
    description,
  });

/** `<contract id>::<asset name>`. */
export const assetId = () =>
  Type.String({
    examples: ['SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7.my-contract::my-token'],
    description: '`<contract id>::<asset name>`',
  });

/** One of these words. */
export const word = <const T extends string>(values: readonly T[], description?: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...about(description) });

/** One of these words, or `unknown_<n>` for a byte that the chain uses and this program does not know. */
export const wordOrUnknown = (values: readonly string[], description?: string) =>
  Type.Union(
    [word(values), Type.String({ pattern: '^unknown_[0-9]+$', examples: ['unknown_99'] })],
    about(description),
  );

/** This or null. */
export const nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], about(description));

/** A Clarity value: its bytes, and as Clarity prints it. */
export const ClarityValueSchema = Type.Object(
  { hex: hexString('The serialised value'), repr: Type.String({ description: 'As Clarity prints it' }) },
  { title: 'ClarityValue', examples: [{ hex: '0x0703', repr: '(ok true)' }] },
);

/** A page of a list whose length is known. @param more further members of the envelope */
export const pageOf = <Item extends TSchema, More extends TProperties = Record<never, never>>(
  record: Item,
  title: string,
  more: More = {} as More,
) =>
  Type.Object(
    {
      ...pageStart(),
      total: Type.Integer({ minimum: 0, examples: [1], description: 'Length of the whole list' }),
      ...more,
      results: Type.Array(record),
    },
    { title },
  );

/** A page of a list whose response has no total. */
export const pageWithoutTotal = <Item extends TSchema>(record: Item, title: string) =>
  Type.Object({ ...pageStart(), results: Type.Array(record) }, { title });

const pageStart = () => ({
  limit: Type.Integer({ minimum: 0, examples: [20], description: 'Records that the page can have' }),
  offset: Type.Integer({ examples: [0], description: 'Records before it' }),
});

/** The default body of errors. */
export const ErrorBody = Type.Object(
  {
    statusCode: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
    code: Type.Optional(Type.String({ description: 'A stable name of the error, where it has one' })),
    error: Type.String({ description: 'The kind of the error' }),
    message: Type.Optional(Type.String({ description: 'What is wrong' })),
    hint: Type.Optional(Type.String({ description: 'What can be done about it' })),
  },
  {
    title: 'Error',
    examples: [
      {
        statusCode: 400,
        code: 'FST_ERR_VALIDATION',
        error: 'Bad Request',
        message: 'querystring/limit must be at most 50, not 51',
      },
    ],
  },
);

/** A response with that body. */
export const failure = (description: string) => ({
  description,
  content: { 'application/json': { schema: ErrorBody } },
});

function about(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}

function sentence(first: string | undefined, rest: string): string {
  return first === undefined ? rest : `${first}. ${rest}`;
}
