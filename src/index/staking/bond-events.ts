import { storableHeight } from '../../base/store/values.ts';
import type { StakingPrint } from '../pox/prints.ts';
import { type StakingEvent, stakingEventOf } from './facts.ts';

type Of<Kind extends StakingEvent['kind']> = Extract<StakingEvent, { kind: Kind }>;

/** An event of a bond, from a print of PoX 5 (docs/spec/staking.md#events-of-a-bond). Amounts in satoshis and micro-STX. */
export type BondEvent =
  /** @property earlyUnlockBytes 0x hex; empty if the print has none */
  | { readonly name: 'setup-bond'; readonly setup: Of<'bond'>; readonly earlyUnlockBytes: string }
  | { readonly name: 'add-to-allowlist'; readonly staker: string; readonly maxSats: bigint }
  | { readonly name: 'register-for-bond'; readonly isL1: boolean; readonly holding: Holding }
  | {
      readonly name: 'update-bond-registration';
      readonly isL1: boolean;
      readonly holding: Holding;
      readonly oldSigner: string;
    }
  | { readonly name: 'announce-l1-early-exit'; readonly parties: Parties; readonly released: bigint }
  | { readonly name: 'unstake-sbtc'; readonly parties: Parties; readonly withdrawn: bigint; readonly remaining: bigint }
  | {
      readonly name: 'bond-distribution';
      readonly targetYield: bigint;
      readonly rewards: bigint;
      readonly staked: bigint;
      /** Earnings of one satoshi, times 10^18. */
      readonly accruedPerSat: bigint;
      readonly cumulativePerSat: bigint;
    }
  | {
      readonly name: 'claim-staker-rewards-for-signer';
      readonly manager: string;
      readonly staker: string;
      readonly cycle: number;
      readonly claimed: bigint;
    };

interface Parties {
  readonly staker: string;
  readonly signer: string;
}

interface Holding extends Parties {
  readonly sats: bigint;
  readonly ustx: bigint;
}

/** The bond of a print and its event; undefined for a print about no bond, or one that lacks a member. */
export function bondEventOf(print: StakingPrint): { readonly bond: number; readonly event: BondEvent } | undefined {
  const change = stakingEventOf(print);
  if (!change || !('bond' in change) || change.bond === null) return undefined;
  const event = eventOf(print, change);
  return event && { bond: change.bond, event };
}

/** @param change the change that the print reports, with all members */
function eventOf(print: StakingPrint, change: StakingEvent): BondEvent | undefined {
  const parties = partiesOf(print);
  const isL1 = print.bool('is-l1-lock');
  switch (change.kind) {
    case 'bond':
      return { name: 'setup-bond', setup: change, earlyUnlockBytes: print.buffer('early-unlock-bytes') ?? '' };
    case 'allowance':
      return { name: 'add-to-allowlist', staker: change.staker, maxSats: change.maxSats };
    case 'registration':
      return { name: 'register-for-bond', isL1: change.outputs !== null, holding: change };
    case 'update': {
      const oldSigner = print.principal('old-signer');
      if (oldSigner === undefined || isL1 === undefined) return undefined;
      return { name: 'update-bond-registration', isL1, holding: change, oldSigner };
    }
    case 'exit': {
      const released = print.uint('amount-sats-released');
      return parties && released !== undefined ? { name: 'announce-l1-early-exit', parties, released } : undefined;
    }
    case 'withdrawal': {
      const withdrawn = print.uint('amount-withdrawn-sats');
      if (!parties || withdrawn === undefined) return undefined;
      return { name: 'unstake-sbtc', parties, withdrawn, remaining: change.left };
    }
    case 'bond rate':
      return distributionOf(print, change.rate);
    case 'claim': {
      const [manager, cycle] = [print.principal('signer-manager'), print.uint('reward-cycle')];
      if (manager === undefined || cycle === undefined) return undefined;
      const { staker, sats: claimed } = change;
      return { name: 'claim-staker-rewards-for-signer', manager, staker, cycle: storableHeight(cycle), claimed };
    }
    case 'stake':
    case 'cycle rate':
    case 'cycle claim':
    case 'key':
    case 'grant':
    case 'revocation':
      return undefined;
    default:
      return change satisfies never;
  }
}

function partiesOf(print: StakingPrint): Parties | undefined {
  const [staker, signer] = [print.principal('staker'), print.principal('signer')];
  return staker === undefined || signer === undefined ? undefined : { staker, signer };
}

function distributionOf(print: StakingPrint, cumulativePerSat: bigint): BondEvent | undefined {
  const [targetYield, rewards, staked] = [
    print.uint('target-yield'),
    print.uint('bond-rewards'),
    print.uint('bond-staked-sats'),
  ];
  const accruedPerSat = print.uint('accrued-rewards-per-sat');
  if (targetYield === undefined || rewards === undefined || staked === undefined || accruedPerSat === undefined) {
    return undefined;
  }
  return { name: 'bond-distribution', targetYield, rewards, staked, accruedPerSat, cumulativePerSat };
}

/** Time and cycle of a calculation of rewards, which a distribution of the same transaction divides. */
interface Calculation {
  readonly bitcoinHeight: number;
  readonly cycle: number;
}

/** The calculation of a print; undefined for another print, or one that lacks a member. */
export function calculationOf(print: StakingPrint): Calculation | undefined {
  if (print.topic !== 'calculate-rewards') return undefined;
  const [height, cycle] = [print.uint('calculation-height'), print.uint('stx-cycle')];
  if (height === undefined || cycle === undefined) return undefined;
  return { bitcoinHeight: storableHeight(height), cycle: storableHeight(cycle) };
}
