import {
  encodeClarityAscii,
  encodeClarityBool,
  encodeClarityBuffer,
  encodeClarityList,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../src/base/codec/index.ts';
import { lockEvent, sometimesDamaged, stakerOf } from '../support/staking-prints.ts';
import { accountAddress, type BuiltTx } from '../support/transaction-builder.ts';
import { CYCLES } from './pox-operations.ts';
import { MANAGERS } from './staking-operations.ts';

interface Making {
  readonly from: number;
  readonly to: number;
  readonly n: number;
}

const uint = encodeClarityUint;
const principal = encodeClarityPrincipal;

/** The bonds of all plans; the last one is never set up. */
export const BONDS: readonly number[] = [0, 1, 2];

/** What a call about a bond of pox-5 leaves: every bond is set up in several ways, of which the first counts. */
export function bondEvents(making: Making): BuiltTx['events'] {
  const { from, to, n } = making;
  const staker = accountAddress(from);
  const bond = n % 7 === 6 ? 2 : n % 2;
  const index = { 'bond-index': uint(bond) };
  const [manager = '', other = ''] = to % 2 ? MANAGERS : MANAGERS.toReversed();
  const parties = { ...stakerOf(staker, manager), ...index };
  const setUp = bond === 2 ? [] : [bondSetUp(bond, n)];
  switch ((to + n) % 9) {
    case 0:
      return [...setUp, ...[from, to, 17].map(account => allowance(bond, accountAddress(account), n))];
    case 1:
    case 2:
      return [...setUp, registration(making, bond, manager), lockEvent(staker, 500 + n, startOf(n) + 6)];
    case 3:
      return [
        sometimesDamaged(n, 'update-bond-registration', {
          ...parties,
          'old-signer': principal(other),
          'amount-ustx': uint(500 + n),
          'amount-sats': uint(10 * n),
          'first-reward-cycle': uint(7),
          'num-cycles': uint(2),
          'is-l1-lock': encodeClarityBool(true),
        }),
      ];
    case 4:
      return [sometimesDamaged(n, 'announce-l1-early-exit', { ...parties, 'amount-sats-released': uint(n) })];
    case 5:
      return [
        sometimesDamaged(n, 'unstake-sbtc', {
          ...parties,
          'amount-withdrawn-sats': uint(1),
          'new-amount-sats': uint(n % 3 === 0 ? 0 : n),
        }),
      ];
    case 6:
      return n % 2 ? [distribution(bond, n), calculation(n)] : [calculation(n), distribution(bond, n)];
    case 7:
      return [
        sometimesDamaged(n, 'claim-rewards', {
          'signer-manager': principal(manager),
          'reward-cycle': uint(CYCLES[n % CYCLES.length] ?? 7),
          'total-rewards': uint(10 * n),
        }),
        sometimesDamaged(n, 'claim-staker-rewards-for-signer', {
          'signer-manager': principal(manager),
          staker: principal(staker),
          'reward-cycle': uint(7),
          'bond-index': n % 3 === 0 ? encodeClarityNone() : encodeClaritySome(uint(bond)),
          'rewards-claimed': uint(n),
        }),
      ];
    default: {
      const grant = {
        'signer-key': encodeClarityBuffer(new Uint8Array(33).fill(2 + (n % 3))),
        'signer-manager': principal(manager),
      };
      if (n % 3 === 0) return [sometimesDamaged(n, 'revoke-signer-grant', grant)];
      return [sometimesDamaged(n, 'grant-signer-key', { ...grant, 'auth-id': uint(n) })];
    }
  }
}

/** Around the burn heights of the plans. */
const startOf = (n: number): number => 100 + (n % 8);

const bondSetUp = (bond: number, n: number) =>
  sometimesDamaged(n, 'setup-bond', {
    'bond-index': uint(bond),
    'target-rate': uint(500),
    'stx-value-ratio': uint(100 + n),
    'min-ustx-ratio': uint(1000),
    'early-unlock-bytes': encodeClarityBuffer(new Uint8Array(3)),
    'first-reward-cycle': uint(7),
    'bond-start-height': uint(startOf(n)),
    'unlock-cycle': uint(9),
    'unlock-burn-height': uint(startOf(n) + 6),
  });

const allowance = (bond: number, staker: string, n: number) =>
  sometimesDamaged(n, 'add-to-allowlist', {
    'bond-index': uint(bond),
    staker: principal(staker),
    'max-sats': uint(1000 + n),
  });

function registration({ from, n }: Making, bond: number, manager: string) {
  const isL1 = n % 3 !== 0;
  const output = { txid: encodeClarityBuffer(new Uint8Array(32).fill(n)), 'output-index': uint(n % 4) };
  const txs = isL1 ? encodeClaritySome(encodeClarityList([encodeClarityTuple(output)])) : encodeClarityNone();
  return sometimesDamaged(n, 'register-for-bond', {
    ...stakerOf(accountAddress(from), manager),
    'amount-ustx': uint(500 + n),
    'sats-total': uint(10 * n + 5),
    'bond-index': uint(bond),
    'first-reward-cycle': uint(7),
    'unlock-burn-height': uint(startOf(n) + 6),
    'unlock-cycle': uint(9),
    'is-l1-lock': encodeClarityBool(isL1),
    'btc-lockup': encodeClarityTuple({ type: encodeClarityAscii(isL1 ? 'l1' : 'l2'), txs }),
  });
}

const RATE = 10n ** 17n;

const distribution = (bond: number, n: number) =>
  sometimesDamaged(n, 'bond-distribution', {
    'bond-index': uint(bond),
    'target-yield': uint(1),
    'bond-rewards': uint(1),
    'bond-staked-sats': uint(1),
    'accrued-rewards-per-sat': uint(1),
    'cumulative-rewards-per-sat': uint(BigInt(n) * RATE),
  });

const calculation = (n: number) =>
  sometimesDamaged(n, 'calculate-rewards', {
    'calculation-height': uint(100 + n),
    'stx-cycle': uint(n % 5 === 0 ? 4 : (CYCLES[n % CYCLES.length] ?? 7)),
    'cycle-staked-ustx': uint(1000 + n),
    'gross-accrued-rewards': uint(7 * n),
    'total-bond-rewards': uint(2 * n),
    'total-stx-staker-rewards': uint(4 * n),
    'reserve-deposit': uint(n),
    'accrued-rewards-per-ustx': uint(1),
    'cumulative-rewards-per-ustx': uint(BigInt(n) * RATE),
  });
