import {
  encodeClarityAscii,
  encodeClarityBool,
  encodeClarityBuffer,
  encodeClarityPrincipal,
  encodeClarityTuple,
  encodeClarityUint,
  stacksToBitcoin,
} from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { type BuiltBlock, ChainBuilder } from '../support/chain-builder.ts';
import { announced, transferOf } from '../support/pending-transactions.ts';
import { commitment, cycles, delegated, keyText, lock, poxPrint, signedBy, through } from '../support/pox-prints.ts';
import { sampleDeploy, sampleFunction, sampleInterface, sampleMove, samplePrint } from '../support/sample-contracts.ts';
import { Names, namespaceReady, txt, zoneFile } from '../support/sample-names.ts';
import { sftMintHex, tokenContractInterface, uintHex } from '../support/sample-tokens.ts';
import { stakerOf, stakingPrint } from '../support/staking-prints.ts';
import { accountAddress, type BuiltTx } from '../support/transaction-builder.ts';

/** Part of everything, in every block: its lists grow with the chain. */
const BUSY_ACCOUNT = 9;
/** Has a short history, in the first blocks, and never another transaction. */
const QUIET_ACCOUNT = 20;
const FIRST_STRANGER = 40;
const STRANGERS = 150;

/** Entries of each list of the quiet ones: more than a page. */
export const QUIET_ENTRIES = 15;
/** Tenures: of the quiet blocks, and of all others. */
export const QUIET_TENURE = 3;
export const BUSY_TENURE = 4;
/** Blocks before those of all other accounts. */
export const QUIET_BLOCKS = 1 + QUIET_ENTRIES;
/** Transactions that wait whenever costs are measured, whatever the length of the chain. */
export const PENDING = 40;

export const BUSY = accountAddress(BUSY_ACCOUNT);
export const QUIET = accountAddress(QUIET_ACCOUNT);
export const BUSY_POOL = accountAddress(30);
export const QUIET_POOL = accountAddress(31);
export const BUSY_CONTRACT = `${BUSY}.hub`;
export const QUIET_CONTRACT = `${QUIET}.shop`;
export const QUIET_NFTS = `${QUIET}.art`;
export const QUIET_SFTS = `${QUIET}.semi`;
export const QUIET_COIN = `${QUIET}.gold`;
/** Bitcoin addresses with reward slots. */
export const BUSY_HOLDER = bitcoinOf(BUSY_ACCOUNT);
export const QUIET_HOLDER = bitcoinOf(QUIET_ACCOUNT);
/** The reward cycle of the quiet blocks. */
export const CYCLE = 7;
/** One with a new stacker in every later block. */
export const BUSY_CYCLE = 1_000_000;
export const SIGNERS = 40;
/** A bond of PoX 5 with a registration in every block, and a manager with a new staker in every block. */
export const BUSY_BOND = 0;
export const BUSY_MANAGER = `${BUSY}.manager`;

/** Announced again every time. */
export const ALWAYS_PENDING = transferOf({ from: QUIET_ACCOUNT, nonce: 999_999, fee: 199 });

/** Seconds: more than two burn blocks take. */
const LATENESS = 1_300;

type Events = readonly Readonly<Record<string, unknown>>[];

/**
 * A chain in which the history of some ("quiet") stays as it is, while that of everybody else grows by the block. Few transactions a
 * block, each with an event of every kind.
 */
export class GrowingChain {
  readonly #chain = new ChainBuilder('growing');
  readonly #names = new Names(this.#chain);
  readonly #quiet: BuiltBlock[] = [];
  #top: BuiltBlock | undefined;
  #crowd = 0;
  #announced = 0;

  /** A block with a transaction, event and name of the quiet account. */
  get quietBlock(): BuiltBlock {
    const block = this.#quiet[1];
    if (!block) throw new Error('the chain has not begun');
    return block;
  }

  /** The call by the quiet account in that block. */
  get quietCall(): BuiltTx {
    const call = this.quietBlock.txs[1];
    if (!call) throw new Error('the quiet block has no call');
    return call;
  }

  /** The newest block. */
  get top(): BuiltBlock {
    return this.#top ?? this.quietBlock;
  }

