import { ErrorBody } from '../schema.ts';
import { Components, type JsonSchema } from './components.ts';

/**
 * The parts of the OpenAPI document that the schemas of the routes do not have: responses that follow from the kind of
 * a route, and components.
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

/** An operation with its path and method. */
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

/** Builds the document, with each titled schema written once, and parameters in the form in which clients send them. */
export class DocumentBuilder {
  readonly #components = new Components();
  readonly #paths: Record<string, PathItem> = {};

  constructor() {
    this.#components.publish(ErrorBody as JsonSchema);
  }

  /** @param operation with whole schemas */
  add({ path, method, operation }: Entry): void {
    this.#paths[path] = { ...this.#paths[path], [method]: publishedOperation(operation, this.#components) };
  }

  /** The document of what was added, in that order. */
  document({ tags, ...info }: OpenApiDocument['info'] & Pick<OpenApiDocument, 'tags'>): OpenApiDocument {
    const schemas = Object.fromEntries(Object.entries(this.#components.schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
    const head = { openapi: '3.1.0', info, components: { schemas }, paths: this.#paths };
    return { ...head, servers: [{ url: '/' }], security: [], tags: [...tags] };
  }
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
    // The handler always gets a parameter with a default, so a request need not have it.
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

/** Texts for patterns without an example of their own; the first that matches is used. */
const TEXTS = ['text', '0', '0x', `0x${'9a1b3c5d'.repeat(8)}`, `0x02${'9a1b3c5d'.repeat(8)}`];

/**
 * A value that the schema allows: its own example if it has one, else a value composed of examples of its parts. Optional
 * members are left out; of a union the first member counts. A pattern that no text here matches needs an example of its
 * own.
 */
export function exampleOf(schema: JsonSchema): unknown {
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
