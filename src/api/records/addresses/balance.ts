import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { LockEvent, LocksByPoxVersion, PoxVersion } from '../../../index/addresses/locks.ts';
import { readLocks, readStxTotals } from '../../../index/addresses/stored.ts';
import { NO_STX, stxBalances } from '../../../index/addresses/stx-balances.ts';
import {
  type ACCOUNTS,
  type LOCKS,
  LOCKS_OF_ADDRESS,
  MINER_REWARDS_OF_ADDRESS,
  TXS_OF_ADDRESS,
} from '../../../index/addresses/tables.ts';
import { forcedUnlockHeights } from '../../../index/blocks/canonical-chain.ts';
import { lastBurnHeight } from '../../../ingest/indexer/horizon.ts';
import { lastEntries, lastEntryBelow } from '../../../ingest/indexer/last-entries.ts';
import { type Moment, momentOf } from '../blocks/moment.ts';

/** The STX of a principal, keys in emitted order. Amounts in micro-STX, decimal. */
export interface AddressBalance {
  /** Includes locked STX; negative if the index lacks parts of the chain. */
  readonly balance: string;
  readonly total_miner_rewards_received: string;
  /** Empty when nothing is locked; then the amount and the heights are zero. */
  readonly lock_tx_id: string;
  readonly locked: string;
  readonly lock_height: number;
  readonly burnchain_lock_height: number;
  readonly burnchain_unlock_height: number;
  readonly total_sent: string;
  readonly total_received: string;
  readonly total_fees_sent: string;
}

type AccountRow = RowOf<typeof ACCOUNTS, 'received' | 'sent' | 'fees' | 'rewards'>;

const EMPTY_ACCOUNT: AccountRow = { received: '0', sent: '0', fees: '0', rewards: '0' };

/** The balance of a principal at a moment; zeros for an unknown principal. */
export async function addressBalance(queries: Queries, principal: string, moment: Moment): Promise<AddressBalance> {
  const { sums, balance, locks, forced } = await readAccount(queries, principal, moment);
  return {
    balance,
    total_miner_rewards_received: sums.rewards,
    ...lockRecord(lockAt(locks, moment.burnHeight, forced)),
    total_sent: sums.sent,
    total_received: sums.received,
    total_fees_sent: sums.fees,
  };
}

/**
 * Reads the parts of a balance. It sends the statements together: on PostgreSQL, one after the other would cost a round trip each.
 */
async function readAccount(queries: Queries, principal: string, moment: Moment) {
  const [sums, locks, forced] = await Promise.all([
    moment.isNow ? currentSums(queries, principal) : sumsAt(queries, principal, moment),
    locksOf(queries, principal, moment),
    forcedUnlockHeights(queries),
  ]);
  const { received, sent, fees, rewards } = sums;
  return { sums, balance: String(BigInt(received) - BigInt(sent) - BigInt(fees) + BigInt(rewards)), locks, forced };
}

async function currentSums(queries: Queries, principal: string): Promise<AccountRow> {
  const sql = 'SELECT received, sent, fees, rewards FROM accounts WHERE principal = ?';
  return (await queries.get<AccountRow>(sql, [principal])) ?? EMPTY_ACCOUNT;
}

/**
 * The sums come from the last counted transaction of the principal; sums of rewards have rows of their own.
 */
async function sumsAt(queries: Queries, principal: string, { height, txs }: Moment): Promise<AccountRow> {
  const [last, rewards] = await Promise.all([
    lastEntryBelow(queries, TXS_OF_ADDRESS, principal, 'tx', txs),
    lastEntryBelow(queries, MINER_REWARDS_OF_ADDRESS, principal, 'height', height + 1),
  ]);
  const { received, sent, fees } = last ? readStxTotals(last.totals) : NO_STX;
  return {
    received: String(received),
    sent: String(sent),
    fees: String(fees),
    rewards: rewards?.total ?? '0',
  };
}

/** The STX of a principal as of a block. */
export interface StxHolding {
  readonly principal: string;
  /** Micro-STX, including locked ones. */
  readonly balance: bigint;
  readonly lock: LockEvent | undefined;
}

/**
 * The STX of many principals, including those that never had any, as of the block that the queries show. Without such a block, microblocks on
 * the tip count, too.
 * @param after returns principals behind this one, in the order of their texts; empty for the first
 */
export async function stxHoldingsAfter(queries: Queries, after: string, limit: number): Promise<StxHolding[]> {
  const accounts = await queries.all<RowOf<typeof ACCOUNTS, 'principal'>>(
    'SELECT principal FROM accounts WHERE principal > ? ORDER BY principal LIMIT ?',
    [after, limit],
  );
  const principals = accounts.map(({ principal }) => principal);
  const [balanceOf, locks, forced] = await Promise.all([
    stxBalances(queries, principals),
    lastEntries(queries, LOCKS_OF_ADDRESS, principals, ['locks']),
    forcedUnlockHeights(queries),
  ]);
  return principals.map(principal => {
    const stored = locks.get(principal)?.locks;
    return {
      principal,
      balance: balanceOf(principal),
      lock: stored === undefined ? undefined : lockAt(readLocks(stored), lastBurnHeight(queries), forced),
    };
  });
}

