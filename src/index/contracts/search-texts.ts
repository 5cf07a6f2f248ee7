/** Search texts of contracts and assets: their whole ids, and every part of their names with which a search can begin. */
import type { ListKind } from '../../ingest/indexer/tables.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import type { SEARCH_TEXTS } from './tables.ts';

/** The lists of each kind: whole ids, whole names, and the ends of names that do not begin with them. */
export const TEXT_PARTS = ['id', 'name', 'inside'] as const;
export type TextPart = (typeof TEXT_PARTS)[number];

/** A text to append to the list of its part. */
interface SearchText {
  readonly part: TextPart;
  readonly text: string;
  readonly place: number;
}

/** Fewest letters of a search for a name. */
export const LEAST_OF_NAME = 3;

/** Characters of a name at which a search can begin: bounds the rows of a contract. Names on the chain are shorter. */
const MOST_PLACES = 64;

/**
 * The texts of a contract, or of an asset.
 *
 *     SP1.my-vault   id SP1.my-vault   name my-vault   inside y-vault, vault, ault, ult
 *
 * @param id contract id, or asset identifier; its name is what follows the address
 */
export function searchTextsOf(id: string): SearchText[] {
  const name = id.slice(id.indexOf('.') + 1).toLowerCase();
  const texts: SearchText[] = [
    { part: 'id', text: id, place: 0 },
    { part: 'name', text: name, place: 0 },
  ];
  const places = Math.min(name.length - LEAST_OF_NAME + 1, MOST_PLACES);
  for (let place = 1; place < places; place++)
    if (/[a-z]/.test(name.charAt(place))) texts.push({ part: 'inside', text: name.slice(place), place });
  return texts;
}

/** Appends the texts of an id. The lists of all parts must be loaded. */
export function appendSearchTexts(kind: ListKind<typeof SEARCH_TEXTS>, id: string, workspace: Workspace): void {
  const newest = 0 - workspace.lengthOf(kind, 'id');
  for (const { part, text, place } of searchTextsOf(id)) workspace.append(kind, part, { text, place, newest });
}
