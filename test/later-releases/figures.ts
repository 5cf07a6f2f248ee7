/** The summary of the mempool, faucets, and times of schedules. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ChainBuilder } from '../support/chain-builder.ts';
import { FAUCET_ADDRESS, FAUCET_BITCOIN_ADDRESS, type FaucetWorld, openFaucets } from '../support/faucet-server.ts';
import { announced, callOf, dropped, signedTx, transferOf } from '../support/pending-transactions.ts';
import { clarityUints, stakingPrint } from '../support/staking-prints.ts';
import { type StubWallet, startStubWallet, WALLET_TX_ID } from '../support/stub-wallet.ts';
import type { ApiResponse } from '../support/test-index.ts';
import { bytes, longText, name } from '../support/wire-transaction.ts';
import { arrives, type Step, type Subject, shows } from './step.ts';

const NOTHING = { p25: null, p50: null, p75: null, p95: null };
const NO_TRANSACTION = {
  ...{ count: 0, fee_rate: NOTHING, tx_size: NOTHING },
  ...{ receipt_time: NOTHING, receipt_block_height: NOTHING },
};

/** Micro-STX. */
const MOST = 2n ** 64n - 1n;

export const MEMPOOL: Subject = {
  subject: 'the summary of the mempool has percentiles of all types, and of each',
  steps: () => {
    const chain = new ChainBuilder();
    const transfers = [50, 100, 200, 300, 400, 1000, 2000].map((fee, nonce) => transferOf({ nonce, fee }));
    const versioned = signedTx(bytes(0x06, 0x03, name('three'), longText('(print "hi")')), { from: 8, fee: 700 });
    const dearest = callOf('three', 'join', { from: 6, fee: MOST });
    const url = '/extended/v3/mempool';
    const [token_transfer, smart_contract, contract_call] = [NO_TRANSACTION, NO_TRANSACTION, NO_TRANSACTION];
    const fees = ({ fee_rate, by_type }: ApiResponse['body']) => [fee_rate, by_type.token_transfer.fee_rate];
    const percentiles = { p25: '100', p50: '300', p75: '1000', p95: '2000' };
    const counts = ({ count, by_type }: ApiResponse['body']) => [count, by_type.smart_contract.count];
    return [
      shows('of an empty one they are null, and all types are there', url, body => body, {
        ...NO_TRANSACTION,
        by_type: { token_transfer, smart_contract, contract_call },
      }),
      arrives(announced(...transfers)),
      shows('a percentile is a fee that occurs', url, fees, [percentiles, percentiles]),
      arrives(
        chain.block().delivery,
        announced(chain.coinbase(), versioned, dearest),
        dropped('DroppedTooExpensive', transfers),
      ),
      shows('a versioned deployment is a smart contract, a coinbase counts nowhere', url, counts, [2, 1]),
      shows('a fee is exact, however large', url, ({ fee_rate: { p50, p95 } }) => [p50, p95], ['700', String(MOST)]),
      shows(
        'sizes are bytes, heights those of the tip at receipt',
        url,
        ({ by_type: { smart_contract } }) => [smart_contract.tx_size.p50, smart_contract.receipt_block_height.p50],
        [String(versioned.body.raw_tx).length / 2 - 1, 1],
      ),
    ];
  },
};

const to = (address: string): string => JSON.stringify({ address });
const MAINNET = 'SP2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1GVXGM16';

/** @param world `away` and `empty` are states of the wallet */
function faucet(
  rule: string,
  { wallet: stateOfWallet, ...world }: Omit<FaucetWorld, 'wallet'> & { readonly wallet?: 'away' | 'empty' | 'full' },
  [coin, payload, type]: readonly [coin: string, payload: string, type?: string],
  status: number,
  body: unknown,
): Step {
  const walletIn = async (t: TestContext): Promise<StubWallet | undefined> => {
    if (stateOfWallet === undefined) return undefined;
    const wallet = await startStubWallet(t);
    if (stateOfWallet === 'empty')
      wallet.state.refuses = method =>
        method === 'sendtoaddress' ? { code: -6, message: 'Insufficient funds' } : undefined;
    if (stateOfWallet === 'away') await wallet.node.stop();
    return wallet;
  };
  return {
    rule,
    run: async (_, t) => {
      const post = await openFaucets(t, { ...world, wallet: await walletIn(t) });
      const response = await post(coin, payload, type);
      const shown = typeof body === 'string' ? { error: body } : body;
      if (shown === undefined) assert.deepEqual(Object.keys(response.body), ['error']);
      else assert.deepEqual(response.body, shown);
      assert.equal(response.status, status);
    },
  };
}

