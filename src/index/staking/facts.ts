import { type ClarityTuple, type ClarityValue, tupleMember } from '../../base/codec/index.ts';
import { toHex } from '../../base/lib/hex.ts';
import { storableHeight } from '../../base/store/values.ts';
import { StakingPrint } from '../pox/prints.ts';
import type { LockedOutput } from './stored.ts';

/** Figures of a calculation of rewards: micro-STX staked alone; satoshis in total, for bonds, for these STX, and for the reserve. */
export interface CalculatedTotals {
  readonly ustx: bigint;
  readonly accrued: bigint;
  readonly bonds: bigint;
  readonly stxOnly: bigint;
  readonly reserve: bigint;
}

/** A change of bonds, stakes, rewards or keys that a print of PoX 5 reports (docs/spec/staking.md#prints). */
export type StakingEvent =
  | {
      readonly kind: 'bond';
      readonly bond: number;
      readonly targetRate: bigint;
      readonly stxValueRatio: bigint;
      readonly minUstxRatio: bigint;
      readonly firstCycle: number;
      readonly startHeight: number;
      readonly unlockCycle: number;
      readonly unlockHeight: number;
    }
  | { readonly kind: 'allowance'; readonly bond: number; readonly staker: string; readonly maxSats: bigint }
  | {
      readonly kind: 'registration';
      readonly bond: number;
      readonly staker: string;
      readonly signer: string;
      readonly ustx: bigint;
      readonly sats: bigint;
      /** Null if sBTC is locked. */
      readonly outputs: readonly LockedOutput[] | null;
    }
  | {
      readonly kind: 'update';
      readonly bond: number;
      readonly staker: string;
      readonly signer: string;
      readonly ustx: bigint;
      readonly sats: bigint;
    }
  | { readonly kind: 'exit'; readonly bond: number; readonly staker: string }
  | { readonly kind: 'withdrawal'; readonly bond: number; readonly staker: string; readonly left: bigint }
  | {
      readonly kind: 'stake';
      readonly staker: string;
      readonly signer: string;
      readonly ustx: bigint;
      readonly unlockHeight: number;
      /** Whether it is a new stake, not a change of one: a new stake takes over the locks of the staker's bonds. */
      readonly isNew: boolean;
    }
  /** @property rewards satoshis of the distribution; 0 if the print lacks them */
  | { readonly kind: 'bond rate'; readonly bond: number; readonly rate: bigint; readonly rewards: bigint }
  /** @property totals null if the print lacks one of them */
  | {
      readonly kind: 'cycle rate';
      readonly cycle: number;
      readonly rate: bigint;
      readonly totals: CalculatedTotals | null;
    }
  /** A manager claims the earnings of its stakers in a cycle. */
  | { readonly kind: 'cycle claim'; readonly cycle: number; readonly sats: bigint }
  /** @property bond null for STX staked alone @property cycle null if the print does not name one */
  | {
      readonly kind: 'claim';
      readonly staker: string;
      readonly bond: number | null;
      readonly cycle: number | null;
      readonly sats: bigint;
    }
  | { readonly kind: 'key'; readonly signer: string; readonly key: string }
  | { readonly kind: 'grant'; readonly signer: string; readonly key: string; readonly authId: bigint }
  | { readonly kind: 'revocation'; readonly signer: string; readonly key: string };

/** The event of a print; undefined for a print of another kind, or one that lacks a member. Never throws. @param value the printed Clarity value */
export function stakingEvent(value: Uint8Array): StakingEvent | undefined {
  const print = StakingPrint.read(value);
  return print && stakingEventOf(print);
}

/** The same for a print that was read. */
export const stakingEventOf = (print: StakingPrint): StakingEvent | undefined => complete(eventOf(print));

/** An event that may lack members. */
type Draft = {
  [Kind in StakingEvent['kind']]: MaybeMissing<Extract<StakingEvent, { kind: Kind }>>;
}[StakingEvent['kind']];
type MaybeMissing<E> = { readonly [Name in keyof E]: Name extends 'kind' ? E[Name] : E[Name] | undefined };

const complete = (draft: Draft | undefined): StakingEvent | undefined =>
  draft && !Object.values(draft).includes(undefined) ? (draft as StakingEvent) : undefined;

