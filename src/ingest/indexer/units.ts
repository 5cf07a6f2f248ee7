import type { BlockFacts } from '../chain/block-facts.ts';
import type { Session } from './session.ts';
import { UNDO_LOG } from './tables.ts';
import type { UndoneUnit, Unit } from './unit.ts';

/** Rows in the workspace above which it is flushed between two blocks: bounds the memory of a long plan. */
const FLUSH_ROWS = 50_000;

/**
 * Most blocks that share an undo record. The record holds a row once, even if several blocks change it. A fork that takes back one of
 * the blocks applies the others again (split-units.ts).
 */
const UNITS_TOGETHER = 100;
/** Rows in an undo record above which no further block shares it. */
const ROWS_TOGETHER = 4_000;

/**
 * Has all projections write a unit. Blocks that follow each other in one transaction share an undo record; a microblock, and a block that
 * accepts microblocks, have their own.
 * @param hash of the block (index block hash) or of the microblock
 * @returns the unit without the transactions that the chain has already
 */
export async function applyUnit(session: Session, unit: Unit, hash: string): Promise<Unit> {
  const { workspace } = session;
  const written = await writeUnit(session, unit, hash);
  await session.hooks.unitApplied(written, unit);
  if (workspace.pending > FLUSH_ROWS) {
    closeUnits(session);
    await workspace.flush();
  }
  return written;
}

/** Like applyUnit, without running the hooks. */
export async function writeUnit(session: Session, whole: Unit, hash: string): Promise<Unit> {
  const { workspace, preparation, duplicates, state } = session;
  // Duplicates in microblocks are left out already: see placeMicroblocks.
  const block = whole.kind === 'block' ? await duplicates.leaveOut(whole.block) : whole.block;
  const unit = block === whole.block ? whole : { ...whole, block };
  const writes = await preparation.writesOf(unit.block);
  const alone = isAlone(unit);
  if (alone) closeUnits(session);
  if (!session.openUnits) workspace.beginUnit();
  workspace.atHeight(unit.block.height);
  for (const write of writes) {
    const written = write(unit);
    if (written) await written;
    const spilled = workspace.spillMany();
    if (spilled) await spilled;
  }
  const count = (session.openUnits?.count ?? 0) + 1;
  session.openUnits = { count, last: hash };
  session.state = { ...state, depth: state.depth + 1 };
  if (alone || count >= UNITS_TOGETHER || workspace.touched > ROWS_TOGETHER) closeUnits(session);
  return unit;
}

/** Whether the unit may differ when it is written again later: microblocks, or the boot block, may have come since. */
const isAlone = ({ kind, block }: Unit): boolean =>
  kind === 'microblock' || block.height === 1 || block.microblocks.length > 0;

/** Writes the undo record of the newest blocks: later writes are not part of it. */
export function closeUnits(session: Session): void {
  const { workspace, undoLog, state, openUnits } = session;
  if (!openUnits) return;
  const { count, last } = openUnits;
  workspace.keep(UNDO_LOG, undoLog.row(state.depth - 1, last, workspace.endUnit(), count));
  session.openUnits = undefined;
}

/** Undoes the newest applied unit, which must be this one and have an undo record of its own. */
export async function undoUnit(session: Session, unit: Omit<UndoneUnit, 'records'>): Promise<void> {
  const { hash } = unit;
  const { undoLog: log } = session;
  closeUnits(session);
  await session.workspace.flush();
  const top = await log.top();
  if (top?.units !== 1 || top.block !== hash) throw new Error(`the newest applied block is ${top?.block}, not ${hash}`);
  const followUp = await session.hooks.unitUndone({ ...unit, records: top.records });
  await session.workspace.restore(top.records);
  await log.remove(top.depth);
  session.state = { ...session.state, depth: top.depth };
  await followUp();
}

/**
 * Undoes microblocks, the newest first.
 * @param keep number of microblocks that stay
 * @param reapplied transactions that will be in microblocks on the tip again: hooks must not see them as removed
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
  for (const { hash, sequence, block: whole } of added) {
    const block = await session.duplicates.leaveOut(whole);
    const leftOut = whole.txs.length - block.txs.length;
    if (leftOut > 0)
      session.logger.warn(
        { microblock: hash, leftOut },
        'transactions of a microblock left out: the chain has them already',
      );
    // All its transactions are duplicates: skip it, like one whose transactions cannot be decoded.
    if (block.microblocks.length === 0) continue;
    await applyUnit(session, { kind: 'microblock', block }, hash);
    session.state = { ...session.state, microblocks: [...session.state.microblocks, { hash, sequence }] };
  }
}

/** A microblock that is, or will be, in the stream on the tip. */
export interface PlacedMicroblock {
  readonly hash: string;
  readonly sequence: number;
  /** In the form of a block: see unanchoredBlock. */
  readonly block: BlockFacts;
}
