import type { Session } from './session.ts';
import { UNDO_LOG } from './tables.ts';
import { UndoLog } from './undo-log.ts';
import type { UndoneUnit, Unit } from './unit.ts';

/** Rows in the workspace above which it is written between two blocks: bounds the memory of a long plan. */
const FLUSH_ROWS = 50_000;

/** All projections write a unit. @param hash that of the block (index block hash) or of the microblock */
export async function applyUnit(session: Session, unit: Unit, hash: string): Promise<void> {
  const { workspace, preparation, state } = session;
  const writes = await preparation.writesOf(unit.block);
  workspace.beginUnit();
  for (const write of writes) await write(unit);
  const records = workspace.endUnit();
  workspace.keep(UNDO_LOG, new UndoLog(session.tx, 'stacks').row(state.depth, hash, records));
  session.state = { ...state, depth: state.depth + 1 };
  await session.hooks.unitApplied(unit);
  if (workspace.pending > FLUSH_ROWS) await workspace.flush();
}

/** Takes back the newest applied unit, which must be this one. */
export async function undoUnit(session: Session, unit: Omit<UndoneUnit, 'records'>): Promise<void> {
  const { hash } = unit;
  const log = new UndoLog(session.tx, 'stacks');
  await session.workspace.flush();
  const top = await log.top();
  if (top?.block !== hash) throw new Error(`the newest applied block is ${top?.block}, not ${hash}`);
  const followUp = await session.hooks.unitUndone({ ...unit, records: top.records });
  await session.workspace.restore(top.records);
  await log.remove(top.depth);
  session.state = { ...session.state, depth: top.depth };
  await followUp();
}