const STACKS_INVALID = 'Invalid testnet Stacks address';
const BITCOIN_INVALID = 'Invalid BTC regtest or signet address';
const UNAVAILABLE = 'Faucet is temporarily unavailable, please try again later';
const OUT_OF_FUNDS = 'The faucet is temporarily out of funds, please try again later';
const FULL = { wallet: 'full' } as const;

export const FAUCETS: Subject = {
  subject: 'a faucet pays the address of a JSON body; an error is its text alone',
  steps: () => [
    faucet('BTC', FULL, ['btc', to(FAUCET_BITCOIN_ADDRESS)], 200, {
      ...{ transaction: { tx_id: `0x${WALLET_TX_ID}`, chain: 'bitcoin' }, amount: { btc: '12345' } },
    }),
    {
      rule: 'STX and sBTC, also of a contract',
      run: async (_, t) => {
        const post = await openFaucets(t);
        for (const [coin, amount] of [
          ['stx', '500000000'],
          ['sbtc', '10000'],
        ] as const) {
          const { status, body } = await post(coin, to(`${FAUCET_ADDRESS}.pool`));
          const { tx_id } = body.transaction;
          assert.match(tx_id, /^0x[0-9a-f]{64}$/);
          const transaction = { tx_id, chain: 'stacks' };
          assert.deepEqual({ status, body }, { status: 200, body: { transaction, amount: { [coin]: amount } } });
        }
      },
    },
    faucet('malformed JSON is a 400', {}, ['stx', '{'], 400, undefined),
    faucet('a body without an address is a 400', {}, ['stx', '{}'], 400, undefined),
    faucet('and so is an empty address', {}, ['stx', to('')], 400, undefined),
    faucet('an address of mainnet is a 400', {}, ['stx', to(MAINNET)], 400, STACKS_INVALID),
    faucet('a wrong checksum is a 400', {}, ['stx', to(`${FAUCET_ADDRESS.slice(0, -1)}D`)], 400, STACKS_INVALID),
    faucet('another Bitcoin address is a 400', FULL, ['btc', to(`${FAUCET_BITCOIN_ADDRESS}x`)], 400, BITCOIN_INVALID),
    faucet('a form is a 415', {}, ['stx', 'address=1', 'application/x-www-form-urlencoded'], 415, undefined),
    ...['btc', 'stx', 'sbtc'].map(coin =>
      faucet(
        `a server without faucets has no ${coin}: 403`,
        { enabled: false },
        [coin, to(FAUCET_ADDRESS)],
        403,
        'Faucet is not available',
      ),
    ),
    faucet('one without a wallet has no BTC: 403', {}, ['btc', to(FAUCET_ADDRESS)], 403, 'BTC faucet is not available'),
    faucet('a node that is away is a 503', { isNodeAway: true }, ['stx', to(FAUCET_ADDRESS)], 503, UNAVAILABLE),
    faucet('and so is a wallet', { wallet: 'away' }, ['btc', to(FAUCET_BITCOIN_ADDRESS)], 503, UNAVAILABLE),
    faucet('no funds are a 503', { reason: 'NotEnoughFunds' }, ['stx', to(FAUCET_ADDRESS)], 503, OUT_OF_FUNDS),
    faucet('of BTC, too', { wallet: 'empty' }, ['btc', to(FAUCET_BITCOIN_ADDRESS)], 503, OUT_OF_FUNDS),
    faucet(
      'any other refusal of the node is a 500',
      { reason: 'Deserialization' },
      ['stx', to(FAUCET_ADDRESS)],
      500,
      'Faucet request failed, please try again later',
    ),
  ],
};

