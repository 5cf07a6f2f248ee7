import type { BurnProjection } from '../../ingest/indexer/projection.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import type { NewBurnBlock, PoxTransaction } from '../../ingest/node/events/bodies.ts';
import { packRewardRecord } from './stored.ts';
import {
  ALL_MINER_TOTAL_CHANGES,
  ALL_POX_TXS,
  ALL_REWARD_SLOTS,
  ALL_REWARDS,
  BURN_REWARD_TOTALS,
  BURN_REWARDS_OF_ADDRESS,
  MINER_TOTALS,
  POX_TXS_OF_ADDRESS,
  REWARD_SLOTS_OF_ADDRESS,
} from './tables.ts';

/**
 * The reward data of each burn block: the holders of its slots, the payments, and the Bitcoin transactions that made them
 * (getBurnchainRewardSlotHoldersV1, getBurnchainRewardListV1, getBurnBlockPoxTransactionsV2 and those of an address). Follows the burn
 * chain; forks of the Stacks chain do not matter.
 */
export const burnchainProjection: BurnProjection = {
  name: 'burnchain',
  stateTables: [BURN_REWARD_TOTALS, MINER_TOTALS],
  lists: [
    ALL_REWARD_SLOTS,
    REWARD_SLOTS_OF_ADDRESS,
    ALL_REWARDS,
    BURN_REWARDS_OF_ADDRESS,
    ALL_MINER_TOTAL_CHANGES,
    ALL_POX_TXS,
    POX_TXS_OF_ADDRESS,
  ],

  async apply(burnBlock: NewBurnBlock, workspace: Workspace): Promise<void> {
    await addSlots(burnBlock, workspace);
    await addRewards(burnBlock, workspace);
    await addTotals(burnBlock, workspace);
    await addPoxTransactions(burnBlock, workspace);
  },
};

async function addSlots(burnBlock: NewBurnBlock, workspace: Workspace): Promise<void> {
  const { reward_slot_holders: holders, burn_block_hash, burn_block_height } = burnBlock;
  if (holders.length === 0) return;
  await Promise.all([
    workspace.loadLists(ALL_REWARD_SLOTS, ['']),
    workspace.loadLists(REWARD_SLOTS_OF_ADDRESS, new Set(holders)),
  ]);
  for (const [slot_index, address] of holders.entries()) {
    const record = packRewardRecord({ canonical: true, burn_block_hash, burn_block_height, address, slot_index });
    const seq = workspace.append(ALL_REWARD_SLOTS, '', { burn_height: burn_block_height, record });
    workspace.append(REWARD_SLOTS_OF_ADDRESS, address, { slot: seq });
  }
}

async function addRewards(burnBlock: NewBurnBlock, workspace: Workspace): Promise<void> {
  const { reward_recipients: rewards, burn_block_hash, burn_block_height, burn_amount } = burnBlock;
  if (rewards.length === 0) return;
  const addresses = new Set(rewards.map(({ recipient }) => recipient));
  await Promise.all([
    workspace.loadLists(ALL_REWARDS, ['']),
    workspace.loadLists(BURN_REWARDS_OF_ADDRESS, addresses),
    workspace.load(
      BURN_REWARD_TOTALS,
      [...addresses].map(address => ({ address })),
    ),
  ]);
  for (const [reward_index, { recipient, amt }] of rewards.entries()) {
    const record = packRewardRecord({
      canonical: true,
      burn_block_hash,
      burn_block_height,
      burn_amount: String(burn_amount),
      reward_recipient: recipient,
      reward_amount: String(amt),
      reward_index,
    });
    const seq = workspace.append(ALL_REWARDS, '', { burn_height: burn_block_height, record });
    workspace.append(BURN_REWARDS_OF_ADDRESS, recipient, { reward: seq });
    const before = workspace.get(BURN_REWARD_TOTALS, { address: recipient })?.amount ?? '0';
    workspace.put(BURN_REWARD_TOTALS, { address: recipient, amount: String(BigInt(before) + BigInt(amt)) });
  }
}

async function addTotals(burnBlock: NewBurnBlock, workspace: Workspace): Promise<void> {
  const { reward_recipients, burn_amount, burn_block_height: burn_height } = burnBlock;
  const paid = reward_recipients.reduce((sum, { amt }) => sum + BigInt(amt), 0n);
  const burnt = BigInt(burn_amount);
  if (paid + burnt === 0n) return;
  await Promise.all([
    workspace.load(MINER_TOTALS, [{ name: 'paid' }, { name: 'burnt' }]),
    workspace.loadLists(ALL_MINER_TOTAL_CHANGES, ['']),
  ]);
  const added = (name: 'paid' | 'burnt', sats: bigint): string => {
    const before = workspace.get(MINER_TOTALS, { name })?.sats ?? '0';
    const total = String(BigInt(before) + sats);
    if (sats > 0n) workspace.put(MINER_TOTALS, { name, sats: total });
    return total;
  };
  const totals = { paid: added('paid', paid), burnt: added('burnt', burnt) };
  workspace.append(ALL_MINER_TOTAL_CHANGES, '', { burn_height, ...totals });
}

async function addPoxTransactions(burnBlock: NewBurnBlock, workspace: Workspace): Promise<void> {
  const { pox_transactions, burn_block_height, burn_block_hash } = burnBlock;
  const outputs = (pox_transactions ?? []).flatMap(outputsOf).sort(highestFirst);
  if (outputs.length === 0) return;
  await Promise.all([
    workspace.loadLists(ALL_POX_TXS, ['']),
    workspace.loadLists(POX_TXS_OF_ADDRESS, new Set(outputs.map(({ recipient }) => recipient))),
  ]);
  for (const { txId, recipient, index, amount } of outputs) {
    const output = { burn_block_height, burn_block_hash, tx_id: txId, recipient, utxo_idx: index, amount };
    const record = packRewardRecord(output);
    const seq = workspace.append(ALL_POX_TXS, '', { burn_height: burn_block_height, record });
    workspace.append(POX_TXS_OF_ADDRESS, recipient, { pox_tx: seq });
  }
}

type Output = ReturnType<typeof outputsOf>[number];

const outputsOf = ({ txid, reward_recipients }: PoxTransaction) =>
  reward_recipients.map(({ recipient, amt, utxo_idx }) => ({
    txId: txid,
    recipient,
    index: utxo_idx,
    amount: String(amt),
  }));

const highestFirst = (a: Output, b: Output): number =>
  a.txId === b.txId ? b.index - a.index : a.txId < b.txId ? 1 : -1;
