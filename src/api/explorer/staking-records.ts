/** What pages read of the records of PoX 5 (docs/spec/staking.md). Amounts of Bitcoin are satoshis, of STX micro-STX. */

export interface StakingOverview {
  readonly locked: {
    readonly stx: {
      readonly individual_staked_amount: string;
      readonly bond_staked_amount: string;
      readonly total_amount: string;
    };
    readonly btc: { readonly bond_staked_amount: string };
  };
}

interface Phase {
  readonly bitcoin_height: number;
  readonly pox_cycle: number;
}

export interface Bond {
  readonly index: number;
  readonly status: 'upcoming' | 'active' | 'unlocked';
  readonly parameters: {
    readonly target_rate_bps: number;
    readonly stx_value_ratio: number;
    readonly minimum_stx_ratio: number;
    readonly btc_capacity: string;
  };
  readonly registrations: { readonly allowed_count: number; readonly registered_count: number };
  readonly schedule: { readonly activation: Phase; readonly unlock: Phase };
  readonly balances: {
    readonly locked: { readonly btc: string; readonly stx: string };
    readonly paid_out: { readonly btc: string };
  };
}

export interface Registration {
  readonly staker: string;
  readonly signer: string;
  readonly type: 'l1' | 'l2';
  readonly balances: { readonly btc: string; readonly stx: string };
}

export interface CycleSigner {
  readonly signing_key: string;
  readonly signer_managers: readonly {
    readonly signer_manager: string;
    readonly grant_active: boolean;
    readonly pending_key_update: { readonly signer_key: string; readonly effective_cycle: number } | null;
  }[];
}

export interface Manager {
  readonly signer: string;
  readonly signer_key: string;
}

export interface SignerStaker {
  readonly staker: string;
  readonly types: readonly ('stx' | 'btc')[];
}

interface Rewards {
  readonly btc: { readonly accrued: string; readonly claimed: string; readonly claimable: string };
}

export interface StakingSummary {
  readonly stx: { readonly locked: string; readonly rewards: Rewards };
  readonly bonds: {
    readonly count: number;
    readonly locked: { readonly btc: string; readonly stx: string };
    readonly rewards: Rewards;
  };
}

/** Of Bitcoin. */
export interface CycleHeights {
  readonly start_height: number;
  readonly prepare_height: number;
  readonly end_height: number;
}

export interface StakingCycle {
  readonly cycle_number: number;
  readonly bitcoin_height: number;
  /** Null where the server does not know how long cycles are. */
  readonly heights: CycleHeights | null;
  readonly phase: 'upcoming' | 'reward' | 'prepare' | 'ended' | null;
}

/** A signer in one of its cycles. */
export interface SignedCycle {
  readonly cycle_number: number;
  readonly heights: CycleHeights | null;
  readonly weight: { readonly amount: number; readonly percent: number };
  readonly staked_stx: { readonly amount: string; readonly percent: number };
}