  /** The first blocks: contracts, and all that the quiet ones ever do. */
  begin(): Delivery[] {
    const chain = this.#chain;
    const from = QUIET_ACCOUNT;
    const traded = { functions: [sampleFunction('trade', 'uint128'), sampleFunction('go', 'uint128')] };
    const deployments = [
      sampleDeploy(chain, 'hub', { contractInterface: sampleInterface([sampleFunction('go', 'uint128')]) }),
      sampleDeploy(chain, 'shop', { from, ...traded }),
      sampleDeploy(chain, 'art', { from, contractInterface: tokenContractInterface('sip-009') }),
      sampleDeploy(chain, 'semi', { from, contractInterface: tokenContractInterface('sip-013') }),
      sampleDeploy(chain, 'gold', { from, contractInterface: tokenContractInterface('sip-010') }),
    ];
    deployments.push(this.#names.with(namespaceReady('id', 0)));
    const deliveries = this.#mine(deployments, [QUIET_HOLDER], rewardSet(CYCLE));
    for (let i = 0; i < QUIET_ENTRIES; i++) {
      const call = withEvents(chain.call('shop', 'trade', { owner: from, from }), quietEvents(i));
      const name = this.#names.register(`q${i}.id`, from);
      const cycle = i === 0 ? rewardSet(BUSY_CYCLE) : {};
      const next = this.#mine([chain.transfer({ from, to: 21 }), call, name], [QUIET_HOLDER], cycle);
      deliveries.push(...next, zoneFile(this.top, name, `q${i}.id`, txt('sub', from)));
      this.#quiet.push(this.top);
    }
    return deliveries;
  }

  /** Adds this many blocks of the other accounts. */
  grow(blocks: number): Delivery[] {
    return Array.from({ length: blocks }, () => this.#crowdBlock()).flat();
  }

  /** Adds a block with these transactions and events of the busy account: as large as a test makes it. */
  growBy(txs: number, events: number = 0): Delivery[] {
    const moved = { sender: BUSY, recipient: QUIET, amount: '1', memo: '00' };
    const transfers = Array.from({ length: events }, () => ({ type: 'stx_transfer_event', stx_transfer_event: moved }));
    const all = Array.from({ length: txs }, () => this.#chain.coinbase());
    return this.#mine(
      all.map((tx, i) => (i === 0 ? withEvents(tx, transfers) : tx)),
      [BUSY_HOLDER],
    );
  }

  /** So many transactions are announced; those that were before have waited too long, once the chain has grown enough. */
  announce(): Delivery {
    const txs = Array.from({ length: PENDING }, () => {
      const nonce = 1_000_000 + this.#announced++;
      return transferOf({ from: nonce % 2 === 0 ? QUIET_ACCOUNT : BUSY_ACCOUNT, nonce, fee: 200 + (nonce % 17) });
    });
    return announced(ALWAYS_PENDING, ...txs);
  }

  #crowdBlock(): Delivery[] {
    const chain = this.#chain;
    const i = this.#crowd++;
    const stranger = FIRST_STRANGER + (i % STRANGERS);
    const call = withEvents(chain.call('hub', 'go', { from: BUSY_ACCOUNT }), busyEvents(i, stranger));
    const name = this.#names.register(`n${i}.id`, stranger);
    const txs = [
      chain.coinbase(),
      chain.transfer({ from: BUSY_ACCOUNT, to: stranger, fee: 180 + (i % 50) }),
      chain.transfer({ from: stranger, to: BUSY_ACCOUNT }),
      call,
      name,
      sampleDeploy(chain, `c${i}`, deployment(i, stranger)),
    ];
    const cycle = i % 8 === 0 ? rewardSet(CYCLE + 1 + i / 8) : {};
    const deliveries = this.#mine(txs, [BUSY_HOLDER, bitcoinOf(stranger)], cycle);
    return [...deliveries, zoneFile(this.top, name, `n${i}.id`, txt('sub', stranger))];
  }

  /** A block on its own burn block. Every fifth of these has an earlier time than the two before it. */
  #mine(txs: readonly BuiltTx[], slots: readonly string[], fields = {}): Delivery[] {
    const burn = this.#chain.burnBlock({ ...(this.#top && { parent: this.#top.burn }), slots });
    const late = burn.height % 5 === 4 ? { burn_block_time: burn.time - LATENESS } : {};
    const tenure_height = this.#quiet.length < QUIET_ENTRIES ? QUIET_TENURE : BUSY_TENURE;
    this.#top = this.#chain.block({
      ...(this.#top && { parent: this.#top }),
      burn,
      txs,
      fields: { ...late, tenure_height, signer_signature: ['ab'.repeat(65)], ...fields },
    });
    return [burn.delivery, this.#top.delivery];
  }
}

/** Every third is a token. */
const deployment = (i: number, from: number) => ({
  from,
  contractInterface:
    i % 3 === 0
      ? tokenContractInterface('sip-010')
      : sampleInterface([sampleFunction('go', 'uint128'), sampleFunction(`f${i}`, 'bool')]),
});

/** What contracts print, with a topic and a principal. */
export const LOG_TOPIC = 'trade';
const said = (by: string): string =>
  toHex(encodeClarityTuple({ event: encodeClarityAscii(LOG_TOPIC), by: encodeClarityPrincipal(by) }));

