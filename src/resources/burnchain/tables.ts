import type { ListKind } from '../../indexer/tables.ts';
import type { Table } from '../../store/database.ts';

/** All reward slots of the canonical burn chain: by burn height, then slot. */
export const REWARD_SLOTS: Table = {
  name: 'reward_slots',
  columns: {
    seq: 'int',
    /** The slot as it is served. */
    record: 'text',
  },
  key: ['seq'],
};
export const ALL_REWARD_SLOTS: ListKind = { code: 60, chain: 'burn', entries: REWARD_SLOTS, named: false };

/** The slots of each Bitcoin address, as the node spells it: their positions in reward_slots. */
export const ADDRESS_REWARD_SLOTS: Table = {
  name: 'address_reward_slots',
  columns: { list: 'int', seq: 'int', slot: 'int' },
  key: ['list', 'seq'],
};
export const REWARD_SLOTS_OF_ADDRESS: ListKind = {
  code: 61,
  chain: 'burn',
  entries: ADDRESS_REWARD_SLOTS,
  named: true,
};
