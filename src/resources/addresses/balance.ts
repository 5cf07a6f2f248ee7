import { readState } from '../../indexer/index-state.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { forcedUnlockHeights } from '../chain-facts/facts.ts';
import { lockAt, unpackLocks } from './locks.ts';
import type { ACCOUNTS, LOCKS } from './tables.ts';

/** What searchById tells of a standard address, keys in emitted order. Amounts in micro-STX, decimal. */
export interface AddressBalance {
  /** Locked STX are part of it; negative where the index does not know all of the chain. */
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

/** The balance of a principal at the tip, with what microblocks on it say; zeros for one that no transaction names. */
export async function addressBalance(queries: Queries, principal: string): Promise<AddressBalance> {
  const sql = 'SELECT received, sent, fees, rewards FROM accounts WHERE principal = ?';
  const { received, sent, fees, rewards } = (await queries.get<AccountRow>(sql, [principal])) ?? EMPTY_ACCOUNT;
  return {
    balance: String(BigInt(received) - BigInt(sent) - BigInt(fees) + BigInt(rewards)),
    total_miner_rewards_received: rewards,
    ...(await currentLock(queries, principal)),
    total_sent: sent,
    total_received: received,
    total_fees_sent: fees,
  };
}

async function currentLock(queries: Queries, principal: string) {
  const row = await queries.get<RowOf<typeof LOCKS, 'locks'>>('SELECT locks FROM locks WHERE principal = ?', [
    principal,
  ]);
  const { tip } = await readState(queries);
  const lock =
    row && tip ? lockAt(unpackLocks(row.locks), tip.burnBlockHeight, await forcedUnlockHeights(queries)) : undefined;
  return {
    lock_tx_id: lock?.txId ?? '',
    locked: lock?.locked ?? '0',
    lock_height: lock?.height ?? 0,
    burnchain_lock_height: lock?.burnHeight ?? 0,
    burnchain_unlock_height: lock?.unlockHeight ?? 0,
  };
}

/**
 * Whether a search finds a standard address: any transaction, canonical or orphaned, has it as sender or recipient of
 * itself, of a token transfer or of an asset event (docs/spec/addresses.md#balances).
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

/** A balance with what the mempool will make of it (docs/spec/addresses.md#balances). */
export function withPending(balance: AddressBalance, { inbound, outbound }: PendingSums) {
  return {
    ...balance,
    estimated_balance: String(BigInt(balance.balance) + BigInt(inbound) - BigInt(outbound)),
    pending_balance_inbound: inbound,
    pending_balance_outbound: outbound,
  };
}
