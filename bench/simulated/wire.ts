import { createHash } from 'node:crypto';
import { toHex } from '../../src/base/lib/hex.ts';
import { bytes, filled, standardAuth, u64, wireTransaction } from '../../test/support/wire-transaction.ts';
import type { Account } from './accounts.ts';
import type { Random } from './random.ts';

/** A transaction with the fields that a node adds, except its place in a block. */
export interface SimulatedTx {
  readonly fee: number;
  readonly body: { readonly txid: string; readonly execution_cost: Cost } & Readonly<Record<string, unknown>>;
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

export interface Cost {
  readonly runtime: number;
  readonly read_count: number;
  readonly read_length: number;
  readonly write_count: number;
  readonly write_length: number;
}

/** The payload and the effects of a transaction. */
export interface Action {
  readonly payload: Uint8Array;
  readonly postConditions?: readonly Uint8Array[];
  readonly fee?: number;
  readonly events?: readonly Readonly<Record<string, unknown>>[];
  readonly status?: string;
  readonly result?: string;
  readonly error?: string;
  readonly contractInterface?: unknown;
}

const TESTNET = { version: 0x80, chainId: 0x80000000 };
export const OK_TRUE = '0x0703';
export const NO_COST: Cost = { runtime: 0, read_count: 0, read_length: 0, write_count: 0, write_length: 0 };

export const sha512t256 = (...parts: readonly (string | Uint8Array)[]): Uint8Array => {
  const hash = createHash('sha512-256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export const addedCosts = (costs: readonly Cost[]): Cost =>
  costs.reduce(
    (sum, cost) => ({
      runtime: sum.runtime + cost.runtime,
      read_count: sum.read_count + cost.read_count,
      read_length: sum.read_length + cost.read_length,
      write_count: sum.write_count + cost.write_count,
      write_length: sum.write_length + cost.write_length,
    }),
    NO_COST,
  );

/** Signs (with random bytes), numbers and charges what an account does. */
export function transactionOf(random: Random, from: Account, action: Action): SimulatedTx {
  const { payload, fee = 0, events = [], status = 'success', result = OK_TRUE, error = null } = action;
  const condition = bytes(0x00, from.hash, u64(from.nonce++), u64(fee), 0x00, random.bytes(65));
  from.balance -= fee;
  const raw = wireTransaction({
    ...TESTNET,
    auth: standardAuth(condition),
    postConditions: action.postConditions ?? [],
    payload,
  });
  const txid = toHex(sha512t256(raw));
  const isCall = fee > 0 && payload[0] !== 0x00;
  const weight = random.integer(20, 150);
  const execution_cost: Cost = isCall
    ? {
        runtime: 15_000 + weight * 211,
        read_count: 3 + (weight % 8),
        read_length: 2_000 + weight * 37,
        write_count: weight % 4,
        write_length: (weight % 4) * 61,
      }
    : NO_COST;
  const committed = status !== 'abort_by_post_condition';
  const body = {
    ...{ txid, status, raw_result: result, raw_tx: toHex(raw) },
    ...{ contract_interface: action.contractInterface ?? null, burnchain_op: null, execution_cost },
    ...{ microblock_sequence: null, microblock_hash: null, microblock_parent_hash: null, vm_error: error },
  };
  return { fee, body, events: events.map(event => ({ txid, committed, ...event })) };
}

export const NO_MEMO = filled(34, 0);
