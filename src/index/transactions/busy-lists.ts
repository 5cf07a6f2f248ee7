import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { BUSY, CRITERIA, combine, type UnitTransaction } from './combined-lists.ts';
import { type AppendedTransaction, EVERYTHING, extendFeeLists, feePath } from './fee-lists.ts';

/** Extends the data of busy lists, after a unit has appended its transactions. Undefined while no list can be busy. */
export function extendBusyLists(workspace: Workspace, txs: readonly UnitTransaction[]): Promise<void> | undefined {
  const last = txs.at(-1);
  return last === undefined || last.tx + 1 < BUSY ? undefined : extend(workspace, txs);
}

async function extend(workspace: Workspace, txs: readonly UnitTransaction[]): Promise<void> {
  const appended: AppendedTransaction[] = [];
  const paths = new Map<number, string>();
  /** From this place on, a list may be busy at the end of the unit. */
  const least = BUSY - txs.length;
  for (const { tx, fee, lists } of txs) {
    const path = feePath(fee);
    paths.set(tx, path);
    appended.push({ list: EVERYTHING, place: tx, tx, path });
    for (const criterion of CRITERIA) {
      const list = lists[criterion];
      if (list && list.place >= least) appended.push({ list: list.id, place: list.place, tx, path });
    }
  }
  // A new combined list also gets earlier transactions; its tree is made from the whole list.
  for (const { list, place, tx } of await combine(workspace, txs))
    appended.push({ list, place, tx, path: paths.get(tx) ?? '' });
  await extendFeeLists(workspace, appended);
}
