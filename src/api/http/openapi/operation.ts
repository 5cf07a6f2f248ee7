/** The operation of a route, from what the route declares. */
import type { RouteOptions } from 'fastify';
import type { CacheKind } from '../caching.ts';
import { MEDIA_TYPES, takesFormat } from '../file-forms.ts';
import { failure } from '../schema.ts';
import { hasPast } from '../shown-block.ts';
import type { JsonSchema } from './components.ts';
import {
  type Entry,
  exampleOf,
  JSON_MEDIA,
  type Method,
  type Operation,
  type Parameter,
  type Response,
} from './document.ts';

declare module 'fastify' {
  interface FastifySchema {
    readonly operationId?: string;
    readonly summary?: string;
    readonly description?: string;
    readonly tags?: readonly string[];
    readonly deprecated?: boolean;
  }
  interface FastifyContextConfig {
    /** Media type of a 200 whose body is not JSON. */
    mediaType?: string;
    /** Serves pages of this program only: docs/compatibility.md#what-only-this-index-has. */
    internal?: true;
  }
}

/** Undefined for a route without a tag: it is not in the document. */
export function entryOf({ url, method, schema, config }: RouteOptions): Entry | undefined {
  if (!schema?.tags?.length) return undefined;
  const { operationId = '', summary = '', tags, deprecated } = schema;
  const { cache, internal, successor } = config ?? {};
  const note = internal ? INTERNAL : successor && `Deprecated upstream in favour of \`${successor}\`.`;
  const description = [schema.description, note].filter(Boolean).join(' ');
  const { body, params, querystring } = schema as Readonly<Record<string, JsonSchema | undefined>>;
  const parameters = [...parametersOf(querystring, 'query'), ...parametersOf(params, 'path')];
  const operation: Operation = {
    ...{ operationId, summary, tags },
    ...(description !== '' && { description }),
    ...(body && { requestBody: { required: true, content: { [JSON_MEDIA]: mediaOf(body) } } }),
    ...(parameters.length > 0 && { parameters }),
    ...(deprecated && { deprecated }),
    ...(cache !== undefined && { 'x-etag': etagOf(cache) }),
    ...(internal && { 'x-internal': true }),
    responses: Object.fromEntries(
      Object.entries(responsesOf(schema, config)).map(([status, declared]) => [status, responseOf(declared)]),
    ),
  };
  const [first = ''] = [method].flat(); // then HEAD
  return { path: pathOf(url), method: first.toLowerCase() as Method, operation };
}

/** `/things/:id(^[0-9]$)` is `/things/{id}`. */
const pathOf = (url: string): string => url.replaceAll(/:(\w+)(\((?:[^()]|\([^()]*\))*\))?/g, '{$1}');

function parametersOf(schema: JsonSchema | undefined, place: Parameter['in']): Parameter[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description = '', required: _, ...rest } = property;
    const { schema: shown, ...examples } = mediaOf(rest);
    const required = place === 'path' || schema?.required?.includes(name) === true;
    return { ...{ name, in: place, required, description, schema: shown }, ...examples };
  });
}

/** A schema with its examples beside it. */
function mediaOf({ examples, ...schema }: JsonSchema): Pick<Parameter, 'schema' | 'example' | 'examples'> {
  if (examples === undefined || examples.length === 0) return { schema };
  if (examples.length === 1) return { schema, example: examples[0] };
  return { schema, examples: Object.fromEntries(examples.map(value => [String(value), { value }])) };
}

/** A response as a route declares it: its schema, or more. */
type Declared = JsonSchema &
  Omit<Partial<Response>, 'headers'> & { readonly headers?: Readonly<Record<string, JsonSchema>> };

function responseOf({ headers, content, ...schema }: Declared): Response {
  const { description = 'The response' } = schema;
  return {
    description,
    ...(headers && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, { description, ...schema }]) => [name, { schema, description }]),
      ),
    }),
    ...(content ? { content } : schema.type !== 'null' && { content: { [JSON_MEDIA]: mediaOf(schema) } }),
  };
}

/** The responses of a route, including those that all routes share. */
function responsesOf(schema: RouteOptions['schema'] = {}, config: RouteOptions['config']): Record<string, Declared> {
  const { 200: body, ...others } = (schema.response ?? {}) as Readonly<Record<string, JsonSchema | undefined>>;
  const { cache, mediaType = JSON_MEDIA } = config ?? {};
  const hasVersion = cache !== undefined && cache !== 'none';
  return {
    200: {
      description: 'The response',
      ...(hasVersion && { headers: VERSION_HEADERS }),
      content: {
        [mediaType]: { schema: body ?? {}, ...(body && { example: exampleOf(body) }) },
        ...(takesFormat(schema.querystring) && FILES),
      },
    },
    ...(hasVersion && { 304: { type: 'null', description: 'The version in If-None-Match is still the newest' } }),
    ...((schema.params ?? schema.querystring) !== undefined && { 400: failure('A parameter is not valid') }),
    ...(schema.body !== undefined && BODY_FAILURES),
    ...(hasPast(schema.querystring) && PAST_FAILURES),
    503: { ...failure('The database cannot be reached or is busy'), headers: { 'Retry-After': text('Seconds') } },
    default: failure('Any other error'),
    ...others,
  } as Record<string, Declared>;
}

/** What changes the ETag, in one word. */
const etagOf = (cache: CacheKind): string =>
  typeof cache === 'function' ? 'body' : typeof cache === 'object' ? 'request' : cache;

const INTERNAL = 'Internal: made for the explorer; no published client calls it.';

/** The whole list in place of a page. */
const FILES = Object.fromEntries(Object.values(MEDIA_TYPES).map(type => [type, { schema: { type: 'string' } }]));

const PAST_FAILURES = {
  404: failure('The chain has no such block as `at` names'),
  409: failure('A fork has replaced the block that `at` names'),
};

const BODY_FAILURES = {
  400: failure('The body is not JSON, or does not fit its schema'),
  413: failure('The body is too large'),
  415: failure('The body is of another media type'),
};

const text = (description: string) => ({ type: 'string', description });

const VERSION_HEADERS = {
  ETag: text('The version of the response; send it back in If-None-Match'),
  'Cache-Control': text('`public, no-cache, must-revalidate`'),
};
