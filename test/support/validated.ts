import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Method, OpenApiDocument } from '../../src/api/http/openapi/document.ts';
import type { Api } from '../../src/api/http/server.ts';

/** What a response must tell to be checked. */
interface Sent {
  readonly raw: { readonly req: unknown };
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Throws when the body of a response breaks the schema that its route publishes in `/openapi.json`. */
export type CheckResponse = (response: Sent, body: unknown) => Promise<void>;

/**
 * Makes every response of this API checkable. Responses without a JSON body pass; an unknown route is answered with the
 * usual error.
 * @param whole the API whose document has the routes of this one; by default this one
 */
export function checkedResponses(api: Api, whole = () => api): CheckResponse {
  const routes = new WeakMap<IncomingMessage, string>();
  let published: Promise<Published> | undefined;
  api.addHook('onRequest', (request, _reply, done) => {
    routes.set(request.raw, request.is404 ? UNKNOWN_ROUTE : (request.routeOptions.url ?? UNKNOWN_ROUTE));
    done();
  });
  return async (response, body) => {
    if (body === undefined || !String(response.headers['content-type']).startsWith('application/json')) return;
    const route = routes.get(response.raw.req as IncomingMessage) ?? UNKNOWN_ROUTE;
    const { method } = response.raw.req as IncomingMessage;
    const asked = method === 'POST' ? 'post' : 'get';
    const problemIn = (document: Published) => document.problemOf(templateOf(route), response.statusCode, body, asked);
    first ??= publishedBy(whole());
    if (problemIn(await first) === undefined) return;
    published ??= publishedBy(whole());
    const problem = problemIn(await published);
    assert.equal(problem, undefined, `${(response.raw.req as IncomingMessage).url}: ${problem}`);
  };
}

/** `/x/:id(^[0-9]$)` is published as `/x/{id}`. */
const templateOf = (path: string): string => path.replace(/:(\w+)(\([^)]*\))?/g, '{$1}');

/** Also of requests that are answered before their route is known. */
const UNKNOWN_ROUTE = 'unknown';

/** The document of the first API of this process: most tests publish the same one, and making it takes longer than they do. */
let first: Promise<Published> | undefined;

const publishedBy = async (api: Api): Promise<Published> =>
  new Published(JSON.parse((await api.inject('/openapi.json')).body));

/** The schemas of a document, each compiled when it is first needed. */
export class Published {
  readonly #document: OpenApiDocument;
  // Each component is compiled once: in place of every reference to it, that would be most of the time that tests of responses take.
  // A validator runs a few times: to make its code shorter takes as long as all the rest of compiling it.
  readonly #ajv = new Ajv2020({
    strict: false,
    discriminator: true,
    validateFormats: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    // ajv finds out by itself which value means which member.
    this.#ajv.addSchema(withoutMappings(document) as object, 'openapi.json');
  }

  /** What is wrong with this response; undefined when nothing is. @param path as in the document */
  problemOf(path: string, status: number, body: unknown, method: Method = 'get'): string | undefined {
    const operation = this.#document.paths[path]?.[method];
    if (!operation) return this.#problemOfOther(path, body);
    const key = String(status) in operation.responses ? String(status) : status >= 500 ? 'default' : undefined;
    if (key === undefined) return `the status ${status} is not published`;
    const place = `#/paths/${pointer(path)}/${method}/responses/${key}/content/${pointer('application/json')}/schema`;
    return this.#problem(place, body);
  }

  #problemOfOther(path: string, body: unknown): string | undefined {
    if (path === '/openapi.json') return undefined;
    const isError = path === UNKNOWN_ROUTE || path.endsWith('/*');
    return isError ? this.#problem('#/components/schemas/Error', body) : 'the route publishes no schema';
  }

  /** Compiles the schema at a JSON pointer of the document. */
  compile(place: string): ValidateFunction {
    const ref = referenceOf(valueAt(this.#document, place));
    const known = this.#validators.get(place) ?? (ref ? this.compile(ref) : this.#compileNew(place));
    this.#validators.set(place, known);
    return known;
  }

  #compileNew(place: string): ValidateFunction {
    return this.#ajv.compile({ $ref: `openapi.json${place}` });
  }

  #problem(place: string, body: unknown): string | undefined {
    const validate = this.compile(place);
    if (validate(body)) return undefined;
    const { instancePath = '', message = '', params = {} } = validate.errors?.at(0) ?? {};
    return `${instancePath} ${message} ${JSON.stringify(params)} ${place}`;
  }
}

/** A name as part of a JSON pointer in a URI. */
export const pointer = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

/** What is at a JSON pointer, as `pointer` writes its names. */
const valueAt = (document: unknown, place: string): unknown =>
  place
    .split('/')
    .slice(1)
    .map(name => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((value, name) => (value as Record<string, unknown>)[name], document);

/** Where a schema leads that is nothing but a reference. */
function referenceOf(schema: unknown): string | undefined {
  const { $ref, ...others } = schema as { readonly $ref?: string };
  return Object.keys(others).length === 0 ? $ref : undefined;
}

function withoutMappings(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMappings);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'mapping');
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutMappings(item)]));
}
