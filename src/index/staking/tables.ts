import { table } from '../../base/store/table.ts';
import { rowVersionsOf } from '../../ingest/indexer/row-versions.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/* The state of PoX 5 according to its prints (docs/spec/staking.md). Amounts are decimal texts: micro-STX (`ustx`) and satoshis (`sats`). */

/** The bonds that were set up. */
export const STAKING_BONDS = table({
  name: 'staking_bonds',
  columns: {
    bond_index: 'int',
    /** Where the transaction that set it up is in txs. */
    tx: 'int',
    /** Basis points. */
    target_rate: 'text',
    /** Micro-STX for 100 satoshis. */
    stx_value_ratio: 'text',
    /** Basis points. */
    min_ustx_ratio: 'text',
    first_cycle: 'int',
    start_height: 'int',
    unlock_cycle: 'int',
    unlock_height: 'int',
    /** Entries of the allowlist, and the sum of their allowances. */
    allowed: 'int',
    capacity: 'text',
    registered: 'int',
    /** Sums over its positions. */
    sats: 'text',
    ustx: 'text',
    /** Satoshis of rewards that were claimed. */
    paid: 'text',
    /** Satoshis of rewards that were distributed, as printed. */
    distributed: 'text',
    /** Total earnings of all positions, in satoshis times 10^18, without rounding. */
    earned: 'text',
    /** Rewards per satoshi since the beginning, times 10^18. */
    rate: 'text',
    since_height: 'int',
  },
  key: ['bond_index'],
  indexes: [['unlock_height', 'bond_index']],
  rewritten: true,
});
export const PAST_STAKING_BONDS = rowVersionsOf(STAKING_BONDS, 121);

/** Stakers that may take part in a bond. */
export const BOND_ALLOWANCES = table({
  name: 'bond_allowances',
  columns: {
    bond_index: 'int',
    staker: 'text',
    /** Place of the print: position of its transaction in txs, and index among its events. */
    tx: 'int',
    event_index: 'int',
    max_sats: 'text',
  },
  key: ['bond_index', 'staker'],
  indexes: [['bond_index', 'tx', 'event_index']],
});

/** The stakers of a bond, with their stakes and earnings. */
export const BOND_POSITIONS = table({
  name: 'bond_positions',
  columns: {
    bond_index: 'int',
    staker: 'text',
    /** Place of the staker's newest registration for the bond, as in bond_allowances. */
    tx: 'int',
    event_index: 'int',
    /** Its current manager. */
    signer: 'text',
    /** Locked Bitcoin outputs, as JSON [[transaction id, output], ...]; null if sBTC is locked. */
    l1_outputs: 'text?',
    enrolled_sats: 'text',
    sats: 'text',
    ustx: 'text',
    /** 1 after an early exit. */
    exited: 'int',
    /** 1 once another bond or a stake of the staker took over its locks. */
    rolled: 'int',
    /** The rate of the bond up to which `accrued` is computed. */
    settled_rate: 'text',
    accrued: 'text',
    claimed: 'text',
    since_height: 'int',
  },
  key: ['bond_index', 'staker'],
  indexes: [
    ['bond_index', 'tx', 'event_index'],
    ['staker', 'bond_index'],
  ],
  rewritten: true,
});
export const PAST_BOND_POSITIONS = rowVersionsOf(BOND_POSITIONS, 98, [['staker']]);

/** Entries of the lists of events by bond: which print of which transaction. */
export const BOND_EVENTS = table({
  name: 'bond_events',
  columns: {
    list: 'int',
    seq: 'int',
    /** Where the transaction is in txs. */
    tx: 'int',
    event_index: 'int',
    /** For a distribution, the print of the same transaction that calculated its rewards; else null. */
    calculation: 'int?',
  },
  key: ['list', 'seq'],
});

