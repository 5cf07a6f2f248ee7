import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  encodeClarityAscii,
  encodeClarityBool,
  encodeClarityBuffer,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../src/base/codec/index.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { onSqliteAtLeast } from '../support/engines.ts';
import { keyText } from '../support/pox-prints.ts';
import { databaseWithTables } from '../support/reused-database.ts';
import { scale } from '../support/scale.ts';
import { clarityUints, stakerOf, stakingPrint } from '../support/staking-prints.ts';
import { openTestIndex } from '../support/test-index.ts';
import { accountAddress } from '../support/transaction-builder.ts';
import { bytes, filled } from '../support/wire-transaction.ts';
import { modelResponse } from './model.ts';

type Members = Readonly<Record<string, Uint8Array>>;
type Print = readonly [topic: string, members: Members];

/** Who is in a story: everything is its own, so that stories on one chain do not touch each other. */
interface Part {
  readonly n: number;
  readonly staker: string;
  readonly manager: string;
}
const partOf = (n: number): Part => ({
  n,
  staker: accountAddress(40 + n),
  manager: `${accountAddress(30)}.manager-${n}`,
});

const RATE = 10n ** 18n;
const CYCLE = 7;

/** What somebody does with a bond, and with STX before it and after it: a print of each topic, by each of which something else is shown. */
function story({ n, staker, manager }: Part): Print[] {
  const parties = stakerOf(staker, manager);
  const bond = clarityUints({ 'bond-index': n });
  const term = clarityUints({ 'first-reward-cycle': CYCLE, 'unlock-cycle': CYCLE + 2, 'num-cycles': 2 });
  const until = (height: number) => clarityUints({ 'unlock-burn-height': height });
  const stakerOnly = { staker: encodeClarityPrincipal(staker) };
  const key = { 'signer-key': encodeClarityBuffer(filled(33, n + 2)) };
  const granted = { ...key, 'signer-manager': encodeClarityPrincipal(manager) };
  const lockup = encodeClarityTuple({ type: encodeClarityAscii('l1'), txs: encodeClarityNone() });
  const distributed = (rate: bigint): Print => [
    'bond-distribution',
    { ...bond, ...clarityUints({ 'cumulative-rewards-per-sat': rate }) },
  ];
  return [
    ['register-signer', { signer: encodeClarityPrincipal(manager), ...key }],
    ['grant-signer-key', { ...granted, ...clarityUints({ 'auth-id': n }) }],
    ['stake', { ...parties, ...term, ...until(500), ...clarityUints({ 'amount-ustx': 10 }) }],
    ['stake-update', { ...parties, ...term, ...until(600), ...clarityUints({ 'amount-ustx': 20 }) }],
    [
      'setup-bond',
      {
        ...{ ...bond, ...term, ...until(700) },
        ...clarityUints({ 'target-rate': 5, 'stx-value-ratio': 6, 'min-ustx-ratio': 7, 'bond-start-height': 50 }),
      },
    ],
    ['add-to-allowlist', { ...bond, ...stakerOnly, ...clarityUints({ 'max-sats': 900 }) }],
    [
      'register-for-bond',
      {
        ...{ ...parties, ...bond, ...term, ...until(700), 'is-l1-lock': encodeClarityBool(true), 'btc-lockup': lockup },
        ...clarityUints({ 'amount-ustx': 30, 'sats-total': 100 }),
      },
    ],
    distributed(RATE),
    [
      'update-bond-registration',
      { ...parties, ...bond, ...term, ...clarityUints({ 'amount-ustx': 40, 'amount-sats': 80 }) },
    ],
    distributed(2n * RATE),
    ['unstake-sbtc', { ...parties, ...bond, ...clarityUints({ 'new-amount-sats': 60 }) }],
    distributed(3n * RATE),
    [
      'claim-staker-rewards-for-signer',
      {
        ...{ ...stakerOnly, 'bond-index': encodeClaritySome(encodeClarityUint(n)) },
        ...clarityUints({ 'rewards-claimed': 11 }),
      },
    ],
    ['announce-l1-early-exit', { ...parties, ...bond }],
    ['stake', { ...parties, ...term, ...until(800), ...clarityUints({ 'amount-ustx': 50 }) }],
    ['unstake', { ...parties, ...term, ...until(900), ...clarityUints({ 'amount-ustx': 50 }) }],
    ['revoke-signer-grant', granted],
  ];
}

