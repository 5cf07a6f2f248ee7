import type { OpenApiDocument, Parameter } from '../../src/api/http/openapi/document.ts';
import { examplesOf } from '../support/example-requests.ts';
import fc from '../support/fast-check.ts';
import { readsOf } from '../support/operations.ts';
import { encode, Pools } from '../support/requests.ts';
import { LIMIT, type Request } from './requests.ts';

/** A query: encoded values by the name of their parameter. */
type Query = Readonly<Record<string, string>>;

/** So many are drawn for each that is kept. */
const DRAWN = 20;
/** Of lists whose pages have numbers and no total. */
const DEEP_PAGES = [1, 4, 100];
/** About so many parameters are there at once: with more of them nothing passes all filters. */
const PRESENT = 3;

/**
 * Requests with many combinations of the parameters that the document publishes: any two values of two parameters come together, as far
 * as the number of requests allows. Values are those of the requests that were written by hand, and what the document names.
 * @param asked of the same routes; the paths are theirs
 * @param cases about so many in all; a route with many parameters and values has more of them
 */
export function combinations(
  document: OpenApiDocument,
  asked: readonly string[],
  { cases, seed }: { readonly cases: number; readonly seed: number },
): Request[] {
  const entries = readsOf(document);
  const pools = new Pools(entries, asked);
  const routes = entries.map(({ path, operation }) => {
    const parameters = (operation.parameters ?? []).filter(({ in: place }) => place === 'query');
    const choices = new Map(parameters.filter(isFree).map(one => [one.name, valuesOf(one, pools)]));
    return { path, operation, parameters, choices, weight: choices.size ** 2 };
  });
  const total = routes.reduce((sum, { weight }) => sum + weight, 0);
  return routes.flatMap(({ path, operation, parameters, choices, weight }) => {
    const known = pools.requestsOf(path);
    if (weight === 0 || known.length === 0) return [];
    const count = Math.ceil((cases * weight) / total);
    const absent = { weight: Math.max(1, choices.size - PRESENT), arbitrary: fc.constant<[string, string][]>([]) };
    const query = fc.tuple(
      ...[...choices].map(([name, values]) => {
        const present = fc.constantFrom(...values).map((value): [string, string][] => [[name, value]]);
        return fc.oneof(absent, { weight: PRESENT, arbitrary: present });
      }),
    );
    const drawn = fc.sample(fc.tuple(fc.constantFrom(...known), query.map(toQuery)), { numRuns: DRAWN * count, seed });
    const limits = parameters.filter(({ name }) => isLength(name)).map(({ name }) => [name, String(LIMIT)] as const);
    return pairwise(drawn, count).map(([base, chosen]) => ({
      operationId: operation.operationId,
      path: urlOf(path, base, { ...requiredOf(parameters, base), ...chosen, ...Object.fromEntries(limits) }),
      isCombination: true,
      ...(parameters.some(({ name }) => name === 'offset') && { pages: true as const }),
    }));
  });
}

const toQuery = (parts: readonly (readonly [string, string][])[]): Query => Object.fromEntries(parts.flat());

/** Where a page begins and how long it is are not combined: costs are compared for pages of one length. A file is all pages of its list. */
const isLength = (name: string): boolean => /limit$/.test(name);
const isFree = ({ name }: Parameter): boolean => !isLength(name) && !/offset$/.test(name) && name !== 'format';

function valuesOf(parameter: Parameter, pools: Pools): string[] {
  const { name, schema } = parameter;
  const words = schema.enum ?? (schema.type === 'boolean' ? [true, false] : []);
  const items = schema.items?.enum ?? [];
  const pages = name === 'page' ? DEEP_PAGES : [];
  const lists = items.length > 1 ? [items.slice(0, 2).join(), items.slice(1).join(), items.join()] : [];
  const own = [...words, ...items, ...lists, ...pages].map(String).map(encode);
  const values = [...new Set([...pools.valuesOf(name), ...own])];
  return values.length > 0 ? values : examplesOf(parameter).map(value => encode(String(value)));
}

const requiredOf = (parameters: readonly Parameter[], base: Query): Query =>
  Object.fromEntries(parameters.filter(({ required }) => required).map(({ name }) => [name, base[name] ?? '']));

/** The first of these, by new pairs that they have. */
function pairwise(drawn: readonly (readonly [Query, Query])[], count: number) {
  const seen = new Set<string>();
  const isNew = ([base, chosen]: readonly [Query, Query]): boolean => {
    const parts = [`path=${JSON.stringify(base)}`, ...Object.entries(chosen).map(pair => pair.join('='))];
    const before = seen.size;
    for (const a of parts) for (const b of parts) seen.add(`${a} ${b}`);
    return seen.size > before;
  };
  return drawn.filter(isNew).slice(0, count);
}

function urlOf(path: string, base: Query, query: Query): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => base[name] ?? '0');
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled;
}
