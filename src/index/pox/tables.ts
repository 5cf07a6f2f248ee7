import { table } from '../../base/store/table.ts';
import { rowVersionsOf } from '../../ingest/indexer/row-versions.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/** Every print of the PoX contracts 2 and later, in chain order. */
export const POX_EVENTS = table({
  name: 'pox_events',
  columns: {
    seq: 'int',
    /** `pox-2`, `pox-3` ... */
    contract: 'text',
    height: 'int',
    tx_id: 'bytes',
    tx_index: 'int',
    event_index: 'int',
    /** The operation as JSON (PoxEvent, amounts and heights as decimal text); null for a print without an operation. */
    event: 'text?',
    /** The printed Clarity value. */
    raw: 'bytes',
  },
  key: ['seq'],
  indexes: [['tx_id', 'seq']],
});
export const ALL_POX_EVENTS = listKind({
  code: 50,
  chain: 'stacks',
  entries: POX_EVENTS,
  named: false,
  clock: { of: 'height', column: 'height' },
});

/** The prints with an operation: by contract, and by contract and stacker. */
export const POX_EVENT_LISTS = table({
  name: 'pox_event_lists',
  columns: {
    list: 'int',
    seq: 'int',
    /** Its row in pox_events. */
    event: 'int',
  },
  key: ['list', 'seq'],
});
export const EVENTS_OF_CONTRACT = listKind({
  code: 53,
  chain: 'stacks',
  entries: POX_EVENT_LISTS,
  named: true,
  clock: { of: 'list', column: 'event', list: ALL_POX_EVENTS },
});
export const EVENTS_OF_STACKER = listKind({
  code: 54,
  chain: 'stacks',
  entries: POX_EVENT_LISTS,
  named: true,
  clock: { of: 'list', column: 'event', list: ALL_POX_EVENTS },
});
export const stackerList = (contract: string, stacker: string): string => `${contract} ${stacker}`;

/** Delegations to a pool, and their revocations: one list per PoX version and pool. */
export const POX_DELEGATIONS = table({
  name: 'pox_delegations',
  columns: {
    list: 'int',
    seq: 'int',
    height: 'int',
    stacker: 'text',
    /** Burn height at which the delegation ends by itself; null without an end, and for a revocation. */
    until_burn_height: 'int?',
    /** 1 for a revocation. */
    revoked: 'int',
    /** Its row in pox_events. */
    event: 'int',
  },
  key: ['list', 'seq'],
});
export const DELEGATIONS_TO_POOL = listKind({
  code: 51,
  chain: 'stacks',
  entries: POX_DELEGATIONS,
  named: true,
  clock: { of: 'height', column: 'height' },
});
export const delegationList = (contract: string, pool: string): string => `${contract} ${pool}`;

/** The signers of each reward set, one list per cycle; a later set of the same cycle follows the earlier one in its list. */
export const POX_SIGNERS = table({
  name: 'pox_signers',
  columns: {
    list: 'int',
    seq: 'int',
    signing_key: 'bytes',
    /** As getPoxCycleSignersV2 serves it, without the two counts, which change later. */
    record: 'text',
  },
  key: ['list', 'seq'],
  indexes: [['list', 'signing_key']],
});
export const SIGNERS_OF_CYCLE = listKind({
  code: 52,
  chain: 'stacks',
  entries: POX_SIGNERS,
  named: true,
  clock: { of: 'none', reason: 'its entries have no height' },
});

/** The reward sets of each cycle, of which the last one counts: each is a range of the cycle's list in pox_signers. */
export const POX_CYCLES = table({
  name: 'pox_cycles',
  columns: {
    cycle: 'int',
    /** Height of the block with the reward set. */
    height: 'int',
    first_signer: 'int',
    signers: 'int',
    /** 1 for a cycle of PoX 5. */
    pox5: 'int',
    /** As getPoxCycleV2 serves it. */
    record: 'text',
  },
  key: ['cycle', 'height'],
});

/** The ways of stacking: in PoX 4 solo, or by the operator of a pool; in PoX 5 with a signer manager. */
export const ROLES = { solo: 0, pooled: 1, staker: 2 } as const;

/**
 * The representative of each stacker in a cycle: solo the signer with this key, pooled the operator, for a staker the manager.
 * The newest event wins.
 */
export const POX_STACKERS = table({
  name: 'pox_stackers',
  columns: {
    cycle: 'int',
    role: 'int',
    stacker: 'text',
    represented_by: 'text',
    /** Sorts by the locked amount after that event, the greatest first: see rankOf. */
    rank: 'bytes',
    /** Bitcoin address of the rewards; null if the event has none of a known form. */
    pox_address: 'text?',
    /** 1 for the STX of a bond of PoX 5. */
    in_bond: 'int',
    since_height: 'int',
  },
  key: ['cycle', 'role', 'stacker'],
  indexes: [['cycle', 'role', 'represented_by', 'rank', 'stacker']],
});
export const PAST_POX_STACKERS = rowVersionsOf(POX_STACKERS, 93, [['cycle', 'role', 'represented_by']]);

/** Number of stackers that each signer key (solo), operator (pooled) and manager (stakers) represents in a cycle. */
export const POX_STACKER_COUNTS = table({
  name: 'pox_stacker_counts',
  columns: { cycle: 'int', role: 'int', represented_by: 'text', stackers: 'int' },
  key: ['cycle', 'role', 'represented_by'],
});

/** Number of stakers of PoX 5 in a cycle, and their micro-STX: staked alone, and in bonds. */
export const POX_CYCLE_STAKES = table({
  name: 'pox_cycle_stakes',
  columns: {
    cycle: 'int',
    /** As in POX_STACKERS. */
    in_bond: 'int',
    stakers: 'int',
    ustx: 'text',
  },
  key: ['cycle', 'in_bond'],
  rewritten: true,
});

/** The signer key that each pool operator last committed to in a cycle. */
export const POX_OPERATORS = table({
  name: 'pox_operators',
  columns: { cycle: 'int', operator: 'text', signing_key: 'text', since_height: 'int' },
  key: ['cycle', 'operator'],
});
export const PAST_POX_OPERATORS = rowVersionsOf(POX_OPERATORS, 94);

/** The key that a signer manager of PoX 5 has registered, from this block on. */
export const POX_SIGNER_KEYS = table({
  name: 'pox_signer_keys',
  columns: {
    manager: 'text',
    height: 'int',
    signing_key: 'text',
    /** Transaction of the last registration in that block. */
    tx_id: 'bytes',
  },
  key: ['manager', 'height'],
  indexes: [['signing_key', 'manager', 'height']],
});
