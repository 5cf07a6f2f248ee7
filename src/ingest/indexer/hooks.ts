import type { BlockFacts, DecodedBlock } from '../chain/block-facts.ts';
import type { DecodedMicroblocks } from '../chain/microblocks.ts';
import type { JournalEntry } from '../journal/entries.ts';
import type { Attachment, DropMempoolTx } from '../node/events/bodies.ts';
import type { UndoneUnit, Unit } from './unit.ts';

type Done = void | Promise<void>;

/**
 * What a projection does at other moments than the writing of a unit. Undo does not take these writes back. The hooks of one moment run
 * one after the other, in the order of the list of projections.
 */
export interface Hooks {
  /** Called once per new block, even if the block is never applied. */
  blockArrived?(block: DecodedBlock): Done;

  /** Called after `blockArrived` for a block that is not applied on top of the tip. A later move of the tip may apply it. */
  blockOffTip?(block: BlockFacts): Done;

  /** Called when microblocks arrive, even if they are never applied; the message may repeat earlier ones. */
  microblocksArrived?(microblocks: DecodedMicroblocks): Done;

  /** A node has taken transactions into its mempool. @param rawTxs 0x hex, perhaps no transactions at all */
  transactionsAnnounced?(rawTxs: readonly string[], entry: JournalEntry): Done;

  /** A node has dropped transactions from its mempool. */
  transactionsDropped?(drop: DropMempoolTx, entry: JournalEntry): Done;

  /** A node has received attachments of contract calls. */
  attachmentsArrived?(attachments: readonly Attachment[]): Done;

  /** All projections have written a unit. @param whole includes transactions that were left out, as the chain has them already */
  unitApplied?(unit: Unit, whole: Unit): Done;

  /**
   * Called before the newest unit is undone: the database still shows it.
   * @returns a function to be called after the undo
   */
  unitUndone?(undone: UndoneUnit): Promise<() => Done>;

  /** The tip has moved by undoing alone. @param tip null when the chain is empty now */
  tipLowered?(tip: BlockFacts | null): Done;

  /** Called last: the database shows everything that was applied. */
  beforeCommit?(): Done;
}

/** Those of all projections, each as one call. */
export function inOrder(all: readonly Hooks[]): Required<Hooks> {
  // These moments come with every block: call only the few projections that have such a hook.
  const arriving = all.filter(hooks => hooks.blockArrived);
  const applying = all.filter(hooks => hooks.unitApplied);
  return {
    async blockArrived(block) {
      for (const hooks of arriving) await hooks.blockArrived?.(block);
    },
    async blockOffTip(block) {
      for (const hooks of all) await hooks.blockOffTip?.(block);
    },
    async microblocksArrived(microblocks) {
      for (const hooks of all) await hooks.microblocksArrived?.(microblocks);
    },
    async transactionsAnnounced(rawTxs, entry) {
      for (const hooks of all) await hooks.transactionsAnnounced?.(rawTxs, entry);
    },
    async transactionsDropped(drop, entry) {
      for (const hooks of all) await hooks.transactionsDropped?.(drop, entry);
    },
    async attachmentsArrived(attachments) {
      for (const hooks of all) await hooks.attachmentsArrived?.(attachments);
    },
    async unitApplied(unit, whole) {
      for (const hooks of applying) await hooks.unitApplied?.(unit, whole);
    },
    async unitUndone(undone) {
      const followUps: (() => Done)[] = [];
      for (const hooks of all) {
        const followUp = await hooks.unitUndone?.(undone);
        if (followUp) followUps.push(followUp);
      }
      return async () => {
        for (const followUp of followUps) await followUp();
      };
    },
    async tipLowered(tip) {
      for (const hooks of all) await hooks.tipLowered?.(tip);
    },
    async beforeCommit() {
      for (const hooks of all) await hooks.beforeCommit?.();
    },
  };
}
