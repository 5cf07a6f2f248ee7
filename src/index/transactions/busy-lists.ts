import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { BUSY, combine, type UnitTransaction } from './combined-lists.ts';
import { type AppendedTransaction, EVERYTHING, extendFeeLists } from './fee-lists.ts';

/** Extends what the index keeps for busy lists, after a unit has appended its transactions. Undefined while no list can be busy. */
export function extendBusyLists(workspace: Workspace, txs: readonly UnitTransaction[]): Promise<void> | undefined {
  const last = txs.at(-1);
  return last === undefined || last.tx + 1 < BUSY ? undefined : extend(workspace, txs);
}

async function extend(workspace: Workspace, txs: readonly UnitTransaction[]): Promise<void> {
  const appended: AppendedTransaction[] = [];
  for (const { tx, fee, lists } of txs) {
    appended.push({ list: EVERYTHING, place: tx, tx, fee });
    for (const list of Object.values(lists)) if (list) appended.push({ list: list.id, place: list.place, tx, fee });
  }
  const fees = new Map(txs.map(({ tx, fee }) => [tx, fee]));
  for (const { list, place, tx } of await combine(workspace, txs))
    appended.push({ list, place, tx, fee: fees.get(tx) ?? new Uint8Array() });
  await extendFeeLists(workspace, appended);
}
