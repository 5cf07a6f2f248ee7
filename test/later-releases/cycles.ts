/** Reward cycles (docs/spec/staking.md#cycles). Here they have 100 Bitcoin blocks from height 0 on, of which 10 are the prepare phase. */
import {
  encodeClarityAscii,
  encodeClarityBool,
  encodeClarityList,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
} from '../../src/base/codec/index.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { keyText } from '../support/pox-prints.ts';
import { clarityUints, signerKey, stakerOf, stakingPrint } from '../support/staking-prints.ts';
import type { ApiResponse } from '../support/test-index.ts';
import { accountAddress, type BuiltTx } from '../support/transaction-builder.ts';
import { bytes, filled } from '../support/wire-transaction.ts';
import { arrives, expires, responds, type Step, type Subject, shows } from './step.ts';

const poxCycles = { first: 0, length: 100, prepare: 10 };
const CYCLES = '/extended/v3/staking/cycles';
const [A = '', B = '', C = '', D = '', E = ''] = [20, 21, 22, 23, 24].map(accountAddress);
const MANAGER = `${accountAddress(30)}.manager`;
type Events = BuiltTx['events'];

/** @param first cycle @param end the cycle after the last one */
const staked = (staker: string, ustx: number, first: number, end: number) =>
  stakingPrint('stake', {
    ...stakerOf(staker, MANAGER),
    ...clarityUints({ 'amount-ustx': ustx, 'first-reward-cycle': first, 'unlock-cycle': end }),
    ...clarityUints({ 'unlock-burn-height': 100 * end }),
  });

const bondOf = (bond: number, first: number) =>
  stakingPrint('setup-bond', {
    ...clarityUints({ 'bond-index': bond, 'target-rate': 500, 'stx-value-ratio': 100, 'min-ustx-ratio': 1000 }),
    ...clarityUints({ 'first-reward-cycle': first, 'bond-start-height': 100 * first, 'unlock-cycle': first + 12 }),
    ...clarityUints({ 'unlock-burn-height': 100 * (first + 12) }),
  });

interface Registered {
  readonly bond: number;
  readonly ustx: number;
  readonly sats: number;
  readonly isNative: boolean;
  readonly first: number;
}
const registered = (staker: string, { bond, ustx, sats, isNative, first }: Registered) =>
  stakingPrint('register-for-bond', {
    ...stakerOf(staker, MANAGER),
    ...clarityUints({ 'bond-index': bond, 'amount-ustx': ustx, 'sats-total': sats, 'first-reward-cycle': first }),
    ...clarityUints({ 'unlock-cycle': first + 12, 'unlock-burn-height': 100 * (first + 12) }),
    'is-l1-lock': encodeClarityBool(isNative),
    'btc-lockup': encodeClarityTuple({
      type: encodeClarityAscii(isNative ? 'l1' : 'l2'),
      txs: isNative ? encodeClaritySome(encodeClarityList([])) : encodeClarityNone(),
    }),
  });

const withdrawn = (staker: string, left: number) =>
  stakingPrint('unstake-sbtc', {
    staker: encodeClarityPrincipal(staker),
    ...clarityUints({ 'bond-index': 0, 'new-amount-sats': left }),
  });

/** A calculation for cycle 9, with the distribution of bond 0. */
const calculated = (bonds: number, stxOnly: number, reserve: number, ustx: number): Events => [
  stakingPrint('bond-distribution', clarityUints({ 'bond-index': 0, 'cumulative-rewards-per-sat': bonds })),
  stakingPrint('calculate-rewards', {
    ...clarityUints({ 'stx-cycle': 9, 'cumulative-rewards-per-ustx': stxOnly, 'cycle-staked-ustx': ustx }),
    ...clarityUints({ 'gross-accrued-rewards': bonds + stxOnly + reserve, 'total-bond-rewards': bonds }),
    ...clarityUints({ 'total-stx-staker-rewards': stxOnly, 'reserve-deposit': reserve }),
  }),
];
const claimed = stakingPrint('claim-rewards', clarityUints({ 'reward-cycle': 9, 'total-rewards': 600 }));