/** By the number of the bond (getBondEventsV3). */
export const EVENTS_OF_BOND = listKind({
  code: 34,
  chain: 'stacks',
  entries: BOND_EVENTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** The current state of every staker: STX staked alone, and its bond. */
export const STAKERS = table({
  name: 'stakers',
  columns: {
    staker: 'text',
    /** The manager of the STX staked alone, until this burn height; null without. */
    signer: 'text?',
    ustx: 'text',
    unlock_height: 'int',
    /** Satoshis of rewards of STX that were claimed. */
    claimed: 'text',
    /** The bond of the last registration; null without one, and after a stake that took it over. */
    bond_index: 'int?',
    since_height: 'int',
  },
  key: ['staker'],
  rewritten: true,
});
export const PAST_STAKERS = rowVersionsOf(STAKERS, 99);

/** The stakers of a manager, with the last burn height of STX staked alone and of a bond; 0 for not at all. */
export const SIGNER_STAKERS = table({
  name: 'signer_stakers',
  columns: { signer: 'text', staker: 'text', stx_until: 'int', btc_until: 'int', since_height: 'int' },
  key: ['signer', 'staker'],
});
export const PAST_SIGNER_STAKERS = rowVersionsOf(SIGNER_STAKERS, 100);

/** Number of stakers of a manager, by the later of both heights. */
export const SIGNER_STAKER_COUNTS = table({
  name: 'signer_staker_counts',
  columns: { signer: 'text', until: 'int', stakers: 'int' },
  key: ['signer', 'until'],
  rewritten: true,
});

/** STX staked alone, by the burn height of their unlock. */
export const STAKED_STX = table({
  name: 'staked_stx',
  columns: { unlock_height: 'int', ustx: 'text' },
  key: ['unlock_height'],
  rewritten: true,
});

/** Rewards per micro-STX staked alone in each cycle, times 10^18. */
export const CYCLE_RATES = table({
  name: 'staking_cycle_rates',
  columns: { cycle: 'int', rate: 'text', since_height: 'int' },
  key: ['cycle'],
});
export const PAST_CYCLE_RATES = rowVersionsOf(CYCLE_RATES, 101);

/** Payments of a cycle according to its calculations, and claims of managers. */
export const CYCLE_TOTALS = table({
  name: 'staking_cycle_totals',
  columns: {
    cycle: 'int',
    calculations: 'int',
    /** Micro-STX staked alone, according to the last calculation. */
    ustx: 'text',
    /** Sums over the calculations, in satoshis: total, for bonds, for STX staked alone, for the reserve. */
    accrued: 'text',
    bonds: 'text',
    stx_only: 'text',
    reserve: 'text',
    /** Satoshis that managers claimed. */
    claimed: 'text',
    since_height: 'int',
  },
  key: ['cycle'],
  rewritten: true,
});
export const PAST_CYCLE_TOTALS = rowVersionsOf(CYCLE_TOTALS, 102);

/** The satoshis of a bond at its last distribution in a cycle: those locked on Bitcoin, and those locked as sBTC. */
export const CYCLE_BOND_LOCKS = table({
  name: 'cycle_bond_locks',
  columns: { cycle: 'int', bond_index: 'int', native: 'text', sbtc: 'text', since_height: 'int' },
  key: ['cycle', 'bond_index'],
  rewritten: true,
});
export const PAST_CYCLE_BOND_LOCKS = rowVersionsOf(CYCLE_BOND_LOCKS, 103);

/** The current satoshis of a bond, in the same two parts: sums over its positions. */
export const BOND_LOCKS = table({
  name: 'bond_locks',
  columns: { bond_index: 'int', native: 'text', sbtc: 'text' },
  key: ['bond_index'],
  rewritten: true,
});

/** The same after each transaction that changed them. */
export const BOND_LOCK_CHANGES = table({
  name: 'bond_lock_changes',
  columns: {
    bond_index: 'int',
    /** Position of the transaction in txs. */
    tx: 'int',
    native: 'text',
    sbtc: 'text',
  },
  key: ['bond_index', 'tx'],
});

/** Signer managers with their last registered key. */
export const STAKING_SIGNERS = table({
  name: 'staking_signers',
  columns: { signer: 'text', signing_key: 'text', tx_id: 'bytes' },
  key: ['signer'],
});

/** Keys that were granted to managers, and revoked. */
export const SIGNER_GRANTS = table({
  name: 'signer_grants',
  columns: {
    signer: 'text',
    signing_key: 'text',
    /** Position of the transaction in txs; its last print about the key counts. */
    tx: 'int',
    /** Null if the grant was revoked. */
    auth_id: 'text?',
    tx_id: 'bytes',
  },
  key: ['signer', 'signing_key', 'tx'],
});

/** Number of `bonds` and `signers`. */
export const STAKING_COUNTS = table({
  name: 'staking_counts',
  columns: { name: 'text', count: 'int', since_height: 'int' },
  key: ['name'],
});
export const PAST_STAKING_COUNTS = rowVersionsOf(STAKING_COUNTS, 95);

/** The transaction with the newest calculation of the rewards of each cycle. */
export const CYCLE_CALCULATIONS = table({
  name: 'cycle_calculations',
  columns: {
    cycle: 'int',
    /** Position in txs. */
    tx: 'int',
    since_height: 'int',
  },
  key: ['cycle'],
});
export const PAST_CYCLE_CALCULATIONS = rowVersionsOf(CYCLE_CALCULATIONS, 104);

/** The rate of a bond after its last distribution in each cycle. */
export const BOND_CYCLE_RATES = table({
  name: 'bond_cycle_rates',
  columns: { bond_index: 'int', cycle: 'int', rate: 'text', since_height: 'int' },
  key: ['bond_index', 'cycle'],
});
export const PAST_BOND_CYCLE_RATES = rowVersionsOf(BOND_CYCLE_RATES, 105);

/** The cycle of the newest distribution of each bond. */
export const NEWEST_BOND_CYCLES = table({
  name: 'newest_bond_cycles',
  columns: { bond_index: 'int', cycle: 'int' },
  key: ['bond_index'],
  rewritten: true,
});

/** A position after its last change between the distributions of a cycle and those of a later one; cycle -1 is before any distribution. */
export const BOND_SETTLEMENTS = table({
  name: 'bond_settlements',
  columns: {
    bond_index: 'int',
    staker: 'text',
    cycle: 'int',
    /** As in bond_positions. */
    settled_rate: 'text',
    accrued: 'text',
    sats: 'text',
    since_height: 'int',
  },
  key: ['bond_index', 'staker', 'cycle'],
});
export const PAST_BOND_SETTLEMENTS = rowVersionsOf(BOND_SETTLEMENTS, 106);

/** Satoshis of rewards that a staker claimed for a cycle: of a bond, or, as bond -1, of STX staked alone. */
export const STAKER_CLAIMS = table({
  name: 'staker_claims',
  columns: {
    staker: 'text',
    cycle: 'int',
    bond_index: 'int',
    sats: 'text',
    /** Position of the newest claim in txs. */
    tx: 'int',
    since_height: 'int',
  },
  key: ['staker', 'cycle', 'bond_index'],
});
export const PAST_STAKER_CLAIMS = rowVersionsOf(STAKER_CLAIMS, 107);

export const STAKING_TABLES = [
  STAKING_BONDS,
  BOND_ALLOWANCES,
  BOND_POSITIONS,
  STAKERS,
  SIGNER_STAKERS,
  SIGNER_STAKER_COUNTS,
  STAKED_STX,
  CYCLE_RATES,
  CYCLE_TOTALS,
  CYCLE_BOND_LOCKS,
  BOND_LOCKS,
  BOND_LOCK_CHANGES,
  STAKING_SIGNERS,
  SIGNER_GRANTS,
  STAKING_COUNTS,
  CYCLE_CALCULATIONS,
  BOND_CYCLE_RATES,
  NEWEST_BOND_CYCLES,
  BOND_SETTLEMENTS,
  STAKER_CLAIMS,
] as const;

export const STAKING_VERSIONS = [
  PAST_STAKING_BONDS,
  PAST_BOND_POSITIONS,
  PAST_STAKERS,
  PAST_SIGNER_STAKERS,
  PAST_CYCLE_RATES,
  PAST_CYCLE_TOTALS,
  PAST_CYCLE_BOND_LOCKS,
  PAST_CYCLE_CALCULATIONS,
  PAST_BOND_CYCLE_RATES,
  PAST_BOND_SETTLEMENTS,
  PAST_STAKER_CLAIMS,
  PAST_STAKING_COUNTS,
] as const;
