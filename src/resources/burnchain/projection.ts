import type { BurnProjection } from '../../indexer/projection.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import type { NewBurnBlock } from '../../node/events/burn-block.ts';
import { ALL_REWARD_SLOTS, REWARD_SLOTS_OF_ADDRESS } from './tables.ts';

/**
 * Who holds the reward slots of each burn block (getBurnchainRewardSlotHoldersByAddress, getBurnchainRewardSlotHolders).
 * Follows the burn chain; forks of the Stacks chain do not matter.
 */
export const burnchainProjection: BurnProjection = {
  name: 'burnchain',
  stateTables: [],
  lists: [ALL_REWARD_SLOTS, REWARD_SLOTS_OF_ADDRESS],

  async apply(burnBlock: NewBurnBlock, workspace: Workspace): Promise<void> {
    const { reward_slot_holders: holders, burn_block_hash, burn_block_height } = burnBlock;
    if (holders.length === 0) return;
    await Promise.all([
      workspace.loadLists(ALL_REWARD_SLOTS, ['']),
      workspace.loadLists(REWARD_SLOTS_OF_ADDRESS, new Set(holders)),
    ]);
    for (const [slot_index, address] of holders.entries()) {
      const record = { canonical: true, burn_block_hash, burn_block_height, address, slot_index };
      const seq = workspace.append(ALL_REWARD_SLOTS, '', { record: JSON.stringify(record) });
      workspace.append(REWARD_SLOTS_OF_ADDRESS, address, { slot: seq });
    }
  },
};