/** A chain of blocks at these Bitcoin heights, with a call each whose events these are. */
function callsAt(calls: readonly (readonly [number, Events])[]) {
  const chain = new ChainBuilder('cycles');
  const blocks = [chain.block({ fields: { burn_block_height: calls[0]?.[0] ?? 1 } })];
  /** As many blocks on a block. */
  const branch = (on: number, length: number, burn_block_height: number) => {
    let top = blocks[on];
    return Array.from({ length }, () => {
      top = chain.block({ ...(top && { parent: top }), fields: { burn_block_height } });
      return top.delivery;
    });
  };
  for (const [burn_block_height, events] of calls) {
    const parent = blocks.at(-1);
    const txs = [chain.tx(bytes(0x04, filled(32, 1)), { events })];
    blocks.push(chain.block({ ...(parent && { parent }), fields: { burn_block_height }, txs }));
  }
  return { chain, branch, arrive: arrives(...blocks.map(({ delivery }) => delivery)) };
}

const figuresOf = ({ number, status, locked: { stx, btc }, rewards }: ApiResponse['body']) => ({
  cycle: [number, status],
  stx: [stx.stx_only, stx.bonds, stx.total],
  btc: [btc.total, btc.native, btc.sbtc],
  paid: [rewards.btc.total, ...Object.values(rewards.btc.waterfall), rewards.btc.claimed],
});
const NOTHING_PAID = ['0', '0', '0', '0', '0'];

const example: Subject = {
  subject: 'a reward cycle has a status, what is locked in it, and what it paid',
  options: { poxCycles },
  steps: () => {
    const { chain, arrive } = callsAt([
      [700, [bondOf(0, 8), bondOf(1, 11)]],
      [750, [registered(C, { bond: 0, ustx: 10_000_000, sats: 1000, isNative: false, first: 8 })]],
      [760, [registered(D, { bond: 0, ustx: 20_000_000, sats: 2000, isNative: true, first: 8 })]],
      [900, [withdrawn(C, 600)]],
      [950, [staked(A, 50_000_000, 10, 15), staked(B, 30_000_000, 10, 10)]],
      [960, calculated(400, 500, 100, 40_000_000)],
      [1010, calculated(800, 1000, 200, 45_000_000)],
      [1020, [claimed]],
      [1050, [registered(E, { bond: 1, ustx: 5_000_000, sats: 500, isNative: false, first: 11 })]],
    ]);
    return [
      arrive,
      shows('a finished one has what its last calculation saw, and all that it paid', `${CYCLES}/previous`, figuresOf, {
        cycle: [9, 'finished'],
        stx: ['45000000', '30000000', '75000000'],
        btc: ['2600', '2000', '600'],
        paid: ['3000', '1200', '1500', '300', '600'],
      }),
      shows('a running one has what was staked at its start', `${CYCLES}/current`, figuresOf, {
        cycle: [10, 'reward_phase'],
        stx: ['50000000', '30000000', '80000000'],
        btc: ['2600', '2000', '600'],
        paid: NOTHING_PAID,
      }),
      shows('one to come has what is staked so far', `${CYCLES}/next`, figuresOf, {
        cycle: [11, 'upcoming'],
        stx: ['50000000', '35000000', '85000000'],
        btc: ['3100', '2000', '1100'],
        paid: NOTHING_PAID,
      }),
      shows('one without a calculation has the Bitcoin of its end', `${CYCLES}/8`, figuresOf, {
        cycle: [8, 'finished'],
        stx: ['0', '30000000', '30000000'],
        btc: ['3000', '2000', '1000'],
        paid: NOTHING_PAID,
      }),
      shows(
        'its points are its first block, the first of the prepare phase, and its last',
        `${CYCLES}/current`,
        ({ schedule: { start, prepare_phase_start, end } }) =>
          [start, prepare_phase_start, end].map(({ bitcoin_height }) => bitcoin_height),
        [1000, 1090, 1099],
      ),
      shows(
        'stakers are counted apart from those of bonds; signers are null before the reward set',
        `${CYCLES}/current`,
        ({ participants }) => participants,
        { stakers: { stx_only: 1, bonds: 2 }, signers: null },
      ),
      shows('its bonds are those that run in it', `${CYCLES}/next`, ({ bonds }) => bonds, {
        total: 2,
        indexes: [0, 1],
      }),
      shows('leading zeros do not matter', `${CYCLES}/0009`, ({ number }) => number, 9),
      shows('any number of nine digits is a cycle to come', `${CYCLES}/999999999`, ({ status }) => status, 'upcoming'),
      responds(
        'ten digits, and other texts, name none',
        400,
        ...['2147483648', 'latest', '-1', '1.5'].map(name => `${CYCLES}/${name}`),
      ),
      expires(
        'its ETag changes when a Bitcoin block alone arrives',
        `${CYCLES}/current`,
        chain.burnBlock({ height: 1051 }).delivery,
      ),
    ];
  },
};

