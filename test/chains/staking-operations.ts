import {
  encodeClarityBool,
  encodeClarityBuffer,
  encodeClarityPrincipal,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../src/base/codec/index.ts';
import { lockEvent, sometimesDamaged, stakerOf } from '../support/staking-prints.ts';
import { accountAddress, type BuiltTx } from '../support/transaction-builder.ts';

interface Making {
  readonly from: number;
  readonly to: number;
  readonly n: number;
}

const uint = encodeClarityUint;
/** Signer managers: contracts, two of them. */
export const MANAGERS: readonly string[] = ['first', 'second'].map(name => `${accountAddress(20)}.${name}`);

/** What a call of pox-5 leaves: a print, and a lock event after those that lock. */
export function stakingEvents({ from, to, n }: Making): BuiltTx['events'] {
  const staker = accountAddress(from);
  const [manager = '', other = ''] = n % 2 ? MANAGERS : MANAGERS.toReversed();
  const first = 7 + (n % 2);
  const amount = 1_000 + n;
  const until = 100 + (n % 23);
  const parties = stakerOf(staker, manager);
  const term = {
    'amount-ustx': uint(amount),
    'first-reward-cycle': uint(first),
    'num-cycles': uint(1 + (n % 3)),
    'unlock-cycle': uint(first + 1 + (n % 3)),
    'unlock-burn-height': uint(until),
  };
  const replaced = { 'old-signer': encodeClarityPrincipal(other) };
  switch ((to + n) % 7) {
    case 0:
    case 1:
      return [sometimesDamaged(n, 'stake', { ...parties, ...term }), lockEvent(staker, amount, until)];
    case 2: {
      const { 'first-reward-cycle': _, ...update } = term;
      return [
        sometimesDamaged(n, 'stake-update', {
          ...{ ...parties, ...replaced, ...update },
          ...{ 'amount-increase': uint(1), 'cycles-to-extend': uint(1), 'prev-unlock-height': uint(first) },
        }),
        lockEvent(staker, amount, until),
      ];
    }
    case 3: {
      const { 'num-cycles': _, ...end } = term;
      return [sometimesDamaged(n, 'unstake', { ...parties, ...end }), lockEvent(staker, amount, until)];
    }
    case 4: {
      const { 'num-cycles': _, ...end } = term;
      const lockup = encodeClarityTuple({ type: uint(1) });
      const bond = {
        'bond-index': uint(n % 2),
        'sats-total': uint(n),
        'is-l1-lock': encodeClarityBool(false),
        'btc-lockup': lockup,
      };
      return [
        sometimesDamaged(n, 'register-for-bond', { ...parties, ...end, ...bond }),
        lockEvent(staker, amount, until),
      ];
    }
    case 5: {
      const { 'unlock-cycle': _, 'unlock-burn-height': __, ...registered } = term;
      const bond = { 'bond-index': uint(n % 2), 'amount-sats': uint(n) };
      return [sometimesDamaged(n, 'update-bond-registration', { ...parties, ...replaced, ...registered, ...bond })];
    }
    default:
      return [
        sometimesDamaged(n, 'register-signer', {
          signer: encodeClarityPrincipal(manager),
          'signer-key': encodeClarityBuffer(new Uint8Array(33).fill(2 + (n % 3))),
        }),
      ];
  }
}
