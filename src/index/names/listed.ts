import type { KeyOf, RowOf } from '../../base/store/table.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { LISTED_NAMES, NAME_PARTS } from './tables.ts';

/** The rows that the rules of names read and write: those of the index, or those that a check recomputes. */
export type NameRows = Pick<Workspace, 'load' | 'get' | 'put'>;

/** The key of a name in the list of all names. */
const listedNameKey = (name: string): KeyOf<typeof LISTED_NAMES> => ({
  namespace: name.slice(name.lastIndexOf('.') + 1),
  name,
});

/** Fewest letters of a search within a label. */
const LEAST_OF_PART = 3;

/** The ends of a name that begin inside its label: `lice.btc`, `ice.btc` of `alice.btc`. No two of them are equal. */
function partsOfName(name: string): RowOf<typeof NAME_PARTS>[] {
  const last = name.lastIndexOf('.') - LEAST_OF_PART;
  const parts: RowOf<typeof NAME_PARTS>[] = [];
  for (let place = 1; place <= last; place++)
    if (/[a-z0-9_-]/.test(name.charAt(place))) parts.push({ part: name.slice(place), name, place });
  return parts;
}

/** Loads the rows of names, and of their search texts. */
export async function loadListedNames(names: readonly string[], rows: NameRows): Promise<void> {
  await Promise.all([
    rows.load(LISTED_NAMES, names.map(listedNameKey)),
    rows.load(NAME_PARTS, names.flatMap(partsOfName)),
  ]);
}

/** Notes whether version 1 lists a name. Its row must be loaded. */
export const setListedInBns1 = (name: string, isListed: boolean, rows: NameRows): void =>
  change(name, { v1: isListed ? 1 : 0 }, rows);

/** Changes the number of ids of version 2 with this name and a holder. Its row must be loaded. */
export function addHeldInBns2(name: string, more: number, rows: NameRows): void {
  const held = rows.get(LISTED_NAMES, listedNameKey(name))?.v2 ?? 0;
  change(name, { v2: held + more }, rows);
}

function change(name: string, columns: Partial<RowOf<typeof LISTED_NAMES, 'v1' | 'v2'>>, rows: NameRows): void {
  const key = listedNameKey(name);
  const before = rows.get(LISTED_NAMES, key);
  const row = { ...(before ?? { ...key, v1: 0, v2: null }), ...columns };
  // Written even for a name that is not listed: the search reads that with the name.
  if (!before) for (const part of partsOfName(name)) rows.put(NAME_PARTS, part);
  if (before?.v1 !== row.v1 || before.v2 !== row.v2) rows.put(LISTED_NAMES, row);
}