const stakes: Subject = {
  subject: 'what a staker does in a cycle counts from the next one on',
  options: { poxCycles },
  steps: () => {
    const ofBond = { bond: 0, sats: 10, isNative: false, first: 11 };
    const { branch, arrive } = callsAt([
      [700, [bondOf(0, 11)]],
      [950, [staked(A, 40, 10, 15)]],
      [1010, [staked(A, 50, 11, 15), staked(B, 7, 11, 15)]],
      [1020, [registered(A, { ...ofBond, ustx: 90 })]],
      [1030, [registered(A, { ...ofBond, ustx: 95 })]],
    ]);
    const lockedOf = ({ locked: { stx }, participants }: ApiResponse['body']) => [
      ...[stx.stx_only, stx.bonds],
      participants.stakers.bonds,
    ];
    const both = (when: string): Step[] => [
      shows(`a stake, more of it, and a bond leave the running cycle as it was${when}`, `${CYCLES}/10`, lockedOf, [
        ...['40', '0', 0],
      ]),
      shows(`the next one has them, of two registrations for a bond the last${when}`, `${CYCLES}/11`, lockedOf, [
        ...['7', '95', 1],
      ]),
    ];
    return [
      arrive,
      ...both(''),
      arrives(...branch(2, 5, 1040)),
      shows('a fork takes them back', `${CYCLES}/11`, lockedOf, ['40', '0', 0]),
      arrives(...branch(5, 5, 1050)),
      ...both(', also when their branch returns'),
    ];
  },
};

const early: Subject = {
  subject: 'names stand for no cycle below the first one, and before cycle 0',
  options: { poxCycles: { ...poxCycles, first: 500 } },
  steps: () => {
    const chain = new ChainBuilder('early');
    const first = chain.block({ fields: { burn_block_height: 499 } });
    const second = chain.block({ parent: first, fields: { burn_block_height: 500 } });
    return [
      arrives(first.delivery),
      responds(
        'below the first height no name is a cycle',
        404,
        ...['previous', 'current', 'next'].map(name => `${CYCLES}/${name}`),
      ),
      responds('a number always is one', 200, `${CYCLES}/0`),
      arrives(second.delivery),
      responds('none is before cycle 0', 404, `${CYCLES}/previous`),
      responds('in cycle 0 the others are there', 200, `${CYCLES}/current`, `${CYCLES}/next`),
    ];
  },
};

const preparing: Subject = {
  subject: 'the prepare phase belongs to its cycle, also once the next reward set is known',
  options: { poxCycles },
  steps: () => {
    const set = (cycle_number: number) => {
      const signers = [{ signing_key: keyText(2).slice(2), weight: 3, stacked_amt: '100' }];
      return { cycle_number, reward_set: { signers, pox_ustx_threshold: null } };
    };
    const chain = new ChainBuilder('names');
    const registering = (byte: number) => [
      chain.tx(bytes(0x04, filled(32, byte)), { events: [signerKey(MANAGER, byte)] }),
    ];
    const first = chain.block({ fields: { burn_block_height: 880 }, txs: registering(2) });
    const nine = chain.block({ parent: first, fields: { burn_block_height: 890, ...set(9) } });
    const ten = chain.block({ parent: nine, fields: { burn_block_height: 990, ...set(10) } });
    const later = chain.block({ parent: ten, fields: { burn_block_height: 991 }, txs: registering(3) });
    const nameOf = ({ number, status }: ApiResponse['body']) => [number, status];
    const pendingKey = ({ results }: ApiResponse['body']) =>
      results[0].signer_managers[0].pending_key_update?.signer_key ?? null;
    const signers = (name: string) => `${CYCLES}/${name}/signers`;
    return [
      arrives(...[first, nine, ten, later].map(({ delivery }) => delivery)),
      shows('current is the cycle of the Bitcoin tip', `${CYCLES}/current`, nameOf, [9, 'prepare_phase']),
      shows('previous is the one before', `${CYCLES}/previous`, nameOf, [8, 'finished']),
      shows('next is the one after, with its reward set', `${CYCLES}/next`, nameOf, [10, 'upcoming']),
      shows(
        'a key that came after the next reward set is no update of this cycle',
        signers('current'),
        pendingKey,
        null,
      ),
      shows('it is one of the next', signers('next'), pendingKey, keyText(3)),
      responds('a cycle without a reward set has no list of signers', 404, signers('11')),
    ];
  },
};

export const CYCLE_SUBJECTS: readonly Subject[] = [example, stakes, early, preparing];
