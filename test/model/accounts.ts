import { decodePoxEvent, type PoxEvent } from '../../src/base/codec/index.ts';
import { fromHex } from '../../src/base/lib/hex.ts';
import type { Network } from './bitcoin-operations.ts';
import { feeOf, payerOf } from './mempool.ts';
import type { Payload, Tx, World } from './world.ts';

/**
 * The balance of an account (docs/spec/addresses.md#balances) with what blocks up to a height did; above the tip also with what unanchored
 * microblocks did.
 */
export function accountOf(world: World, address: string, height = Number.POSITIVE_INFINITY) {
  const txs = txsUpTo(world, height);
  const blocks = world.blocks.filter(block => block.height <= height);
  const { sent, received } = movedBy(txs, address);
  const fees = sum(txs.filter(tx => payerOf(tx.decoded) === address).map(tx => feeOf(tx.decoded)));
  const rewards = sum(blocks.flatMap(({ payload }) => payload.matured_miner_rewards).map(rewardOf(address)));
  const balance = received - sent - fees + rewards;
  const { inbound, outbound } = pendingOf(world, address);
  return {
    balance: String(balance),
    estimated_balance: String(balance + inbound - outbound),
    pending_balance_inbound: String(inbound),
    pending_balance_outbound: String(outbound),
    total_miner_rewards_received: String(rewards),
    ...lockOf({ ...world, txs }, address, blocks.at(-1)?.burnHeight ?? 0),
    total_sent: String(sent),
    total_received: String(received),
    total_fees_sent: String(fees),
  };
}

/** In chain order; those of unanchored microblocks are one above the tip. */
export const txsUpTo = ({ txs }: World, height: number): Tx[] => txs.filter(({ block }) => block.height <= height);

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

const STX = ['stx_transfer_event', 'stx_mint_event', 'stx_burn_event'];

function movedBy(txs: readonly Tx[], address: string) {
  const moves = txs.flatMap(({ events }) =>
    events.filter(({ type }) => STX.includes(type)).map(event => event[event.type]),
  );
  const amounts = (role: string): bigint =>
    sum(moves.filter(move => move[role] === address).map(({ amount }) => BigInt(amount)));
  return { sent: amounts('sender'), received: amounts('recipient') };
}

const rewardOf =
  (address: string) =>
  (reward: Payload): bigint =>
    reward.recipient === address
      ? BigInt(reward.coinbase_amount) +
        BigInt(reward.tx_fees_anchored) +
        BigInt(reward.tx_fees_streamed_confirmed) +
        BigInt(reward.tx_fees_streamed_produced)
      : 0n;

/** The fee of a sponsored transaction counts for its sender and for its sponsor. */
function pendingOf({ pending }: World, address: string) {
  let [inbound, outbound] = [0n, 0n];
  for (const { decoded } of pending) {
    const { payload, origin } = decoded;
    const amount = payload.kind === 'token_transfer' ? payload.amount : 0n;
    if (payload.kind === 'token_transfer' && payload.recipient === address) inbound += amount;
    if (origin.address === address) outbound += amount;
    if ([origin.address, payerOf(decoded)].includes(address)) outbound += feeOf(decoded);
  }
  return { inbound, outbound };
}

interface Lock {
  readonly lock_tx_id: string;
  readonly locked: string;
  readonly lock_height: number;
  readonly burnchain_lock_height: number;
  readonly burnchain_unlock_height: number;
}

const NOT_LOCKED: Lock = {
  lock_tx_id: '',
  locked: '0',
  lock_height: 0,
  burnchain_lock_height: 0,
  burnchain_unlock_height: 0,
};

/**
 * The newest lock event of PoX 5 decides while it lasts. Otherwise each version of PoX that finds something overrides those
 * before it, unless the burn height is above its forced unlock height. The tip's burn height counts; at the unlock height
 * itself an account is shown locked.
 */
function lockOf(world: World, address: string, burnHeight: number): Lock {
  const { version: _, ...lock } = versionedLockOf(world, address, burnHeight);
  return lock;
}

