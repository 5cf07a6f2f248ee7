import type { BlockFacts } from '../chain/block-facts.ts';
import type { Session } from './session.ts';
import { UNDO_LOG } from './tables.ts';
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
  workspace.keep(UNDO_LOG, session.undoLog.row(state.depth, hash, records));
  session.state = { ...state, depth: state.depth + 1 };
  await session.hooks.unitApplied(unit);
  if (workspace.pending > FLUSH_ROWS) await workspace.flush();
}

/** Takes back the newest applied unit, which must be this one. */
export async function undoUnit(session: Session, unit: Omit<UndoneUnit, 'records'>): Promise<void> {
  const { hash } = unit;
  const { undoLog: log } = session;
  await session.workspace.flush();
  const top = await log.top();
  if (top?.block !== hash) throw new Error(`the newest applied block is ${top?.block}, not ${hash}`);
  const followUp = await session.hooks.unitUndone({ ...unit, records: top.records });
  await session.workspace.restore(top.records);
  await log.remove(top.depth);
  session.state = { ...session.state, depth: top.depth };
  await followUp();
}

/**
 * Takes microblocks back, the newest first.
 * @param keep so many of them stay
 * @param reapplied transactions that will be in microblocks on the tip again: for nobody they were gone in between
 */
export async function undoMicroblocks(
  session: Session,
  keep: number,
  reapplied: ReadonlySet<string> = new Set(),
): Promise<void> {
  for (const { hash } of session.state.microblocks.slice(keep).reverse())
    await undoUnit(session, { hash, reapplied, fromBootBlock: new Set() });
  session.state = { ...session.state, microblocks: session.state.microblocks.slice(0, keep) };
}

/** Applies microblocks on top of the tip, in order. */
export async function placeMicroblocks(session: Session, added: readonly PlacedMicroblock[]): Promise<void> {
  for (const { hash, sequence, block } of added) {
    await applyUnit(session, { kind: 'microblock', block }, hash);
    session.state = { ...session.state, microblocks: [...session.state.microblocks, { hash, sequence }] };
  }
}

/** A microblock that stands on the tip, or will. */
export interface PlacedMicroblock {
  readonly hash: string;
  readonly sequence: number;
  /** In the form of a block: see unanchoredBlock. */
  readonly block: BlockFacts;
}
