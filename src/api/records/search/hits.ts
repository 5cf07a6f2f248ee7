/** Results of a search of version 3, and their order (docs/spec/search.md#results-of-version-3). */
import { FURTHER_TYPES, SEARCH_TYPES, type SearchType } from './terms-v3.ts';

/** Results of a search, and of each type. */
export const MOST_HITS = 20;
/** Entries that begin with a text, of which the first by rank are sought: of more than these, the first in the order of an index. */
export const MOST_EXAMINED = 1000;

const MATCHES = ['exact', 'beginning', 'name'] as const;
/** How a text matches an entity: it is all of its id, its beginning, or in its name. */
export type Match = (typeof MATCHES)[number];

/** An entity that was found. */
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

/** The first of a type, each entity once where it matches best. @param hits of one type, in their order among those that match alike */
export function bestOfType(hits: readonly Hit[]): Hit[] {
  const best = new Map<string, Hit>();
  for (const hit of byRank(hits)) if (!best.has(hit.id)) best.set(hit.id, hit);
  return [...best.values()].slice(0, MOST_HITS);
}

/** All of them in the order of the response: how they match, then their types, then as they are. */
export const byRank = (hits: readonly Hit[]): Hit[] => hits.toSorted((a, b) => rankOf(a) - rankOf(b));
