import type { Table } from '../../base/store/database.ts';
import { LIST_COUNTERS } from './tables.ts';
import type { Workspace } from './workspace.ts';

/** Numbers for rows of a state table, by which other tables refer to them: 0, 1, 2 ... in order of insertion. */

const keyOf = ({ name }: Table) => ({ entries: name });

/** Makes sure that `nextNumber` can number rows of a table. */
export const loadNumbers = (table: Table, workspace: Workspace): Promise<void> =>
  workspace.load(LIST_COUNTERS, [keyOf(table)]);

/** The number of a new row of a table. */
export function nextNumber(table: Table, workspace: Workspace): number {
  const { count } = workspace.get(LIST_COUNTERS, keyOf(table)) ?? { count: 0 };
  workspace.put(LIST_COUNTERS, { ...keyOf(table), count: count + 1 });
  return count;
}