const isoOf = (time: number): string => new Date(time * 1000).toISOString();
const NO_TIME = { time: null, time_iso: null, projected_time: null, projected_time_iso: null };
const mined = (time: number) => ({ ...NO_TIME, time, time_iso: isoOf(time) });
const projected = (time: number) => ({ ...NO_TIME, projected_time: time, projected_time_iso: isoOf(time) });

const BOOT_OF_MAINNET = 'SP000000000000000000002Q6VF78';

/** A bond of mainnet; registration ends 100 blocks before its start. */
function bondOfMainnet(bond: number, start: number, unlock: number) {
  const print = stakingPrint('setup-bond', {
    ...clarityUints({ 'bond-index': bond, 'target-rate': 500, 'stx-value-ratio': 100, 'min-ustx-ratio': 1000 }),
    ...clarityUints({ 'first-reward-cycle': 3, 'bond-start-height': start, 'unlock-cycle': 15 }),
    ...clarityUints({ 'unlock-burn-height': unlock }),
  });
  return { ...print, contract_event: { ...print.contract_event, contract_identifier: `${BOOT_OF_MAINNET}.pox-5` } };
}

const pointOf = (point: string) => (body: ApiResponse['body']) => {
  const { bitcoin_height, pox_cycle, ...times } = body.schedule[point];
  return [bitcoin_height, times];
};

/** With the tip at 4030 and blocks of 540 s, as the difficulty is adjusted at 4032. */
const ofMainnet: Subject = {
  subject:
    'points of a schedule have times: on mainnet projected at the pace up to the next adjustment of the difficulty',
  options: { chainId: 1 },
  steps: () => {
    const chain = new ChainBuilder('schedules', 1);
    const tip = 1_700_000_000;
    const events = [bondOfMainnet(0, 4032, 4035), bondOfMainnet(1, 4131, 4200), bondOfMainnet(2, 4030, 4200)];
    const first = chain.block({
      txs: [chain.coinbase()],
      fields: { burn_block_height: 4020, burn_block_time: tip - 10 * 540 },
    });
    const second = chain.block({
      parent: first,
      txs: [chain.tx(bytes(0x04, new Uint8Array(32)), { events })],
      fields: { burn_block_height: 4030, burn_block_time: tip },
    });
    const bond = (index: number) => `/extended/v3/staking/bonds/${index}`;
    return [
      arrives(first.delivery, second.delivery),
      shows('the block of the tip has its time', bond(2), pointOf('activation'), [4030, mined(tip)]),
      shows('the last one before the adjustment comes at the pace', bond(1), pointOf('enrollment_cutoff'), [
        ...[4031, projected(tip + 540)],
      ]),
      shows('the next one as the difficulty aims', bond(0), pointOf('activation'), [4032, projected(tip + 540 + 600)]),
      shows('and so do all later ones', bond(0), pointOf('unlock'), [4035, projected(tip + 540 + 4 * 600)]),
      shows('a height of the past without a Stacks block has no time', bond(0), pointOf('enrollment_cutoff'), [
        ...[3932, NO_TIME],
      ]),
    ];
  },
};

const ofTestnet: Subject = {
  subject: 'on other networks all blocks come at the pace',
  steps: () => {
    const chain = new ChainBuilder();
    const first = chain.block();
    const second = chain.block({ parent: first });
    const pace = second.burn.time - first.burn.time;
    const cycle = (number: number) => `/extended/v3/staking/cycles/${number}`;
    return [
      arrives(first.delivery, second.delivery),
      shows('a block of the chain has its time', cycle(5), pointOf('start'), [100, mined(first.burn.time)]),
      shows('one to come has a projected one', cycle(5), pointOf('end'), [119, projected(first.burn.time + 19 * pace)]),
      shows('one before the chain has none', cycle(0), pointOf('start'), [0, NO_TIME]),
    ];
  },
};

export const TIMES: readonly Subject[] = [ofMainnet, ofTestnet];
