import type { KeyOf, RowOf } from '../../base/store/table.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { LISTED_NAMES } from './tables.ts';

/** The key of a name in the list of all names. */
export const listedNameKey = (name: string): KeyOf<typeof LISTED_NAMES> => ({
  namespace: name.slice(name.lastIndexOf('.') + 1),
  name,
});

/** Notes whether version 1 lists a name. Its row must be loaded. */
export const setListedInBns1 = (name: string, isListed: boolean, workspace: Workspace): void =>
  change(name, { v1: isListed ? 1 : 0 }, workspace);

/** Counts so many more ids of version 2 that have this name and a holder. Its row must be loaded. */
export function addHeldInBns2(name: string, more: number, workspace: Workspace): void {
  const held = workspace.get(LISTED_NAMES, listedNameKey(name))?.v2 ?? 0;
  change(name, { v2: held + more }, workspace);
}

function change(name: string, columns: Partial<RowOf<typeof LISTED_NAMES, 'v1' | 'v2'>>, workspace: Workspace): void {
  const key = listedNameKey(name);
  const before = workspace.get(LISTED_NAMES, key);
  const row = { ...(before ?? { ...key, v1: 0, v2: null }), ...columns };
  if (before?.v1 !== row.v1 || before.v2 !== row.v2) workspace.put(LISTED_NAMES, row);
}
