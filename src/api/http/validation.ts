/**
 * Converts texts to values. Everything in a URL is text; before ajv checks a route's schema, this step converts texts that
 * the schema declares as integer, boolean, list or principal. ajv's own coercion is switched off: docs/spec/http.md#parameters
 * has the rules of this file. A text that cannot be converted stays text, and ajv then reports the expected type.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifyRequest, FastifySchemaCompiler, preValidationHookHandler } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { isStorable } from '../../base/store/values.ts';
import { invalidParameter } from './errors.ts';
import { FORMAT_CHECKS, formatOf } from './principals.ts';

/** Keyword of a text: describes its form in error messages, in place of the pattern. Not published. */
export const FORM_WORDS = 'x-form-words';

/** The form of a text, as keywords of its schema. */
export interface TextForm {
  readonly pattern: string;
  readonly [FORM_WORDS]: string;
}

/** @param words the text after "must be" in an error */
export const textForm = (pattern: string, words: string): TextForm => ({ pattern, [FORM_WORDS]: words });

/** 32 bytes, `0x` optional; see normalHash. */
export const HASH = textForm('^(0x)?[a-fA-F0-9]{64}$', 'a hash (64 hex digits, with or without 0x)');

export const DIGITS = textForm('^[0-9]+$', 'digits');

/** Keyword of an integer: zero means the default of the parameter (`limit=0`). */
export const ZERO_IS_DEFAULT = 'x-zero-is-default';

/**
 * Options of ajv: it validates and fills in defaults, but does not convert or remove anything; it stops at the first
 * failure.
 */
const AJV_OPTIONS = {
  coerceTypes: false as const,
  removeAdditional: false as const,
  useDefaults: true,
  allErrors: false,
  verbose: true, // errors include the invalid value
  keywords: [ZERO_IS_DEFAULT, FORM_WORDS],
  formats: FORMAT_CHECKS,
  addUsedSchema: false,
};

/**
 * Compiles a schema on the first request that needs it: otherwise schemas of routes without requests would take most of
 * the time of a start. Compiles each schema once, as many routes have the same parameters. Servers of one process may
 * share a compiler.
 */
export function validatorCompiler(): FastifySchemaCompiler<object> {
  const ajv = new Ajv(AJV_OPTIONS);
  const compiled = new Map<string, ValidateFunction>();
  const compile = (schema: object): ValidateFunction => {
    const text = JSON.stringify(schema);
    const check = compiled.get(text) ?? ajv.compile(schema);
    compiled.set(text, check);
    return check;
  };
  return ({ schema }) => {
    let check: ValidateFunction | undefined;
    const validate: { (data: unknown): boolean; errors?: ErrorObject[] | null } = data => {
      check ??= compile(schema);
      const isValid = check(data);
      validate.errors = check.errors ?? null;
      return isValid;
    };
    return validate;
  };
}

/** Most characters of a wrong value in an error. */
const SHOWN = 100;

/**
 * The message for a parameter that breaks its schema: which parameter, what is allowed, and what was given.
 * @param part `params`, `querystring` or `body`
 */
export function validationMessage(errors: readonly FastifySchemaValidationError[], part: string): string {
  // For a union, ajv also reports why each member refuses; the error of the union lists everything that its members
  // allow.
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf');
  const told = unions.length > 0 ? unions : errors;
  return told.map(error => `${part}${error.instancePath}${problem(error)}`).join(', ');
}

function problem(error: FastifySchemaValidationError): string {
  const { keyword, params, data } = error as FastifySchemaValidationError & { readonly data?: unknown };
  if (keyword === 'required') return `/${params.missingProperty} is required`;
  const allowed = allowedBy(error);
  return allowed === undefined ? ` ${error.message}` : ` must ${allowed}, not ${shown(data)}`;
}

/** The text after "must"; undefined if ajv's own text is good enough. */
function allowedBy({ keyword, params, ...rest }: FastifySchemaValidationError): string | undefined {
  const { schema, parentSchema } = rest as { readonly schema?: unknown; readonly parentSchema?: Schema };
  const limit = Number(params.limit);
  switch (keyword) {
    case 'enum':
      return `be one of ${(params.allowedValues as string[]).join(', ')}`;
    case 'anyOf':
      return `be ${(schema as Schema[]).map(({ description }) => description).join(' or ')}`;
    case 'type':
      return TYPES[String(params.type)] ?? `be ${params.type}`;
    case 'minimum':
      return `be at least ${limit}`;
    case 'maximum':
      return `be at most ${limit}`;
    case 'minLength':
      return `have at least ${counted(limit, 'character')}`;
    case 'maxLength':
      return `have at most ${counted(limit, 'character')}`;
    case 'minItems':
      return `have at least ${counted(limit, 'item')}`;
    case 'maxItems':
      return `have at most ${counted(limit, 'item')}`;
    case 'uniqueItems':
      return 'have each item once';
    case 'pattern':
    case 'format':
      return formOf(parentSchema);
    default:
      return undefined;
  }
}

/** A repeated parameter is a list, so one that should be a text was given several times. */
const TYPES: Readonly<Record<string, string>> = {
  integer: 'be an integer',
  number: 'be a number',
  boolean: 'be true or false',
  string: 'be given once',
  object: 'be an object',
};

