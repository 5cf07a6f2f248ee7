import type { FastifySchema, RouteOptions } from 'fastify';
import type { CacheKind } from '../caching.ts';
import { ErrorBody, failure } from '../schema.ts';
import { hasPast } from '../shown-block.ts';
import { Components, type JsonSchema } from './components.ts';

/**
 * The parts of the OpenAPI document that are not in the schemas of the routes: responses that follow from the kind of a
 * route, and components.
 */

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
  /** If there are several. */
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  readonly style?: string;
  readonly explode?: boolean;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** By media type: one, by default JSON. */
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
}

/** The body of a request in OpenAPI. */
export interface RequestBody {
  readonly required?: boolean;
  readonly content: Readonly<Record<typeof JSON_MEDIA, { readonly schema: JsonSchema; readonly example?: unknown }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  /** Made for pages of this program: no published client calls it. */
  readonly 'x-internal'?: true;
  /** What its ETag changes with (docs/spec/http.md#etags). */
  readonly 'x-etag'?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response>>;
}

/** The methods that routes of the document have. */
const METHODS = ['get', 'post'] as const;
export type Method = (typeof METHODS)[number];
type PathItem = { readonly [M in Method]?: Operation };

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  /** Empty: no route needs a login. */
  readonly security: readonly [];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** An operation with where it is found. */
export interface Entry {
  readonly path: string;
  readonly method: Method;
  readonly operation: Operation;
}

/** Every operation, in the order of the paths. */
export const operationsOf = ({ paths }: Pick<OpenApiDocument, 'paths'>): Entry[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap(method => (item[method] === undefined ? [] : [{ path, method, operation: item[method] }])),
  );

export const JSON_MEDIA = 'application/json';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of the body of a 200, where that is no JSON. */
    mediaType?: string;
    /** Made for pages of this program: docs/compatibility.md#what-only-this-index-has. */
    internal?: true;
  }
}

/** The schema of a route as it is published: with the responses that it shares with others. */
export function publishedSchema(route: RouteOptions): FastifySchema {
  const { schema = {}, config } = route;
  const { 200: body, ...others } = (schema.response ?? {}) as Readonly<Record<string, JsonSchema | undefined>>;
  const { cache } = config ?? {};
  const hasVersion = cache !== undefined && cache !== 'none';
  const response = {
    200: {
      description: 'The response',
      ...(hasVersion && { headers: VERSION_HEADERS }),
      content: { [config?.mediaType ?? JSON_MEDIA]: { schema: body, example: body && exampleOf(body) } },
    },
    ...(hasVersion && { 304: { type: 'null', description: 'The version in If-None-Match is still the newest' } }),
    ...((schema.params ?? schema.querystring) !== undefined && { 400: failure('A parameter is not valid') }),
    ...(schema.body !== undefined && BODY_FAILURES),
    ...(hasPast(schema.querystring) && PAST_FAILURES),
    503: { ...failure('The database cannot be reached or is busy'), headers: { 'Retry-After': text('Seconds') } },
    default: failure('Any other error'),
    ...others,
  };
  const published = { ...schema, ...(cache !== undefined && { 'x-etag': etagOf(cache) }), response };
  const successor = config?.successor;
  const note = config?.internal ? INTERNAL : successor && `Deprecated upstream in favour of \`${successor}\`.`;
  if (!note) return published;
  const description = [schema.description, note].filter(Boolean).join(' ');
  return { ...published, description, ...(config?.internal && { 'x-internal': true }) } as FastifySchema;
}

/** What an ETag changes with, in one word. */
const etagOf = (cache: CacheKind): string =>
  typeof cache === 'function' ? 'body' : typeof cache === 'object' ? 'request' : cache;

const INTERNAL = 'Internal: made for the explorer; no published client calls it.';

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

/** The document with each titled schema written once, and parameters as clients are to send them. */
export function publishedDocument(document: OpenApiDocument): OpenApiDocument {
  const components = new Components();
  components.publish(ErrorBody as JsonSchema);
  const paths = mapValues(document.paths, item =>
    mapValues(item, operation => publishedOperation(operation, components)),
  );
  const schemas = Object.fromEntries(Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...document, paths, components: { schemas } };
}

function publishedOperation(operation: Operation, components: Components): Operation {
  const { parameters = [], requestBody, responses } = operation;
  const inPathFirst = [...parameters].sort((a, b) => (a.in < b.in ? -1 : a.in > b.in ? 1 : 0));
  return {
    ...operation,
    ...(parameters.length > 0 && { parameters: inPathFirst.map(publishedParameter) }),
    ...(requestBody && { requestBody: publishedBody(requestBody, components) }),
    responses: mapValues(responses, response => publishedResponse(response, components)),
  };
}

function publishedParameter(parameter: Parameter): Parameter {
  const { name, in: place, required, description, schema, ...rest } = parameter;
  return {
    name,
    in: place,
    // One with a default is always there for the handler, and needs not be in the request.
    required: required && schema.default === undefined,
    description,
    schema: new Components().publish(schema),
    ...rest,
    ...(schema.type === 'array' && { style: 'form', explode: false }),
  };
}

function publishedBody({ content }: RequestBody, components: Components): RequestBody {
  const { schema } = content[JSON_MEDIA];
  return {
    required: true,
    content: { [JSON_MEDIA]: { schema: components.publish(schema), example: exampleOf(schema) } },
  };
}

function publishedResponse(response: Response, components: Components): Response {
  const { content } = response;
  if (content === undefined) return response;
  return { ...response, content: mapValues(content, body => ({ ...body, schema: components.publish(body.schema) })) };
}

const mapValues = <A, B>(record: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

/** Texts for patterns without an example of their own; the first that fits is taken. */
const TEXTS = ['text', '0', '0x', `0x${'9a1b3c5d'.repeat(8)}`, `0x02${'9a1b3c5d'.repeat(8)}`];

/**
 * A value that the schema allows: its own example where it has one, else one put together from those of its parts.
 * Optional members are left out; of a union the first member counts. A pattern that no text here fits
 * needs an example of its own.
 */
function exampleOf(schema: JsonSchema): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const union = schema.oneOf ?? schema.anyOf;
  if (union?.[0] !== undefined) return exampleOf(union[0]);
  switch (schema.type) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return schema.items ? [exampleOf(schema.items)] : [];
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, 0);
    case 'boolean':
      return false;
    case 'string':
      return textOf(schema);
    default:
      return null;
  }
}

function objectOf({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> {
  const shown = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property)]));
}

function textOf({ pattern }: JsonSchema): string {
  const isFit = (text: string) => pattern === undefined || new RegExp(pattern, 'u').test(text);
  return TEXTS.find(isFit) ?? '';
}