function quietEvents(i: number): Events {
  const stacker = `${QUIET}.s${i}`;
  return [
    samplePrint(QUIET_CONTRACT, said(QUIET)),
    sampleMove(`${QUIET_NFTS}::cat`, uintHex(i + 1), null, QUIET),
    samplePrint(QUIET_SFTS, sftMintHex(encodeClarityUint(i + 1), QUIET)),
    poxPrint('delegate-stx', stacker, delegated(QUIET_POOL)),
    ...(i === 0 ? [bond(BUSY_BOND, NEVER_UNLOCKED), ...inBond(QUIET, 0), managerKey()] : []),
    ...stacking(stacker, QUIET_POOL, CYCLE, i),
  ];
}

function busyEvents(i: number, stranger: number): Events {
  const stacker = `${accountAddress(stranger)}.s${i}`;
  return [
    samplePrint(BUSY_CONTRACT, said(BUSY)),
    sampleMove(`${BUSY_CONTRACT}::cat`, uintHex(i + 1), null, BUSY),
    poxPrint('delegate-stx', stacker, delegated(BUSY_POOL)),
    bond(BUSY_BOND + 1 + i, 1),
    ...inBond(stacker, i),
    staked(`${stacker}a`, i),
    poxPrint('delegate-stx', stacker, delegated(`${accountAddress(stranger)}.p${i}`)),
    ...stacking(stacker, BUSY_POOL, CYCLE + 1 + Math.floor(i / 8), i),
    ...stacking(stacker, BUSY_POOL, BUSY_CYCLE, i),
  ];
}

const NEVER_UNLOCKED = 1_000_000_000;
const uints = (members: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, encodeClarityUint(value)]));

const bond = (index: number, unlock: number) =>
  stakingPrint('setup-bond', {
    ...uints({ 'bond-index': index, 'target-rate': 1, 'stx-value-ratio': 1, 'min-ustx-ratio': 1 }),
    ...uints({ 'first-reward-cycle': 1, 'bond-start-height': 1, 'unlock-cycle': 2, 'unlock-burn-height': unlock }),
  });

/** An account of the allowlist of the busy bond, which registers. */
const inBond = (staker: string, i: number): Events => [
  stakingPrint('add-to-allowlist', {
    ...uints({ 'bond-index': BUSY_BOND, 'max-sats': 1000 + i }),
    staker: encodeClarityPrincipal(staker),
  }),
  stakingPrint('register-for-bond', {
    ...stakerOf(staker, BUSY_MANAGER),
    ...uints({ 'bond-index': BUSY_BOND, 'amount-ustx': 5, 'sats-total': 5, 'first-reward-cycle': CYCLE }),
    ...uints({ 'unlock-cycle': CYCLE + 1, 'unlock-burn-height': NEVER_UNLOCKED }),
    'is-l1-lock': encodeClarityBool(false),
    'btc-lockup': encodeClarityTuple({ amount: encodeClarityUint(5) }),
  }),
];

const staked = (staker: string, i: number) =>
  stakingPrint('stake', {
    ...stakerOf(staker, BUSY_MANAGER),
    ...uints({ 'amount-ustx': 1000 + i, 'first-reward-cycle': CYCLE, 'num-cycles': 1, 'unlock-cycle': CYCLE + 1 }),
    ...uints({ 'unlock-burn-height': NEVER_UNLOCKED }),
  });

const managerKey = () =>
  stakingPrint('register-signer', {
    signer: encodeClarityPrincipal(BUSY_MANAGER),
    'signer-key': encodeClarityBuffer(new Uint8Array(33).fill(2)),
  });

/** A stacker locks by itself for a cycle, another through a pool. */
const stacking = (stacker: string, pool: string, cycle: number, i: number): Events => [
  poxPrint('stack-stx', stacker, { ...lock, ...cycles(cycle, cycle + 1), ...signedBy(2 + (i % SIGNERS)) }),
  poxPrint('delegate-stack-stx', `${stacker}p`, { ...lock, ...cycles(cycle, cycle + 1), ...through(pool) }),
  poxPrint('stack-aggregation-commit', pool, { ...commitment, ...cycles(cycle, cycle + 1), ...signedBy(2) }),
];

const rewardSet = (cycle: number) => ({
  cycle_number: cycle,
  reward_set: {
    signers: Array.from({ length: SIGNERS }, (_, i) => ({
      signing_key: keyText(2 + i).slice(2),
      weight: 1,
      stacked_amt: '100',
    })),
    pox_ustx_threshold: '50',
  },
});

const withEvents = (tx: BuiltTx, events: Events): BuiltTx => ({
  ...tx,
  events: [...tx.events, ...events.map(event => ({ txid: tx.txId, committed: true, ...event }))],
});

function bitcoinOf(account: number): string {
  const address = stacksToBitcoin(accountAddress(account));
  if (address === undefined) throw new Error(`account ${account} has no Bitcoin address`);
  return address;
}