/** Describes the form of a text by its format or its words; without either, an example shows it. */
function formOf({ format, examples = [], [FORM_WORDS]: words }: Schema = {}): string | undefined {
  const kind = formatOf(format)?.kind ?? words;
  if (kind !== undefined) return `be ${kind}`;
  return examples.length > 0 ? `have the form of ${shown(examples[0])}` : undefined;
}

const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** A value as an error shows it; only the beginning of a long one. */
function shown(value: unknown): string {
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, SHOWN) : value) ?? 'nothing';
  return text.length > 2 * SHOWN ? `${text.slice(0, SHOWN)}...` : text;
}

/** The keywords of a JSON schema that this step reads. */
interface Schema {
  readonly type?: string;
  /** The name of a union's member in error messages. */
  readonly description?: string;
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [ZERO_IS_DEFAULT]?: boolean;
  readonly [FORM_WORDS]?: string;
}

/** Converts a text to a value. The conversion of a list has the one of its items. */
type Conversion = ((text: string) => unknown) & { readonly ofItem?: (text: string) => unknown };
type Conversions = ReadonlyMap<string, Conversion>;

/** The preValidation hook for a route with these schemas. Path parameters without a schema are checked, too: they must be storable text. */
export function convertParameters(params: unknown, querystring: unknown): preValidationHookHandler {
  const paths = conversions(params);
  const queries = conversions(querystring);
  return (request, _reply, done) => {
    const path = request.params as Record<string, unknown>;
    for (const name in path) convert(path, 'params', name, paths.get(name));
    convertQuery(request, queries);
    done();
  };
}

/** Reads only declared names, and ignores others. But a name with brackets is an intended filter, and is refused. */
function convertQuery(request: FastifyRequest, queries: Conversions): void {
  const query = request.query as Record<string, unknown>;
  for (const name in query) {
    const [list = ''] = name.split('[', 1);
    if (list !== name && queries.get(list)?.ofItem) {
      throw invalidParameter(`querystring/${list} must be given as ${list}=a,b or repeated, not as ${shown(name)}`);
    }
  }
  for (const [name, conversion] of queries) {
    if (query[name] !== undefined) convert(query, 'querystring', name, conversion);
  }
}

function convert(values: Record<string, unknown>, part: string, name: string, conversion: Conversion = asText): void {
  const raw = values[name]; // a list when a query parameter is repeated
  if (Array.isArray(raw) ? !raw.every(isStorable) : !isStorable(raw)) {
    throw invalidParameter(`${part}/${name} must not contain NUL or an unpaired surrogate`);
  }
  if (typeof raw === 'string') values[name] = conversion(raw);
  else if (Array.isArray(raw) && conversion.ofItem) values[name] = raw.map(conversion.ofItem);
}

function conversions(schema: unknown): Conversions {
  const properties = (schema as Schema | undefined)?.properties ?? {};
  return new Map(Object.entries(properties).map(([name, property]) => [name, conversionOf(property)]));
}

function conversionOf(schema: Schema): Conversion {
  if (schema.anyOf !== undefined) return union(schema.anyOf);
  if (schema.type === 'integer')
    return schema[ZERO_IS_DEFAULT] ? text => unlessZero(asInteger(text), schema.default) : asInteger;
  if (schema.type === 'number') return asNumber;
  if (schema.type === 'boolean') return asBoolean;
  if (schema.type === 'array') return asListOf(schema.items ? conversionOf(schema.items) : asText);
  const format = formatOf(schema.format);
  return format ? text => format.spell(text) ?? text : asText;
}

const asText = (text: string): string => text;

/** The decimal form of an integer: no plus, no point, no leading zero. Each number has one form, and a URL one meaning. */
const INTEGER = /^(0|-?[1-9][0-9]*)$/;

const asInteger = (text: string): number | string => (INTEGER.test(text) ? Number(text) : text);

/** Converts a text that is not empty and a finite number in JavaScript. */
function asNumber(text: string): number | string {
  const value = Number(text);
  return text !== '' && Number.isFinite(value) ? value + 0 : text;
}

const unlessZero = (value: unknown, byDefault: unknown): unknown => (value === 0 ? byDefault : value);

const asBoolean = (text: string): boolean | string => (text === 'true' ? true : text === 'false' ? false : text);

/** A single parameter is a comma-separated list; a repeated one is a list already, and its members are not split. */
const asListOf = (ofItem: (text: string) => unknown): Conversion =>
  Object.assign((text: string) => text.split(',').map(ofItem), { ofItem });

/**
 * A union with an integer converts a decimal text, unless another member accepts it as text: 64 digits are a hash
 * (docs/spec/blocks.md#block-ids).
 */
function union(members: readonly Schema[]): Conversion {
  if (!members.some(member => member.type === 'integer')) return asText;
  const patterns = members.flatMap(member => (member.pattern === undefined ? [] : [new RegExp(member.pattern, 'u')]));
  const constants = new Set(members.map(member => member.const));
  const isText = (text: string) => constants.has(text) || patterns.some(pattern => pattern.test(text));
  return text => (/^(0|[1-9][0-9]*)$/.test(text) && !isText(text) ? Number(text) : text);
}
