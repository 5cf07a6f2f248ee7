import type { BlockFacts } from '../../chain/block-facts.ts';
import type { Projection, Unit } from '../../indexer/projection.ts';
import { FACTS } from '../../indexer/tables.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { ALL_TXS } from '../transactions/tables.ts';
import { CANONICAL_BLOCKS } from './tables.ts';

/** Name of the fact that holds the unanchored microblocks on the tip: [[hash, sequence, transactions], ...]. */
export const UNANCHORED = 'unanchored_microblocks';
export type UnanchoredMicroblock = readonly [hash: string, sequence: number, transactions: number];

/** Name of the fact that holds how many transactions came with the boot block: totals leave them out. */
export const BOOT_TRANSACTIONS = 'boot_transactions';

/** Name of the fact that holds the forced unlock heights of PoX 1 to 4: (number | null)[]. */
export const POX_UNLOCK_HEIGHTS = 'pox_unlock_heights';

/** The canonical chain itself, block by block (E3, E4, E6, E16). Runs after the transactions projection. */
export const blocksProjection: Projection = {
  name: 'blocks',
  stateTables: [FACTS],
  keptTables: [],
  lists: [CANONICAL_BLOCKS],

  async apply(unit: Unit, workspace: Workspace): Promise<void> {
    await workspace.load(FACTS, [[UNANCHORED], [POX_UNLOCK_HEIGHTS], [BOOT_TRANSACTIONS]]);
    if (unit.kind === 'microblock') addUnanchored(unit.block, workspace);
    else await addBlock(unit.block, unit.arrival, workspace);
  },
};

async function addBlock(block: BlockFacts, arrival: number, workspace: Workspace): Promise<void> {
  await workspace.loadLists(CANONICAL_BLOCKS, ['']);
  const txsBefore = workspace.lengthOf(ALL_TXS) - block.txs.length;
  const microblocks = block.microblocks.map(({ hash, txCount }) => [hash, txCount]);
  const text = microblocks.length > 0 ? JSON.stringify(microblocks) : null;
  const seq = workspace.append(CANONICAL_BLOCKS, '', [arrival, txsBefore, block.txs.length, text]);
  if (seq !== block.height - 1) throw new Error(`block of height ${block.height} applied at position ${seq}`);
  if (block.bootTxCount > 0) workspace.put(FACTS, [BOOT_TRANSACTIONS, String(block.bootTxCount)]);
  addUnlockHeights(block, workspace);
}

/** The last known value wins; 0 means unknown (addresses-contracts-pox-names.md 3.7). */
function addUnlockHeights(block: BlockFacts, workspace: Workspace): void {
  const row = workspace.get(FACTS, [POX_UNLOCK_HEIGHTS]);
  const before: (number | null)[] = typeof row?.[1] === 'string' ? JSON.parse(row[1]) : [null, null, null, null];
  const after = before.map((height, i) => block.poxUnlockHeights[i] || height);
  if (after.some((height, i) => height !== before[i]))
    workspace.put(FACTS, [POX_UNLOCK_HEIGHTS, JSON.stringify(after)]);
}

function addUnanchored(block: BlockFacts, workspace: Workspace): void {
  const row = workspace.get(FACTS, [UNANCHORED]);
  const before: UnanchoredMicroblock[] = typeof row?.[1] === 'string' ? JSON.parse(row[1]) : [];
  const added = block.microblocks.map(({ hash, sequence, txCount }): UnanchoredMicroblock => [hash, sequence, txCount]);
  workspace.put(FACTS, [UNANCHORED, JSON.stringify([...before, ...added])]);
}
