/** Prints of PoX 5 by which every record of staking is there, and each of its words. */
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
} from '../../../src/base/codec/index.ts';
import { keyText } from '../../support/pox-prints.ts';
import {
  allowedStaker,
  clarityUints,
  lockEvent,
  signerKey,
  stakerOf,
  stakingPrint,
} from '../../support/staking-prints.ts';
import { accountAddress, type BuiltTx } from '../../support/transaction-builder.ts';
import { filled } from '../../support/wire-transaction.ts';

const principal = encodeClarityPrincipal;
const RATE = 10n ** 18n;

/** Bonds by what they are at a burn height between 100 and 200; the staker registers for the active one last. */
export const BONDS = { upcoming: 1, unlocked: 2, active: 0 } as const;
/** Of the staker of bonds, of one who stakes STX alone, and of those of one bond only: an upcoming, an unlocked one, one that was left. */
export const [BONDED, ALONE, ...ONCE] = [20, 21, 22, 23, 24].map(accountAddress) as [string, string, ...string[]];
const [EARLY = '', LATE = '', GONE = ''] = ONCE;
/** A manager that has granted its key and is about to have another, and one that has neither. */
export const [MANAGER, PLAIN] = ['first', 'second'].map(name => `${accountAddress(30)}.${name}`) as [string, string];

const setUp = (bond: number, start: number, end: number) =>
  stakingPrint('setup-bond', {
    ...clarityUints({ 'bond-index': bond, 'target-rate': 500, 'stx-value-ratio': 100, 'min-ustx-ratio': 1000 }),
    ...clarityUints({ 'first-reward-cycle': 7, 'bond-start-height': start }),
    ...clarityUints({ 'unlock-cycle': 9, 'unlock-burn-height': end }),
  });

/** By Bitcoin with an output, or by sBTC. */
function registered(bond: number, staker: string, isL1: boolean) {
  const output = { txid: encodeClarityBuffer(filled(32, 5)), 'output-index': encodeClarityUint(1) };
  const txs = isL1 ? encodeClaritySome(encodeClarityList([encodeClarityTuple(output)])) : encodeClarityNone();
  return stakingPrint('register-for-bond', {
    ...stakerOf(staker, MANAGER),
    ...clarityUints({ 'amount-ustx': 50, 'sats-total': 4000, 'bond-index': bond }),
    ...clarityUints({ 'first-reward-cycle': 7, 'unlock-burn-height': 200, 'unlock-cycle': 9 }),
    'is-l1-lock': encodeClarityBool(isL1),
    'btc-lockup': encodeClarityTuple({ type: encodeClarityAscii(isL1 ? 'l1' : 'l2'), txs }),
  });
}

const claimed = (bond: number | null) =>
  stakingPrint('claim-staker-rewards-for-signer', {
    staker: principal(bond === null ? ALONE : BONDED),
    'signer-manager': principal(MANAGER),
    'bond-index': bond === null ? encodeClarityNone() : encodeClaritySome(encodeClarityUint(bond)),
    ...clarityUints({ 'rewards-claimed': 15, 'reward-cycle': 7 }),
  });

function distributed(bond: number) {
  const amounts = clarityUints({ 'target-yield': 9, 'bond-rewards': 4000, 'bond-staked-sats': 4000 });
  const rates = clarityUints({ 'accrued-rewards-per-sat': RATE, 'cumulative-rewards-per-sat': RATE });
  return stakingPrint('bond-distribution', { ...clarityUints({ 'bond-index': bond }), ...amounts, ...rates });
}

/** What is printed before the reward set of cycle 7 is made. */
export const BEFORE_THE_SET: BuiltTx['events'] = [
  signerKey(MANAGER, 2),
  signerKey(PLAIN, 2),
  stakingPrint('grant-signer-key', {
    'signer-key': encodeClarityBuffer(filled(33, 2)),
    'signer-manager': principal(MANAGER),
    ...clarityUints({ 'auth-id': 1 }),
  }),
  setUp(BONDS.active, 101, 1_000),
  setUp(BONDS.upcoming, 1_000, 2_000),
  setUp(BONDS.unlocked, 50, 60),
  ...Object.values(BONDS).flatMap(bond => [
    ...[BONDED, ALONE].map(staker => allowedStaker(staker, 9_000, bond)),
    registered(bond, BONDED, bond === BONDS.active),
  ]),
  registered(BONDS.upcoming, EARLY, false),
  registered(BONDS.unlocked, LATE, false),
  registered(BONDS.active, GONE, true),
  registered(BONDS.active, ALONE, false),
  ...[BONDED, ALONE].map(staker =>
    stakingPrint('update-bond-registration', {
      ...stakerOf(staker, MANAGER),
      'old-signer': principal(PLAIN),
      'is-l1-lock': encodeClarityBool(staker === BONDED),
      ...clarityUints({ 'bond-index': BONDS.active, 'amount-ustx': 50, 'amount-sats': 4000 }),
    }),
  ),
  stakingPrint('unstake-sbtc', {
    ...stakerOf(ALONE, MANAGER),
    ...clarityUints({ 'bond-index': BONDS.active, 'amount-withdrawn-sats': 1000, 'new-amount-sats': 3000 }),
  }),
  distributed(BONDS.active),
  stakingPrint('announce-l1-early-exit', {
    ...stakerOf(GONE, MANAGER),
    ...clarityUints({ 'bond-index': BONDS.active, 'amount-sats-released': 4000 }),
  }),
  stakingPrint('stake', {
    ...stakerOf(ALONE, MANAGER),
    ...clarityUints({ 'amount-ustx': 1_000, 'num-cycles': 1, 'first-reward-cycle': 7 }),
    ...clarityUints({ 'unlock-cycle': 8, 'unlock-burn-height': 5_000 }),
  }),
  lockEvent(ALONE, 1_000, 5_000),
];

/** What is printed with the reward set: the next key, and rewards. */
export const WITH_THE_SET: BuiltTx['events'] = [
  signerKey(MANAGER, 3),
  distributed(BONDS.active),
  stakingPrint(
    'calculate-rewards',
    clarityUints({ 'stx-cycle': 7, 'calculation-height': 101, 'cumulative-rewards-per-ustx': RATE }),
  ),
  claimed(BONDS.active),
  claimed(null),
];

/** A signer of the reward set. */
export const SIGNER = keyText(2);

/** The fields of the block in which it was made; the second key is of no manager. */
export const REWARD_SET = {
  cycle_number: 7,
  reward_set: {
    signers: [2, 4].map(byte => ({ signing_key: keyText(byte).slice(2), weight: byte, stacked_amt: '100' })),
    pox_ustx_threshold: '50',
  },
};
