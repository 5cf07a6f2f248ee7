import { u64 } from '../../../base/lib/number-bytes.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { PENDING_TXS } from '../../../index/mempool/tables.ts';
import { horizonOf } from '../../../ingest/indexer/horizon.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { lastExecutedNonce, lastPaidNonce } from '../addresses/nonces.ts';

/** The fields of getAccountNoncesV1 in emitted order (docs/spec/addresses.md#nonces). */
interface AccountNonces {
  readonly last_mempool_tx_nonce: number | null;
  readonly last_executed_tx_nonce: number | null;
  readonly possible_next_nonce: number;
  /** Unused nonces between the two, the highest first. */
  readonly detected_missing_nonces: readonly number[];
  /** Nonces of pending transactions. */
  readonly detected_mempool_nonces: readonly number[];
}

/**
 * Number of nonces above the last executed one that are checked for gaps. A node keeps no more than 25 transactions of
 * an account waiting.
 */
const MAX_LOOKED_AT = 200;

/** The current nonces of an account, pending transactions included. @param budget for reads as of a block */
export async function accountNonces(queries: Queries, account: string, budget?: RowBudget): Promise<AccountNonces> {
  const executed = await lastExecutedNonce(queries, account, budget);
  const pending = await lastPendingNonce(queries, account);
  const used =
    executed === null || pending === null ? [] : await pendingNoncesBetween(queries, account, executed, pending);
  return {
    last_mempool_tx_nonce: pending,
    last_executed_tx_nonce: executed,
    possible_next_nonce: Math.max(executed ?? -1, pending ?? -1) + 1,
    detected_missing_nonces:
      executed === null || pending === null ? [] : missingNonces(executed, pending, new Set(used)),
    detected_mempool_nonces: used,
  };
}

/** The fields of getPrincipalNoncesV3 in emitted order (docs/spec/addresses.md#version-3). */
interface PrincipalNonces {
  readonly next_nonce: number;
  readonly last_confirmed_nonce: number | null;
  readonly mempool: {
    readonly last_nonce: number | null;
    /** Below the last one, the highest first. */
    readonly pending_nonces: readonly number[];
    readonly missing_nonces: readonly number[];
  };
}

/** The current nonces of an account; those of a new account are missing from 0 on. */
export async function principalNonces(queries: Queries, account: string, budget: RowBudget): Promise<PrincipalNonces> {
  const confirmed = await lastExecutedNonce(queries, account, budget);
  const pending = await lastPendingNonce(queries, account);
  const before = confirmed ?? -1;
  const used = pending === null ? [] : await pendingNoncesBetween(queries, account, before, pending);
  return {
    next_nonce: Math.max(before, pending ?? -1) + 1,
    last_confirmed_nonce: confirmed,
    mempool: {
      last_nonce: pending,
      pending_nonces: used,
      missing_nonces: pending === null ? [] : missingNonces(before, pending, new Set(used)),
    },
  };
}

/**
 * The nonces of getAccountNoncesV1 after a block, without pending transactions. As recorded, only the nonces of senders
 * count there, in transactions whose fee the account paid. @param end the position of the first transaction after it
 */
export async function accountNoncesUntil(queries: Queries, account: string, end: number): Promise<AccountNonces> {
  const executed = await lastPaidNonce(queries, account, end);
  return {
    last_mempool_tx_nonce: null,
    last_executed_tx_nonce: executed,
    possible_next_nonce: (executed ?? -1) + 1,
    detected_missing_nonces: [],
    detected_mempool_nonces: [],
  };
}

type NonceRow = RowOf<typeof PENDING_TXS, 'nonce'>;

/** Roles in which a pending transaction uses a nonce of an account: an index has each, with the nonce. */
const ROLES = [
  { account: 'sender', nonce: 'nonce' },
  { account: 'payer', nonce: 'sponsor_nonce' },
] as const;

async function lastPendingNonce(queries: Queries, account: string): Promise<number | null> {
  if (horizonOf(queries)) return null; // as of a block, the mempool is empty
  const found: number[] = [];
  for (const role of ROLES) {
    const row = await queries.get<NonceRow>(
      `SELECT ${role.nonce} AS nonce FROM pending_txs
        WHERE ${role.account} = ? AND streamed = 0 AND ${role.nonce} IS NOT NULL ORDER BY ${role.nonce} DESC LIMIT 1`,
      [account],
    );
    if (row) found.push(toNumber(row.nonce));
  }
  return found.length === 0 ? null : Math.max(...found);
}

async function pendingNoncesBetween(
  queries: Queries,
  account: string,
  executed: number,
  pending: number,
): Promise<number[]> {
  const end = endOfLook(executed, pending);
  if (end - executed < 2) return [];
  const found = new Set<number>();
  for (const role of ROLES) {
    const rows = await queries.all<NonceRow>(
      `SELECT DISTINCT ${role.nonce} AS nonce FROM pending_txs
        WHERE ${role.account} = ? AND streamed = 0 AND ${role.nonce} >= ? AND ${role.nonce} < ?`,
      [account, u64(BigInt(executed + 1)), u64(BigInt(end))],
    );
    for (const { nonce } of rows) found.add(toNumber(nonce));
  }
  return [...found].sort((a, b) => b - a);
}

function missingNonces(executed: number, pending: number, used: ReadonlySet<number>): number[] {
  const missing: number[] = [];
  for (let nonce = endOfLook(executed, pending) - 1; nonce > executed; nonce--)
    if (!used.has(nonce)) missing.push(nonce);
  return missing;
}

const endOfLook = (executed: number, pending: number): number => Math.min(pending, executed + MAX_LOOKED_AT + 1);

const toNumber = (nonce: Uint8Array): number => Number(Buffer.from(nonce).readBigUInt64BE());
