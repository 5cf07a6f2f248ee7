import type { KeyOf, RowOf } from '../../base/store/table.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { LISTED_NAMES } from './tables.ts';

/** The rows that names read and write: those of the index, or those that a check makes anew. */
export type NameRows = Pick<Workspace, 'load' | 'get' | 'put'>;

/** The key of a name in the list of all names. */
export const listedNameKey = (name: string): KeyOf<typeof LISTED_NAMES> => ({
  namespace: name.slice(name.lastIndexOf('.') + 1),
  name,
});

/** Notes whether version 1 lists a name. Its row must be loaded. */
export const setListedInBns1 = (name: string, isListed: boolean, rows: NameRows): void =>
  change(name, { v1: isListed ? 1 : 0 }, rows);

/** Counts so many more ids of version 2 that have this name and a holder. Its row must be loaded. */
export function addHeldInBns2(name: string, more: number, rows: NameRows): void {
  const held = rows.get(LISTED_NAMES, listedNameKey(name))?.v2 ?? 0;
  change(name, { v2: held + more }, rows);
}

function change(name: string, columns: Partial<RowOf<typeof LISTED_NAMES, 'v1' | 'v2'>>, rows: NameRows): void {
  const key = listedNameKey(name);
  const before = rows.get(LISTED_NAMES, key);
  const row = { ...(before ?? { ...key, v1: 0, v2: null }), ...columns };
  if (before?.v1 !== row.v1 || before.v2 !== row.v2) rows.put(LISTED_NAMES, row);
}
