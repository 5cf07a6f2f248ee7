import type { OpenApiDocument, Parameter } from '../../src/http/openapi/document.ts';

/** A request that the document shows how to make. */
export interface ExampleRequest {
  readonly operationId: string;
  /** As in the document. */
  readonly path: string;
  /** Path and query, encoded. */
  readonly url: string;
  /** The query parameters that it has, by name. */
  readonly query: Readonly<Record<string, unknown>>;
}

/**
 * Every request that follows from the examples of the document: for each combination of examples of what is required,
 * without more, with each value of each further parameter, and with each pair of those. Words, `true` and `false`, and
 * defaults are examples of their parameters.
 */
export function exampleRequests(document: OpenApiDocument): ExampleRequest[] {
  return Object.entries(document.paths).flatMap(([path, { get }]) => {
    const { operationId, parameters = [] } = get;
    const optional = parameters.filter(({ required }) => !required);
    const bases = combinations(parameters.filter(({ required }) => required));
    const additions = [[], ...optional.map(one => [one]), ...pairs(optional)].flatMap(combinations);
    return bases.flatMap(base => additions.map(added => requestOf(operationId, path, [...base, ...added])));
  });
}

/** The values to try of a parameter. */
export function examplesOf({ name, schema, example, examples }: Parameter): readonly unknown[] {
  if (examples !== undefined) return Object.values(examples).map(({ value }) => value);
  if (example !== undefined) return [example];
  if (schema.enum !== undefined) return schema.enum;
  if (schema.items?.enum !== undefined) return [...schema.items.enum, schema.items.enum.slice(0, 2).join(',')];
  if (schema.type === 'boolean') return [true, false];
  if (schema.default !== undefined) return [schema.default];
  throw new Error(`the parameter ${name} has no example`);
}

type Chosen = readonly (readonly [parameter: Parameter, value: unknown])[];

const combinations = (parameters: readonly Parameter[]): Chosen[] =>
  parameters.reduce<Chosen[]>(
    (all, parameter) =>
      all.flatMap(chosen => examplesOf(parameter).map(value => [...chosen, [parameter, value] as const])),
    [[]],
  );

const pairs = <T>(items: readonly T[]): T[][] => items.flatMap((a, i) => items.slice(i + 1).map(b => [a, b]));

function requestOf(operationId: string, path: string, chosen: Chosen): ExampleRequest {
  const inPath = new Map(
    chosen.filter(([{ in: place }]) => place === 'path').map(([{ name }, value]) => [name, value]),
  );
  const query = Object.fromEntries(
    chosen.filter(([{ in: place }]) => place === 'query').map(([{ name }, value]) => [name, value]),
  );
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(inPath.get(name))));
  return { operationId, path, url: pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled, query };
}
