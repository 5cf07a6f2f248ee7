import type { Named } from '../entities.ts';

/** A measured page: its name, and its paths in random order. Each must get 200. */
export interface Scenario {
  /** Begins with the name of the route, such as `getTransactionListV1`. */
  readonly name: string;
  /** The production API's requests a second on the same kind of page, measured with the same archive (2 cores, PostgreSQL beside it). */
  readonly production?: number;
  readonly paths: readonly string[];
  /** Every URL is requested once (see `cold`), so that no ready body helps. */
  readonly cold?: boolean;
}

/** A page on the entities of an index; with none the scenario has no paths. */
export const scenario = (name: string, paths: readonly string[], production?: number): Scenario => ({
  name,
  paths,
  ...(production !== undefined && { production }),
});

/** As `scenario`, for endpoints that keep ready bodies: every request is for another URL. */
export const cold = (name: string, paths: readonly string[], production?: number): Scenario => ({
  ...scenario(name, paths, production),
  cold: true,
});

/** Adds a query to a path that may have one. */
export const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** Offsets spread over the second half of a list: as far as pages are from both ends. */
export function deepOffsets(length: number): number[] {
  const offsets = Array.from({ length: 100 }, (_, i) => Math.floor((length * (50 + i / 4)) / 100));
  return [...new Set(offsets)];
}

/** Deep pages of the longest of these lists. @param path of its first page */
export function deepPages([longest]: readonly Named[], path: (name: string) => string): string[] {
  if (longest === undefined) return [];
  return deepOffsets(longest.length).map(offset => withQuery(path(longest.name), `offset=${offset}`));
}

export const namesOf = (lists: readonly Named[]): string[] => lists.map(({ name }) => name);
