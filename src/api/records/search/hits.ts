/** Results of a search of version 3, and their order (docs/spec/search.md#results-of-version-3). */
import { FURTHER_TYPES, SEARCH_TYPES, type SearchType } from './terms-v3.ts';

/** Most results of a search, and of each type. */
export const MOST_HITS = 20;
/** Most entries with a beginning that are ranked; if there are more, the first ones in the order of an index. */
export const MOST_EXAMINED = 1000;

const MATCHES = ['exact', 'beginning', 'name'] as const;
/** How a text matches an entity: it is its whole id, the beginning of the id, or in its name. */
export type Match = (typeof MATCHES)[number];

/** A found entity. */
export interface Hit {
  readonly type: SearchType;
  readonly match: Match;
  /** Identifies the entity among those of its type. */
  readonly id: string;
  /** As it is served. */
  readonly result: object;
}

/** Hits of one type that match alike, in their order. */
export const hitsOf = (
  type: SearchType,
  match: Match,
  found: readonly { readonly id: string; readonly result: object }[],
): Hit[] => found.map(({ id, result }) => ({ type, match, id, result }));

const ORDER: readonly SearchType[] = [...SEARCH_TYPES, ...FURTHER_TYPES];

const rankOf = ({ type, match }: Hit): number => MATCHES.indexOf(match) * ORDER.length + ORDER.indexOf(type);

/** The first hits of a type, each entity once with its best match. @param hits of one type, in their order among equal matches */
export function bestOfType(hits: readonly Hit[]): Hit[] {
  const best = new Map<string, Hit>();
  for (const hit of byRank(hits)) if (!best.has(hit.id)) best.set(hit.id, hit);
  return [...best.values()].slice(0, MOST_HITS);
}

/** All hits in the order of the response: by match, then by type, then in their given order. */
export const byRank = (hits: readonly Hit[]): Hit[] => hits.toSorted((a, b) => rankOf(a) - rankOf(b));
