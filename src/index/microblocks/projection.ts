import { hexBytes } from '../../base/lib/hex.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { MicroblockLink } from '../../ingest/chain/microblocks.ts';
import type { IndexTransaction, Projection } from '../../ingest/indexer/projection.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { ALL_TXS } from '../transactions/tables.ts';
import { ALL_MICROBLOCKS, KNOWN_MICROBLOCKS } from './tables.ts';

/** Microblocks, canonical and known (getMicroblockListV1, getMicroblockByHashV1). Runs after the transactions projection. */
export const microblocksProjection: Projection = {
  name: 'microblocks',
  stateTables: [],
  keptTables: [KNOWN_MICROBLOCKS],
  lists: [ALL_MICROBLOCKS],

  hooks: ({ workspace }: IndexTransaction) => ({
    blockArrived: ({ facts }) => keep(workspace, facts.parentIndexBlockHash, facts.microblocks),
    microblocksArrived: ({ parentIndexBlockHash, microblocks }) => keep(workspace, parentIndexBlockHash, microblocks),
  }),

  prepare(block: BlockFacts, workspace: Workspace) {
    if (block.microblocks.length === 0) return undefined;
    workspace.loadLists(ALL_MICROBLOCKS, ['']);
    return () => addMicroblocks(block, workspace);
  },
};

function addMicroblocks({ microblocks, parentIndexBlockHash, txs }: BlockFacts, workspace: Workspace): void {
  const firstOfBlock = workspace.lengthOf(ALL_TXS) - txs.length;
  for (const { hash, parentHash, sequence, txCount } of microblocks) {
    workspace.append(ALL_MICROBLOCKS, '', {
      hash: hexBytes(hash),
      parent_hash: hexBytes(parentHash),
      sequence,
      parent_block: hexBytes(parentIndexBlockHash),
      first_tx: firstOfBlock + txs.findIndex(({ microblock }) => microblock?.hash === hash),
      tx_rows: txCount,
    });
  }
}

function keep(workspace: Workspace, parentBlock: string, microblocks: readonly MicroblockLink[]): void {
  for (const { hash, parentHash, sequence } of microblocks) {
    workspace.keep(KNOWN_MICROBLOCKS, {
      hash: hexBytes(hash),
      parent_block: hexBytes(parentBlock),
      parent_hash: hexBytes(parentHash),
      sequence,
    });
  }
}
