import { toHex } from '../../src/base/lib/hex.ts';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { type BuiltTx, sha } from './transaction-builder.ts';
import {
  bytes,
  filled,
  longText,
  name,
  sponsoredAuth,
  standardAuth,
  standardPrincipal,
  u32,
  u64,
  type WireParts,
  wireTransaction,
} from './wire-transaction.ts';

const ADDRESS_VERSION = 26;
const COST = { runtime: 0, read_count: 0, read_length: 0, write_count: 0, write_length: 0 };

interface Payment {
  /** Any byte: names an account (see accountAddress). */
  readonly from?: number;
  readonly nonce?: number | bigint;
  readonly fee?: number | bigint;
  readonly sponsor?: { readonly from: number; readonly nonce: number };
}

/** What a sender allows besides, and how it signs where that is not with one key: see wireTransaction. */
type Terms = Pick<WireParts, 'auth' | 'anchorMode' | 'postConditionMode' | 'postConditions'>;

/** A transaction of the testnet whose nonce and fee the test chooses. A sponsor pays the fee where there is one. */
export function signedTx(
  payload: Uint8Array,
  { from = 9, nonce = 0, fee = 200, sponsor, ...terms }: Payment & Terms = {},
): BuiltTx {
  const origin = condition(from, nonce, sponsor ? 0 : fee);
  const auth = sponsor ? sponsoredAuth(origin, condition(sponsor.from, sponsor.nonce, fee)) : standardAuth(origin);
  const raw = wireTransaction({ version: 0x80, chainId: 0x80000000, auth, payload, ...terms });
  const txId = sha(raw);
  const body = {
    txid: txId,
    raw_tx: toHex(raw),
    raw_result: '0x0703',
    status: 'success',
    contract_interface: null,
    execution_cost: COST,
  };
  return { txId, body, events: [] };
}

const condition = (from: number, nonce: number | bigint, fee: number | bigint): Uint8Array =>
  bytes(0x00, filled(20, from), u64(nonce), u64(fee), 0x00, filled(65, 0x01));

export const transferOf = (payment: Payment & Terms = {}, to = 7, amount = 1_000): BuiltTx =>
  signedTx(bytes(0x00, standardPrincipal(ADDRESS_VERSION, to), u64(amount), filled(34, 0)), payment);

/** A call, with one argument `u1`, of a contract of an account. */
export const callOf = (contract: string, fn: string, payment: Payment = {}, owner = 9): BuiltTx =>
  signedTx(
    bytes(0x02, ADDRESS_VERSION, filled(20, owner), name(contract), name(fn), u32(1), 0x01, filled(15, 0), 0x01),
    payment,
  );

/** A deployment; the contract has one public function with one argument `amount`. */
export function deployOf(contract: string, fn: string, payment: Payment = {}): BuiltTx {
  const built = signedTx(bytes(0x01, name(contract), longText('(print "hello")')), payment);
  const contractInterface = {
    functions: [{ name: fn, access: 'public', args: [{ name: 'amount', type: 'uint128' }], outputs: { type: 'bool' } }],
    variables: [],
    maps: [],
    fungible_tokens: [],
    non_fungible_tokens: [],
  };
  return { ...built, body: { ...built.body, contract_interface: contractInterface } };
}

export const rawOf = (tx: BuiltTx): string => String(tx.body.raw_tx);

let deliveries = 0;

/** As a node posts it, each a second after the one before. */
const delivered = (path: string, body: unknown): Delivery => ({
  path,
  receivedAt: 1_700_000_000_000_000 + ++deliveries * 1_000_000,
  body: Buffer.from(JSON.stringify(body)),
});

/** A node's mempool has taken these in. */
export const announced = (...txs: readonly BuiltTx[]): Delivery => delivered('/new_mempool_tx', txs.map(rawOf));

export const announcedBytes = (...raws: readonly string[]): Delivery => delivered('/new_mempool_tx', raws);

/** A node has dropped these for a reason. */
export const dropped = (reason: string, txs: readonly BuiltTx[], replacement: BuiltTx | null = null): Delivery =>
  delivered('/drop_mempool_tx', {
    dropped_txids: txs.map(({ txId }) => txId),
    reason,
    new_txid: replacement?.txId ?? null,
  });

/** When a delivery was received, Unix seconds. */
export const receivedAt = (delivery: Delivery): number => Math.floor(delivery.receivedAt / 1_000_000);
