import { listKind } from '../../indexer/tables.ts';
import { table } from '../../store/table.ts';

/** Every print of the PoX contracts 2 and later, in chain order. */
export const POX_EVENTS = table({
  name: 'pox_events',
  columns: {
    seq: 'int',
    /** `pox-2`, `pox-3` ... */
    contract: 'text',
    height: 'int',
    tx_id: 'bytes',
    event_index: 'int',
    /** The operation as JSON (PoxEvent, amounts and heights as decimal text); null where the print does not tell one. */
    event: 'text?',
    /** The printed Clarity value. */
    raw: 'bytes',
  },
  key: ['seq'],
});
export const ALL_POX_EVENTS = listKind({ code: 50, chain: 'stacks', entries: POX_EVENTS, named: false });

/** Who delegated to a pool, and who revoked that: one list per PoX version and pool. */
export const POX_DELEGATIONS = table({
  name: 'pox_delegations',
  columns: {
    list: 'int',
    seq: 'int',
    height: 'int',
    stacker: 'text',
    /** Burn height at which the delegation ends by itself; null for one without end, and for a revocation. */
    until_burn_height: 'int?',
    /** 1 for a revocation. */
    revoked: 'int',
    /** Its row in pox_events. */
    event: 'int',
  },
  key: ['list', 'seq'],
  // Holds all that decides which delegations are in force, stacker by stacker.
  indexes: [['list', 'stacker', 'seq', 'height', 'until_burn_height', 'revoked']],
});
export const DELEGATIONS_TO_POOL = listKind({ code: 51, chain: 'stacks', entries: POX_DELEGATIONS, named: true });
export const delegationList = (contract: string, pool: string): string => `${contract} ${pool}`;

/** The signers of each reward set, one list per cycle; a later set of the same cycle follows the earlier one in its list. */
export const POX_SIGNERS = table({
  name: 'pox_signers',
  columns: {
    list: 'int',
    seq: 'int',
    signing_key: 'bytes',
    /** As getPoxCycleSigners serves it, without the two counts, which change later. */
    record: 'text',
  },
  key: ['list', 'seq'],
  indexes: [['list', 'signing_key']],
});
export const SIGNERS_OF_CYCLE = listKind({ code: 52, chain: 'stacks', entries: POX_SIGNERS, named: true });

/** The current reward set of each cycle: a range of the cycle's list in pox_signers. */
export const POX_CYCLES = table({
  name: 'pox_cycles',
  columns: {
    cycle: 'int',
    first_signer: 'int',
    signers: 'int',
    /** 1 for a cycle of PoX 5. */
    pox5: 'int',
  },
  key: ['cycle'],
});

/** In which way STX are stacked: by oneself, or by the operator of a pool. */
export const ROLES = { solo: 0, pooled: 1 } as const;
export type Role = keyof typeof ROLES;

/** By whom each stacker is represented in a cycle: solo by the signer with this key, pooled by the operator. Newest event wins. */
export const POX_STACKERS = table({
  name: 'pox_stackers',
  columns: { cycle: 'int', role: 'int', stacker: 'text', represented_by: 'text' },
  key: ['cycle', 'role', 'stacker'],
});

/** How many stackers of a cycle each signer key (solo) and each operator (pooled) represents. */
export const POX_STACKER_COUNTS = table({
  name: 'pox_stacker_counts',
  columns: { cycle: 'int', role: 'int', represented_by: 'text', stackers: 'int' },
  key: ['cycle', 'role', 'represented_by'],
});

/** The signer key that each pool operator last committed to in a cycle. */
export const POX_OPERATORS = table({
  name: 'pox_operators',
  columns: { cycle: 'int', operator: 'text', signing_key: 'text' },
  key: ['cycle', 'operator'],
});