/** Missing members are undefined in a draft. */
function eventOf(print: StakingPrint): Draft | undefined {
  const bond = number(print.uint('bond-index'));
  const [staker, signer] = [print.principal('staker'), print.principal('signer')];
  const ustx = print.uint('amount-ustx');
  const unlockHeight = height(print.uint('unlock-burn-height'));
  const isL1 = print.bool('is-l1-lock');
  const [manager, key] = [print.principal('signer-manager'), print.buffer('signer-key')];
  switch (print.topic) {
    case 'setup-bond':
      return {
        kind: 'bond',
        bond,
        targetRate: print.uint('target-rate'),
        stxValueRatio: print.uint('stx-value-ratio'),
        minUstxRatio: print.uint('min-ustx-ratio'),
        firstCycle: height(print.uint('first-reward-cycle')),
        startHeight: height(print.uint('bond-start-height')),
        unlockCycle: height(print.uint('unlock-cycle')),
        unlockHeight,
      };
    case 'add-to-allowlist':
      return { kind: 'allowance', bond, staker, maxSats: print.uint('max-sats') };
    case 'register-for-bond':
      return {
        kind: 'registration',
        bond,
        staker,
        signer,
        ustx,
        sats: print.uint('sats-total'),
        outputs: lockedOutputs(isL1, print.value('btc-lockup')),
      };
    case 'update-bond-registration':
      return { kind: 'update', bond, staker, signer, ustx, sats: print.uint('amount-sats') };
    case 'announce-l1-early-exit':
      return { kind: 'exit', bond, staker };
    case 'unstake-sbtc':
      return { kind: 'withdrawal', bond, staker, left: print.uint('new-amount-sats') };
    case 'stake':
    case 'stake-update':
    case 'unstake':
      return { kind: 'stake', staker, signer, ustx, unlockHeight, isNew: print.topic === 'stake' };
    case 'bond-distribution':
      return {
        kind: 'bond rate',
        bond,
        rate: print.uint('cumulative-rewards-per-sat'),
        rewards: print.uint('bond-rewards') ?? 0n,
      };
    case 'calculate-rewards':
      return {
        kind: 'cycle rate',
        cycle: number(print.uint('stx-cycle')),
        rate: print.uint('cumulative-rewards-per-ustx'),
        totals: calculatedTotals(print),
      };
    case 'claim-rewards':
      return { kind: 'cycle claim', cycle: number(print.uint('reward-cycle')), sats: print.uint('total-rewards') };
    case 'claim-staker-rewards-for-signer':
      return {
        kind: 'claim',
        staker,
        bond: bondOfClaim(print.value('bond-index')),
        cycle: number(print.uint('reward-cycle')) ?? null,
        sats: print.uint('rewards-claimed'),
      };
    case 'register-signer':
      return { kind: 'key', signer, key };
    case 'grant-signer-key':
      return { kind: 'grant', signer: manager, key, authId: print.uint('auth-id') };
    case 'revoke-signer-grant':
      return { kind: 'revocation', signer: manager, key };
    default:
      return undefined;
  }
}

function calculatedTotals(print: StakingPrint): CalculatedTotals | null {
  const [ustx, accrued] = [print.uint('cycle-staked-ustx'), print.uint('gross-accrued-rewards')];
  const [bonds, stxOnly] = [print.uint('total-bond-rewards'), print.uint('total-stx-staker-rewards')];
  const reserve = print.uint('reserve-deposit');
  if (ustx === undefined || accrued === undefined || reserve === undefined) return null;
  return bonds === undefined || stxOnly === undefined ? null : { ustx, accrued, bonds, stxOnly, reserve };
}

const height = (value: bigint | undefined): number | undefined =>
  value === undefined ? undefined : storableHeight(value);

/** A number from a print; undefined if it is too large to be exact. */
const number = (value: bigint | undefined): number | undefined =>
  value === undefined || value > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(value);

/** Undefined for a value that is neither `none` nor the number of a bond. */
function bondOfClaim(value: ClarityValue | undefined): number | null | undefined {
  if (value?.type === 'none') return null;
  return value?.type === 'some' && value.value.type === 'uint' ? number(value.value.value) : undefined;
}

/** Null if sBTC is locked, undefined if a member is missing or of another type. */
function lockedOutputs(isL1: boolean | undefined, lockup: ClarityValue | undefined): LockedOutput[] | null | undefined {
  if (isL1 === undefined || lockup?.type !== 'tuple') return undefined;
  return isL1 ? outputsOf(lockup) : null;
}

/** The outputs that `{type, txs: (some (list {txid, output-index}))}` names; another form of `txs` names none. */
function outputsOf(lockup: ClarityTuple): LockedOutput[] {
  const txs = tupleMember(lockup, 'txs');
  if (txs?.type !== 'some' || txs.value.type !== 'list') return [];
  return txs.value.items.flatMap((item): LockedOutput[] => {
    if (item.type !== 'tuple') return [];
    const [txId, index] = [tupleMember(item, 'txid'), tupleMember(item, 'output-index')];
    return txId?.type === 'buffer' && index?.type === 'uint'
      ? [{ txId: toHex(txId.value), index: storableHeight(index.value) }]
      : [];
  });
}
