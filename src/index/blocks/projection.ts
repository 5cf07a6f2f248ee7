import { type BlockFacts, shownTime } from '../../ingest/chain/block-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import { FACTS } from '../../ingest/indexer/tables.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { ALL_TXS } from '../transactions/tables.ts';
import {
  BURN_TIMES,
  type BurnTimes,
  NEWEST_BURN_BLOCK,
  type NewestBurnBlock,
  POX_UNLOCK_HEIGHTS,
  UNANCHORED,
} from './chain-facts.ts';
import {
  packSignatures,
  packUnanchored,
  readBurnTimes,
  readNewestBurnBlock,
  readUnanchored,
  unlockHeightsAfter,
} from './stored.ts';
import { ALL_BLOCK_SIGNATURES, ALL_LATE_BLOCKS, CANONICAL_BLOCKS } from './tables.ts';

/**
 * The canonical chain itself, block by block (getBlockV2, getBlocksV2, getBurnBlocksV2, getTenureBlocksV2 and others). Runs after the
 * transactions projection.
 */
export const blocksProjection: Projection = {
  name: 'blocks',
  stateTables: [FACTS],
  keptTables: [],
  lists: [CANONICAL_BLOCKS, ALL_LATE_BLOCKS, ALL_BLOCK_SIGNATURES],

  prepare(block: BlockFacts, workspace: Workspace) {
    workspace.load(
      FACTS,
      [UNANCHORED, POX_UNLOCK_HEIGHTS, BURN_TIMES, NEWEST_BURN_BLOCK].map(name => ({ name })),
    );
    workspace.loadLists(CANONICAL_BLOCKS, ['']);
    workspace.loadLists(ALL_LATE_BLOCKS, ['']);
    workspace.loadLists(ALL_BLOCK_SIGNATURES, ['']);
    return (unit: Unit) =>
      unit.kind === 'microblock' ? addUnanchored(block, workspace) : addBlock(block, unit.arrival, workspace);
  },
};

function addBlock(block: BlockFacts, arrival: number, workspace: Workspace): void {
  const txsBefore = workspace.lengthOf(ALL_TXS) - block.txs.length;
  const highTime = noteBurnTime(block, txsBefore, workspace);
  const microblocks = block.microblocks.map(({ hash, txCount }) => [hash, txCount]);
  const seq = workspace.append(CANONICAL_BLOCKS, '', {
    known: arrival,
    first_tx: txsBefore,
    tx_rows: block.txs.length,
    high_time: highTime,
    burn_number: numberBurnBlock(block, workspace),
    tenure_height: block.tenureHeight,
    block_time: shownTime(block),
    microblocks: microblocks.length > 0 ? JSON.stringify(microblocks) : null,
  });
  if (seq !== block.height - 1) throw new Error(`block of height ${block.height} applied at position ${seq}`);
  workspace.append(ALL_BLOCK_SIGNATURES, '', { signatures: packSignatures(block.signerSignatures) });
  addUnlockHeights(block, workspace);
}

/** The number of the burn block of a block: that of its parent, or the next one. */
function numberBurnBlock({ burnBlockHash }: BlockFacts, workspace: Workspace): number {
  const row = workspace.get(FACTS, { name: NEWEST_BURN_BLOCK });
  const { hash: newest, number } = readNewestBurnBlock(row);
  if (newest === burnBlockHash) return number;
  const next: NewestBurnBlock = [burnBlockHash, number + 1];
  workspace.put(FACTS, { name: NEWEST_BURN_BLOCK, value: JSON.stringify(next) });
  return number + 1;
}

/** Returns the highest time of a burn block up to this one, and notes if its own time is lower. */
function noteBurnTime({ burnBlockTime, txs }: BlockFacts, firstTx: number, workspace: Workspace): number {
  const row = workspace.get(FACTS, { name: BURN_TIMES });
  const { highest: before, greatestLateness: latest } = readBurnTimes(row) ?? {
    highest: burnBlockTime,
    greatestLateness: 0,
  };
  const highest = Math.max(before, burnBlockTime);
  const lateness = highest - burnBlockTime;
  if (lateness > 0) {
    workspace.append(ALL_LATE_BLOCKS, '', {
      high_time: highest,
      burn_time: burnBlockTime,
      first_tx: firstTx,
      tx_rows: txs.length,
    });
  }
  const after: BurnTimes = [highest, Math.max(latest, lateness)];
  if (!row || highest > before || lateness > latest)
    workspace.put(FACTS, { name: BURN_TIMES, value: JSON.stringify(after) });
  return highest;
}

function addUnlockHeights({ height, poxUnlockHeights }: BlockFacts, workspace: Workspace): void {
  const row = workspace.get(FACTS, { name: POX_UNLOCK_HEIGHTS });
  const value = unlockHeightsAfter(row, height, poxUnlockHeights);
  if (value !== undefined) workspace.put(FACTS, { name: POX_UNLOCK_HEIGHTS, value });
}

function addUnanchored(block: BlockFacts, workspace: Workspace): void {
  const row = workspace.get(FACTS, { name: UNANCHORED });
  const before = readUnanchored(row);
  const added = block.microblocks.map(({ hash, sequence, txCount }) => ({ hash, sequence, transactions: txCount }));
  workspace.put(FACTS, { name: UNANCHORED, value: packUnanchored([...before, ...added]) });
}