const lockRecord = (lock: LockEvent | undefined) => ({
  lock_tx_id: lock?.txId ?? '',
  locked: lock?.locked ?? '0',
  lock_height: lock?.height ?? 0,
  burnchain_lock_height: lock?.burnHeight ?? 0,
  burnchain_unlock_height: lock?.unlockHeight ?? 0,
});

async function locksOf(queries: Queries, principal: string, moment: Moment): Promise<LocksByPoxVersion> {
  const row = moment.isNow ? await currentLocks(queries, principal) : await locksAt(queries, principal, moment);
  return row ? readLocks(row.locks) : {};
}

/** The balance of a principal at the tip in the form of getPrincipalStxBalanceV2 (docs/spec/addresses.md#balances-at-the-tip). */
export async function balanceAtTip(queries: Queries, principal: string) {
  const tip = await momentOf(queries, { unanchored: false });
  const { sums, balance, locks, forced } = await readAccount(queries, principal, tip);
  return {
    balance,
    total_miner_rewards_received: sums.rewards,
    ...lockRecord(lockAt(locks, tip.burnHeight, forced)),
  };
}

/** The STX of a principal at the tip in the form of version 3 (docs/spec/addresses.md#version-3). */
export async function principalStx(queries: Queries, principal: string, { inbound, outbound }: PendingSums) {
  const tip = await momentOf(queries, { unanchored: false });
  const { balance, locks, forced } = await readAccount(queries, principal, tip);
  const lock = versionedLockAt(locks, tip.burnHeight, forced);
  const available = BigInt(balance) - BigInt(lock?.event.locked ?? 0);
  const isPending = inbound !== '0' || outbound !== '0';
  const estimated_balance = String(available + BigInt(inbound) - BigInt(outbound));
  return {
    balance,
    available: String(available),
    locked: lock
      ? {
          amount: lock.event.locked,
          pox_version: lock.version,
          lock_tx_id: lock.event.txId,
          stacks_lock_height: lock.event.height,
          burn_lock_height: lock.event.burnHeight,
          burn_unlock_height: lock.event.unlockHeight,
        }
      : null,
    mempool: isPending ? { estimated_balance, inbound, outbound } : null,
  };
}

type LocksRow = RowOf<typeof LOCKS, 'locks'>;

const currentLocks = (queries: Queries, principal: string): Promise<LocksRow | undefined> =>
  queries.get<LocksRow>('SELECT locks FROM locks WHERE principal = ?', [principal]);

const locksAt = (queries: Queries, principal: string, { height }: Moment): Promise<LocksRow | undefined> =>
  lastEntryBelow(queries, LOCKS_OF_ADDRESS, principal, 'height', height + 1);

/**
 * Whether a search finds a standard address: it is the sender or recipient of any transaction, token transfer or asset
 * event, canonical or orphaned (docs/spec/addresses.md#balances).
 */
export async function isKnownAddress(queries: Queries, address: string): Promise<boolean> {
  const row = await queries.get('SELECT address FROM known_addresses WHERE address = ?', [address]);
  return row !== undefined;
}

/** Sums over the pending transactions of a principal, in micro-STX, decimal. */
export interface PendingSums {
  readonly inbound: string;
  /** Amounts and fees. */
  readonly outbound: string;
}

/** A balance with the effect of pending transactions (docs/spec/addresses.md#balances). */
export function withPending<T extends Pick<AddressBalance, 'balance'>>(balance: T, { inbound, outbound }: PendingSums) {
  return {
    ...balance,
    estimated_balance: String(BigInt(balance.balance) + BigInt(inbound) - BigInt(outbound)),
    pending_balance_inbound: inbound,
    pending_balance_outbound: outbound,
  };
}

/**
 * The lock in force at a burn height; undefined without a lock. A lock of PoX 5 takes precedence over those of earlier
 * versions; when it has ended, older locks of PoX 5 do not apply again.
 * @param forcedUnlocks burn heights at which the locks of PoX 1, 2, 3 and 4 end by force, null while unknown
 */
export const lockAt = (
  locks: LocksByPoxVersion,
  burnHeight: number,
  forcedUnlocks: readonly (number | null)[],
): LockEvent | undefined => versionedLockAt(locks, burnHeight, forcedUnlocks)?.event;

/** The same with its version. */
function versionedLockAt(
  locks: LocksByPoxVersion,
  burnHeight: number,
  forcedUnlocks: readonly (number | null)[],
): { readonly event: LockEvent; readonly version: PoxVersion } | undefined {
  const newest = locks[5]?.at(-1);
  if (newest && newest.unlockHeight >= burnHeight) return { event: newest, version: 5 };
  let lock: { readonly event: LockEvent; readonly version: PoxVersion } | undefined;
  for (const version of [1, 2, 3, 4] as const) {
    const forced = forcedUnlocks[version - 1];
    if (forced && burnHeight > forced) continue;
    const latest = locks[version]?.findLast(event => event.ends === event.unlockHeight < burnHeight);
    if (latest) lock = latest.ends ? undefined : { event: latest, version };
  }
  return lock;
}
