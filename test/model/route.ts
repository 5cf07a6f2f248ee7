import type { World } from './world.ts';

/** The response that the model computes. */
export interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
}

/** An endpoint of the model. */
export interface Route {
  /** Path without the query, parameters in braces: `/extended/v2/blocks/{id}`. Each parameter is one segment. */
  readonly template: string;
  /** `params` are percent-decoded; `query` has the parameters of the request, without defaults. */
  readonly respond: (world: World, params: Readonly<Record<string, string>>, query: URLSearchParams) => ApiResponse;
  /** Where the specification leaves something open: applied to both bodies before they are compared. */
  readonly normalise?: (body: unknown) => unknown;
}

export const ok = (body: unknown): ApiResponse => ({ status: 200, body });

/** Of errors only the status counts. */
export const failed = (status: number): ApiResponse => ({ status, body: { error: 'some text' } });

/** A number of the query, or the default where it is not given. */
export const numberOf = (query: URLSearchParams, name: string, fallback: number): number =>
  query.has(name) ? Number(query.get(name)) : fallback;

/** The usual envelope around one page of a list. */
export function page<T>(items: readonly T[], limit: number, offset: number, served: (item: T) => unknown): unknown {
  return { limit, offset, total: items.length, results: items.slice(offset, offset + limit).map(served) };
}
