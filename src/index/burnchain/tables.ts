import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/** All reward slots of the canonical burn chain: by burn height, then slot. */
export const REWARD_SLOTS = table({
  name: 'reward_slots',
  columns: {
    seq: 'int',
    burn_height: 'int',
    /** The slot as it is served. */
    record: 'text',
  },
  key: ['seq'],
});
export const ALL_REWARD_SLOTS = listKind({
  code: 60,
  chain: 'burn',
  entries: REWARD_SLOTS,
  named: false,
  clock: { of: 'burn', column: 'burn_height' },
});

/** The slots of each Bitcoin address, as the node spells it: their positions in reward_slots. */
export const ADDRESS_REWARD_SLOTS = table({
  name: 'address_reward_slots',
  columns: { list: 'int', seq: 'int', slot: 'int' },
  key: ['list', 'seq'],
});
export const REWARD_SLOTS_OF_ADDRESS = listKind({
  code: 61,
  chain: 'burn',
  entries: ADDRESS_REWARD_SLOTS,
  named: true,
  clock: { of: 'list', column: 'slot', list: ALL_REWARD_SLOTS },
});

/** Payments of miners to stackers: by burn height, then place among the recipients of the burn block. */
export const REWARDS = table({
  name: 'rewards',
  columns: {
    seq: 'int',
    burn_height: 'int',
    /** The payment as it is served. */
    record: 'text',
  },
  key: ['seq'],
});
export const ALL_REWARDS = listKind({
  code: 62,
  chain: 'burn',
  entries: REWARDS,
  named: false,
  clock: { of: 'burn', column: 'burn_height' },
});

/** The payments to each Bitcoin address: their positions in rewards. */
export const ADDRESS_REWARDS = table({
  name: 'address_rewards',
  columns: { list: 'int', seq: 'int', reward: 'int' },
  key: ['list', 'seq'],
});
export const BURN_REWARDS_OF_ADDRESS = listKind({
  code: 63,
  chain: 'burn',
  entries: ADDRESS_REWARDS,
  named: true,
  clock: { of: 'list', column: 'reward', list: ALL_REWARDS },
});

/** Total of the payments to each Bitcoin address, in satoshis. */
export const BURN_REWARD_TOTALS = table({
  name: 'reward_totals',
  columns: { address: 'text', amount: 'text' },
  key: ['address'],
});

/** Total satoshis that miners paid as rewards (`paid`), and burnt (`burnt`). */
export const MINER_TOTALS = table({
  name: 'miner_totals',
  columns: { name: 'text', sats: 'text' },
  key: ['name'],
  rewritten: true,
});

/** Both after each Bitcoin block that changed them. */
export const MINER_TOTAL_CHANGES = table({
  name: 'miner_total_changes',
  columns: { seq: 'int', burn_height: 'int', paid: 'text', burnt: 'text' },
  key: ['seq'],
});
export const ALL_MINER_TOTAL_CHANGES = listKind({
  code: 83,
  chain: 'burn',
  entries: MINER_TOTAL_CHANGES,
  named: false,
  clock: { of: 'burn', column: 'burn_height' },
});

/**
 * Outputs of Bitcoin transactions that pay rewards: by burn height, then transaction id and output, the highest first, as pages begin at the
 * end.
 */
export const POX_TXS = table({
  name: 'pox_txs',
  columns: {
    seq: 'int',
    burn_height: 'int',
    /** The output as it is served. */
    record: 'text',
  },
  key: ['seq'],
  indexes: [['burn_height', 'seq']],
});
export const ALL_POX_TXS = listKind({
  code: 64,
  chain: 'burn',
  entries: POX_TXS,
  named: false,
  clock: { of: 'burn', column: 'burn_height' },
});

/** The outputs to each Bitcoin address: their positions in pox_txs. */
export const ADDRESS_POX_TXS = table({
  name: 'address_pox_txs',
  columns: { list: 'int', seq: 'int', pox_tx: 'int' },
  key: ['list', 'seq'],
});
export const POX_TXS_OF_ADDRESS = listKind({
  code: 65,
  chain: 'burn',
  entries: ADDRESS_POX_TXS,
  named: true,
  clock: { of: 'list', column: 'pox_tx', list: ALL_POX_TXS },
});
