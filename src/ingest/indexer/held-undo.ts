import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { deleteRows, type RowOf, upsertRows } from '../../base/store/table.ts';
import type { BlockFacts } from '../chain/block-facts.ts';
import { FINAL_BURN_BLOCKS } from '../chain/finality.ts';
import { type ChainName, META, UNDO_LOG } from './tables.ts';
import type { AppliedBlock, UndoLog } from './undo-log.ts';
import type { Workspace } from './workspace.ts';

/** The newest of blocks that were applied one after another. */
export interface Applied {
  /** How many burn blocks have elected blocks in this transaction, up to this one. */
  readonly burnNumber: number;
  readonly burnHeight: number;
}

/**
 * The undo records of a transaction that builds an index in bulk: they are held in memory, and those of blocks that are final before it ends are never
 * written. A fork in the same transaction gets all that are held. One that takes a final block back finds no record (UNDO_GONE), and the caller applies the
 * events again with records.
 *
 *     burn blocks      1    2    3    4    5    6    7    8
 *     records held               3    4    5    6    7    8      1 and 2 have six burn blocks above them
 */
export class HeldUndo {
  readonly #workspace: Workspace;
  readonly #stacks: HeldRecords;
  readonly #burn: HeldRecords;
  #burnNumber = 0;
  #newest: string | undefined;
  #isStopped = false;

  constructor(workspace: Workspace, stacks: UndoLog, burn: UndoLog) {
    this.#workspace = workspace;
    this.#stacks = new HeldRecords('stacks', stacks);
    this.#burn = new HeldRecords('burn', burn);
  }

  /** To be called with every block that is applied, in order. */
  applied({ burnBlockHash, burnBlockHeight }: BlockFacts): Applied {
    if (burnBlockHash !== this.#newest) this.#burnNumber++;
    this.#newest = burnBlockHash;
    return { burnNumber: this.#burnNumber, burnHeight: burnBlockHeight };
  }

  /** Holds the record of blocks of which this is the last one. */
  holdStacks(record: AppliedBlock, { burnNumber, burnHeight }: Applied): void {
    this.#stacks.hold({ record, at: burnNumber, burnHeight });
    if (this.#isStopped) this.write();
    const final = this.#stacks.letGo(burnNumber - FINAL_BURN_BLOCKS);
    if (final) this.#burn.letGo(final.burnHeight);
  }

  holdBurn(record: AppliedBlock, burnHeight: number): void {
    this.#burn.hold({ record, at: burnHeight, burnHeight });
    if (this.#isStopped) this.write();
  }

  /** Writes what is held, and every further record. */
  stop(): void {
    this.#isStopped = true;
    this.write();
  }

  /** Writes what is held: what was applied last is to be taken back, or the transaction ends. */
  write(): void {
    for (const row of [...this.#stacks.take(), ...this.#burn.take()]) this.#workspace.keep(UNDO_LOG, row);
  }

  /** Takes the records of earlier transactions off the log that are below those that were let go. */
  async settle(tx: DatabaseTransaction): Promise<void> {
    for (const records of [this.#stacks, this.#burn]) await records.settle(tx);
  }
}

interface Held {
  readonly record: AppliedBlock;
  /** Grows with the depth of the records. */
  readonly at: number;
  readonly burnHeight: number;
}

class HeldRecords {
  readonly #chain: ChainName;
  readonly #log: UndoLog;
  #held: Held[] = [];
  #final: Held | undefined;

  constructor(chain: ChainName, log: UndoLog) {
    this.#chain = chain;
    this.#log = log;
  }

  hold(held: Held): void {
    this.#held.push(held);
  }

  /** @returns the highest of those that were let go, if there is one */
  letGo(upTo: number): Held | undefined {
    const kept = this.#held.findIndex(({ at }) => at > upTo);
    const gone = this.#held.splice(0, kept < 0 ? this.#held.length : kept).at(-1);
    this.#final = gone ?? this.#final;
    return gone;
  }

  take(): RowOf<typeof UNDO_LOG>[] {
    return this.#held
      .splice(0)
      .map(({ record: { depth, block, records, units } }) => this.#log.row(depth, block, records, units));
  }

  async settle(tx: DatabaseTransaction): Promise<void> {
    if (!this.#final) return;
    const { depth } = this.#final.record;
    await tx.run(`DELETE FROM ${UNDO_LOG.name} WHERE chain = ? AND depth <= ?`, [this.#chain, depth]);
    await upsertRows(tx, META, [{ name: undoFrom(this.#chain), value: String(depth + 1) }]);
  }
}

const undoFrom = (chain: ChainName): string => `undo_from_${chain}`;

/** How many units of a chain, the lowest ones, have no undo record as they were final when they were written. */
export async function unitsWithoutUndo(queries: Queries, chain: ChainName): Promise<number> {
  const row = await queries.get<RowOf<typeof META, 'value'>>('SELECT value FROM meta WHERE name = ?', [
    undoFrom(chain),
  ]);
  return Number(row?.value ?? 0);
}

export const forgetUndoFrom = (tx: DatabaseTransaction): Promise<void> =>
  deleteRows(
    tx,
    META,
    (['stacks', 'burn'] as const).map(chain => ({ name: undoFrom(chain) })),
  );

/** Whether no block is known that may come to stand deep in the chain: one that waits for its parent, or that a delivered one will replace. */
export async function mayHoldUndo(queries: Queries): Promise<boolean> {
  const waiting = await queries.get('SELECT 1 AS found FROM known_blocks WHERE connected = 0 LIMIT 1');
  return !waiting && !(await queries.get('SELECT 1 AS found FROM rebuilt_blocks LIMIT 1'));
}