/** One member of one print of a story, and its change. */
interface Damage {
  readonly print: number;
  readonly member: string;
  readonly isMissing: boolean;
}
const DAMAGES: readonly Damage[] = story(partOf(0)).flatMap(([, members], print) =>
  Object.keys(members).flatMap(member => [true, false].map(isMissing => ({ print, member, isMissing }))),
);

function damaged(prints: readonly Print[], { print, member, isMissing }: Damage): Print[] {
  return prints.map(([topic, members], i) => {
    if (i !== print) return [topic, members];
    const { [member]: _, ...others } = members;
    return [topic, isMissing ? others : { ...others, [member]: encodeClarityAscii('odd') }];
  });
}

/** Stories on a chain, and how many of them a short run uses. */
const STORIES = 15;
const SHORT = 2;

onSqliteAtLeast((engine, openFresh) => {
  test(`a print of PoX 5 that lacks a member, or has one of another type, is read as the model reads it (${engine})`, async t => {
    const every = scale === 'short' ? Math.ceil(DAMAGES.length / (STORIES * SHORT)) : 1;
    const damages = DAMAGES.filter((_, i) => i % every === 0);
    for (let from = 0; from < damages.length; from += STORIES) {
      const told = damages.slice(from, from + STORIES);
      const parts = told.map((_, n) => partOf(n));
      const prints = parts.flatMap((part, n) =>
        damaged(story(part), told[n] ?? { print: -1, member: '', isMissing: true }),
      );
      const chain = new ChainBuilder('damaged');
      const printing = chain.tx(bytes(0x04, filled(32, 1)), { events: prints.map(print => stakingPrint(...print)) });
      const first = chain.block({ txs: [printing] });
      const deliveries = [first.delivery, chain.block({ parent: first, fields: setOf(parts) }).delivery];
      const index = await openTestIndex(await databaseWithTables(openFresh, t));
      await index.deliver(...deliveries);
      for (const path of questions(parts)) {
        const [actual, expected] = [await index.get(path), modelResponse(deliveries, path)];
        const about = `${path} of ${JSON.stringify(told)}`;
        assert.equal(actual.status, expected.status, about);
        if (actual.status === 200) assert.deepEqual(actual.body, JSON.parse(JSON.stringify(expected.body)), about);
      }
    }
  });
});

const setOf = (parts: readonly Part[]) => ({
  cycle_number: CYCLE,
  reward_set: {
    signers: parts.map(({ n }) => ({ signing_key: keyText(n + 2).slice(2), weight: 1, stacked_amt: '1' })),
    pox_ustx_threshold: null,
  },
});

const questions = (parts: readonly Part[]): string[] => [
  ...['', '/bonds', '/signers', `/cycles/${CYCLE}/signers`].map(rest => `/extended/v3/staking${rest}`),
  `/extended/v2/pox/cycles/${CYCLE}/signers`,
  ...parts.flatMap(({ n, staker, manager }) => [
    `/extended/v3/principals/${staker}/staking`,
    `/extended/v3/principals/${staker}/staking/bonds`,
    `/extended/v3/staking/bonds/${n}/allowlist`,
    `/extended/v3/staking/bonds/${n}/registrations/${staker}`,
    `/extended/v3/staking/signers/${manager}/stakers`,
    `/extended/v2/pox/cycles/${CYCLE}/signers/${keyText(n + 2)}/stackers`,
  ]),
];
