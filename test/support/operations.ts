import { type Entry, type OpenApiDocument, operationsOf } from '../../src/api/http/openapi/document.ts';
import { openFreshOf } from './engines.ts';
import { openTestIndex } from './test-index.ts';

let document: Promise<OpenApiDocument> | undefined;

/** The document that the API publishes; made once in a process. */
export function apiDocument(): Promise<OpenApiDocument> {
  document ??= readDocument();
  return document;
}

async function readDocument(): Promise<OpenApiDocument> {
  const { database, cleanup } = await openFreshOf.sqlite();
  const { body } = await (await openTestIndex(database)).get('/openapi.json');
  await cleanup();
  return body as OpenApiDocument;
}

/** The operations that read, in the order of their paths. */
export const readsOf = (document: OpenApiDocument): Entry[] =>
  operationsOf(document).filter(({ method }) => method === 'get');

/** @returns a function from a URL to its GET operation: of two templates that fit, the one with fewer parameters */
export function operationFinder(document: OpenApiDocument): (url: string) => Entry | undefined {
  const known = readsOf(document)
    .map(entry => ({ entry, pattern: new RegExp(`^${entry.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
    .sort((a, b) => a.entry.path.split('{').length - b.entry.path.split('{').length);
  return url => known.find(({ pattern }) => pattern.test(url.replace(/\?.*/, '')))?.entry;
}

/**
 * The URL of an operation.
 * @param path with its parameters in braces, as in the document
 * @param values by name of the parameter, not encoded; those that the path lacks make the query, in their order
 */
export function urlOf(path: string, values: Readonly<Record<string, string | readonly string[]>>): string {
  const used = new Set<string>();
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    used.add(name);
    return encodeURIComponent(String(values[name]));
  });
  const query = Object.entries(values).flatMap(([name, value]) =>
    used.has(name) ? [] : [value].flat().map(one => `${name}=${encodeURIComponent(one)}`),
  );
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
}

/** Values of parameters by name, for the operations whose path begins with a text. */
export interface Values<V> {
  readonly below: string;
  readonly values: Readonly<Record<string, V>>;
}

/** The value of a parameter: in the first of these groups that the path is in and that has one. */
export const knownValue = <V>(groups: readonly Values<V>[], path: string, name: string): V | undefined =>
  groups.find(({ below, values }) => path.startsWith(below) && Object.hasOwn(values, name))?.values[name];
