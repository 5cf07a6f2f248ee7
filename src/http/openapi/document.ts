import { Components, type JsonSchema } from './components.ts';
import { exampleOf } from './example.ts';

/** What a schema cannot say of a parameter. */
export interface ParameterText {
  readonly description: string;
  /** A value to try, as it stands in a URL before it is encoded. */
  readonly example?: string;
}

/** What people are told of a route. */
export interface OperationText {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** When it answers 404; absent when it never does. */
  readonly notFound?: string;
  /** When it answers 422; absent when it never does. */
  readonly unprocessable?: string;
  /** When it answers 302; absent when it never does. */
  readonly redirect?: string;
  /** By name; goes before the texts that all routes share. */
  readonly parameters?: Readonly<Record<string, ParameterText>>;
}

/** The words of the documentation; all the rest comes from the routes. */
export interface Texts {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path as it is routed; their order is that of the document. */
  readonly operations: Readonly<Record<string, OperationText>>;
  readonly parameters: Readonly<Record<string, ParameterText>>;
}

/** A route as it was registered. */
export interface DocumentedRoute {
  readonly path: string;
  readonly params: JsonSchema | undefined;
  readonly querystring: JsonSchema | undefined;
  /** Of the body of a 200. */
  readonly response: JsonSchema;
  /** Of error bodies that are not the usual one, by status. */
  readonly errors: Readonly<Record<number, JsonSchema>>;
  readonly hasVersion: boolean;
  readonly deprecated: boolean;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly style?: string;
  readonly explode?: boolean;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: { readonly 'application/json': { readonly schema: JsonSchema; readonly example?: unknown } };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: Texts['tags'];
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/**
 * The OpenAPI 3.1 document of these routes, in the order of the texts. A route without a text is shown with its bare path.
 * @param errorBody schema of every error body that a route does not replace
 */
export function buildDocument(
  routes: readonly DocumentedRoute[],
  texts: Texts,
  errorBody: JsonSchema,
): OpenApiDocument {
  const components = new Components();
  const order = Object.keys(texts.operations);
  const place = ({ path }: DocumentedRoute) => (order.includes(path) ? order.indexOf(path) : order.length);
  const paths = [...routes]
    .sort((a, b) => place(a) - place(b))
    .map(route => [templateOf(route.path), { get: operation(route, texts, components, errorBody) }] as const);
  const schemas = Object.fromEntries(Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    openapi: '3.1.0',
    info: { title: texts.title, version: texts.version, description: texts.description },
    servers: [{ url: '/' }],
    tags: texts.tags,
    paths: Object.fromEntries(paths),
    components: { schemas },
  };
}

/** `/x/:id(^[0-9]$)` becomes `/x/{id}`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)(\([^)]*\))?/g, '{$1}');

const untold = (path: string): OperationText => ({ operationId: path, tag: 'Status', summary: path });

function operation(route: DocumentedRoute, texts: Texts, components: Components, errorBody: JsonSchema): Operation {
  const text = texts.operations[route.path] ?? untold(route.path);
  const describe = (name: string) => text.parameters?.[name] ?? texts.parameters[name];
  const parameters = [
    ...parametersOf('path', route.params, describe),
    ...parametersOf('query', route.querystring, describe),
  ];
  return {
    operationId: text.operationId,
    summary: text.summary,
    ...(text.description !== undefined && { description: text.description }),
    tags: [text.tag],
    ...(route.deprecated && { deprecated: true }),
    ...(parameters.length > 0 && { parameters }),
    responses: responsesOf(route, text, components, errorBody),
  };
}

function parametersOf(
  place: Parameter['in'],
  schema: JsonSchema | undefined,
  describe: (name: string) => ParameterText | undefined,
): Parameter[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const text = describe(name) ?? { description: '' };
    const published = new Components().publish(property);
    return {
      name,
      in: place,
      // One with a default is always there for the handler, and needs not be in the request.
      required: place === 'path' || (schema?.required?.includes(name) === true && property.default === undefined),
      description: [text.description, boundsOf(property)].filter(part => part !== '').join(' '),
      schema: published,
      ...(text.example !== undefined && { example: typed(text.example, property) }),
      ...(property.type === 'array' && { style: 'form', explode: false }),
    };
  });
}

const typed = (example: string, { type }: JsonSchema): unknown =>
  type === 'integer' ? Number(example) : type === 'boolean' ? example === 'true' : example;

/** Default and bounds in words, as not every reader looks at schemas. */
function boundsOf(schema: JsonSchema): string {
  const { minimum, maximum, default: standard } = schema;
  const bounds = [
    isBound(minimum) && isBound(maximum) ? `${minimum} to ${maximum}` : '',
    isBound(minimum) && !isBound(maximum) ? `at least ${minimum}` : '',
    standard === undefined ? '' : `default ${standard}`,
    'x-zero-is-default' in schema ? '0 stands for the default' : '',
  ].filter(part => part !== '');
  const text = bounds.join(', ');
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const isBound = (value: number | undefined): boolean =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;

function responsesOf(
  { response, errors, params, querystring, hasVersion }: DocumentedRoute,
  { notFound, unprocessable, redirect }: OperationText,
  components: Components,
  errorBody: JsonSchema,
): Record<string, Response> {
  const error = (description: string, status?: number, headers?: Response['headers']): Response => ({
    description,
    ...(headers && { headers }),
    content: { 'application/json': { schema: components.publish(errors[status ?? 0] ?? errorBody) } },
  });
  const version = hasVersion && {
    ETag: header('The version of the answer; send it back in If-None-Match'),
    'Cache-Control': header('`public, no-cache, must-revalidate`'),
  };
  return {
    200: {
      description: 'The answer',
      ...(version && { headers: version }),
      content: { 'application/json': { schema: components.publish(response), example: exampleOf(response) } },
    },
    ...(redirect !== undefined && { 302: { description: redirect, headers: { Location: header('Where it is') } } }),
    ...(hasVersion && { 304: { description: 'The version in If-None-Match is still the newest' } }),
    ...((params || querystring) && { 400: error('A parameter is not valid', 400) }),
    ...(notFound !== undefined && { 404: error(notFound, 404) }),
    ...(unprocessable !== undefined && { 422: error(unprocessable, 422) }),
    503: error('The database cannot be reached or is busy', 503, { 'Retry-After': header('Seconds') }),
    default: error('Any other error'),
  };
}

const header = (description: string) => ({ description, schema: { type: 'string' } });
