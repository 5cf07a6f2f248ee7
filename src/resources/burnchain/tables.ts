import { listKind } from '../../indexer/tables.ts';
import { table } from '../../store/table.ts';

/** All reward slots of the canonical burn chain: by burn height, then slot. */
export const REWARD_SLOTS = table({
  name: 'reward_slots',
  columns: {
    seq: 'int',
    /** The slot as it is served. */
    record: 'text',
  },
  key: ['seq'],
});
export const ALL_REWARD_SLOTS = listKind({ code: 60, chain: 'burn', entries: REWARD_SLOTS, named: false });

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
});