/** The version of PoX whose lock is in force at the tip. */
export function lockVersionOf(world: World, address: string): number {
  const tip = world.blocks.at(-1);
  return versionedLockOf({ ...world, txs: txsUpTo(world, tip?.height ?? 0) }, address, tip?.burnHeight ?? 0).version;
}

function versionedLockOf(world: World, address: string, burnHeight: number): Lock & { readonly version: number } {
  const isForced = (version: number): boolean => {
    const heights = world.blocks.map(({ payload }) => payload[`pox_v${version}_unlock_height`]);
    const height = heights.findLast(given => given);
    return height !== undefined && burnHeight > height;
  };
  const newest = lockEventsOf(world, address, /^S[PT]0{12,}.*\.pox-5$/).at(-1);
  if (newest && newest.burnchain_unlock_height >= burnHeight) return { ...newest, version: 5 };
  let lock = { ...NOT_LOCKED, version: 0 };
  if (!isForced(1)) {
    const ofPox1 = lockEventsOf(world, address, /^S[PT]0{12,}.*\.pox$/);
    const found = ofPox1.findLast(event => event.burnchain_unlock_height >= burnHeight);
    if (found) lock = { ...found, version: 1 };
  }
  for (const version of [2, 3, 4]) {
    const found = isForced(version) ? undefined : lockByPrint(world, address, burnHeight, version);
    if (found) lock = { ...found, version };
  }
  return lock;
}

/** What lock events of a contract say of an account, oldest first. Without a contract it is that of PoX 1. */
function lockEventsOf(world: World, address: string, contract: RegExp): Lock[] {
  return world.txs.flatMap(tx =>
    tx.events.flatMap(({ type, stx_lock_event: lock }) => {
      if (type !== 'stx_lock_event' || lock.locked_address !== address) return [];
      if (!contract.test(lock.contract_identifier ?? 'ST000000000000000000002AMW42H.pox')) return [];
      return [lockAt(world, tx, String(lock.locked_amount), Number(lock.unlock_height))];
    }),
  );
}

/** Operations that change no lock: delegations, their revocation, and what pools do. */
const LOCKS_NOTHING = /^(delegate-stx|revoke-delegate-stx|stack-aggregation-.*)$/;

function lockByPrint(world: World, address: string, burnHeight: number, version: number): Lock | undefined {
  const prints = world.txs.flatMap(tx => poxEvents(tx, version, world.network).map(event => ({ tx, event })));
  const last = prints.findLast(({ event }) => {
    if (event.stacker !== address || LOCKS_NOTHING.test(event.name)) return false;
    const isOver = event.burnchainUnlockHeight < burnHeight;
    return event.name === 'handle-unlock' ? isOver : !isOver;
  });
  if (!last) return undefined;
  const { tx, event } = last;
  if (event.name === 'handle-unlock') return NOT_LOCKED;
  return lockAt(world, tx, String(event.locked), Number(event.burnchainUnlockHeight));
}

/** What the PoX contract of a version printed in a transaction, in order. */
export function poxEvents(tx: Tx, version: number, network: Network): PoxEvent[] {
  const contract = new RegExp(`^S[PT]0{12,}.*\\.pox-${version}$`);
  return tx.events.flatMap(({ type, contract_event: log }) => {
    if (type !== 'contract_event' || log.topic !== 'print' || !contract.test(log.contract_identifier)) return [];
    const decoded = decodePoxEvent(fromHex(log.raw_value) ?? new Uint8Array(), network);
    return decoded.ok && decoded.value ? [decoded.value] : [];
  });
}

function lockAt(world: World, tx: Tx, locked: string, unlockHeight: number): Lock {
  const { height } = tx.block;
  return {
    lock_tx_id: tx.txId,
    locked,
    lock_height: height,
    burnchain_lock_height: world.blocks.find(block => block.height === height)?.burnHeight ?? 0,
    burnchain_unlock_height: Math.min(unlockHeight, Number.MAX_SAFE_INTEGER),
  };
}
