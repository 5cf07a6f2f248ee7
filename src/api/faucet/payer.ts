import type { ClientLedger } from '../http/clients.ts';
import { readWhole } from '../node-proxy/exchange.ts';
import { NodeFault } from '../node-proxy/faults.ts';
import { NodeClient, type NodeLog } from '../node-proxy/node-client.ts';
import { faucetEmpty, faucetRefused, faucetUnavailable } from './faults.ts';
import { Turns } from './limit.ts';
import type { Contents } from './payloads.ts';
import type { PayerSettings } from './settings.ts';
import { type Account, type SignedTransaction, signTransaction } from './transaction.ts';

export interface PayerParts {
  readonly settings: PayerSettings;
  readonly log: NodeLog;
  readonly ledger: ClientLedger;
  /** The next nonce of an account, pending transactions included. */
  readonly nextNonce: (address: string) => Promise<number>;
  /** Called when the node has accepted a transaction. */
  readonly onTaken: (txId: string, rawTx: Uint8Array) => Promise<void>;
}

const LEAST_FEE = 200;
/** Highest fee that the faucet pays, whatever the estimate. */
const MOST_FEE = 1_000_000n;
/** Bytes of a transaction around its payload and post-conditions. */
const BYTES_AROUND = 115;
const TIMEOUT_MS = 15_000;
/**
 * How long a nonce counts as used although the index does not have its transaction. Longer than the index is ever behind,
 * but finite, as a node may drop a transaction, and a test network may restart.
 */
const USED_MS = 60_000;
/** Most nonces to try for one account, as others may send from it, too. */
const NONCES_TRIED = 5;
/** Reasons of a node for refusing a used nonce. */
const NONCE_TAKEN: ReadonlySet<unknown> = new Set(['ConflictingNonceInMempool', 'BadNonce']);
const ACCOUNT_BUSY = 'TooMuchChaining';
const ACCOUNT_EMPTY = 'NotEnoughFunds';
/** Reasons after which the next account is tried. */
const OF_THE_ACCOUNT: ReadonlySet<unknown> = new Set([...NONCE_TAKEN, ACCOUNT_BUSY, ACCOUNT_EMPTY]);

/** Sends transactions from the accounts of the faucets: one at a time, so that each has a nonce of its own. */
export class Payer {
  readonly #parts: PayerParts;
  readonly #node: NodeClient;
  /** The nonce after the last used one, and its time, by address: the index may be behind. */
  readonly #used = new Map<string, { readonly next: bigint; readonly at: number }>();
  readonly #turns: Turns;
  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(parts: PayerParts, now: () => number) {
    this.#parts = parts;
    this.#turns = new Turns(parts.ledger, 'faucet_transfers');
    this.#now = now;
    this.#node = new NodeClient({ node: parts.settings.node, maxConnections: 2 }, parts.log);
  }

  /**
   * Sends the transaction that `contentsFrom` makes for the paying account. @param client that requests it
   * @throws ApiError 502 for a transaction that the node refuses, 503 without a node, without funds, and while too many
   * wait, 429 while too many of the client wait
   */
  async send(client: string, contentsFrom: (address: string) => Contents): Promise<SignedTransaction> {
    try {
      return await this.#turns.take(client, () => this.#send(contentsFrom));
    } catch (error) {
      throw error instanceof NodeFault ? faucetUnavailable() : error;
    }
  }

  /** The node's PoX parameters. @throws ApiError 503 without a node */
  async pox(): Promise<{ readonly min_amount_ustx?: unknown }> {
    try {
      return await this.#ask('GET', '/v2/pox');
    } catch {
      throw faucetUnavailable();
    }
  }

  close(): Promise<void> {
    return this.#node.close();
  }

  async #send(contentsFrom: (address: string) => Contents): Promise<SignedTransaction> {
    const { chainId, accounts } = this.#parts.settings;
    let reason: unknown;
    for (const account of accounts) {
      const contents = contentsFrom(account.address);
      const fee = await this.#fee(contents);
      const first = await this.#nonceOf(account);
      for (let nonce = first; nonce < first + BigInt(NONCES_TRIED); nonce++) {
        const signed = await signTransaction(account, { chainId, fee, nonce, ...contents });
        reason = await this.#broadcast(signed);
        if (reason === undefined) {
          this.#used.set(account.address, { next: nonce + 1n, at: this.#now() });
          await this.#parts.onTaken(signed.txId, signed.raw).catch(() => undefined); // the event of the node will come
          return signed;
        }
        if (!NONCE_TAKEN.has(reason)) break;
      }
      if (!OF_THE_ACCOUNT.has(reason)) break;
    }
    this.#parts.log.warn({ reason }, 'the node refused a transfer of the faucet');
    throw reason === ACCOUNT_EMPTY ? faucetEmpty() : faucetRefused();
  }

  /** The next nonce from the index, which includes pending transactions, so that it is right after a restart. */
  async #nonceOf({ address }: Account): Promise<bigint> {
    const known = BigInt(await this.#parts.nextNonce(address));
    const { nonce } = (await this.#ask('GET', `/v2/accounts/${address}?proof=0`)) as { readonly nonce?: number };
    const used = this.#used.get(address);
    const next = used && this.#now() - used.at < USED_MS ? used.next : 0n;
    const candidates = [known, BigInt(nonce ?? 0), next];
    return candidates.reduce((most, each) => (each > most ? each : most));
  }

  /** Undefined if the node has accepted it, else the reason of the node. */
  async #broadcast({ raw }: SignedTransaction): Promise<unknown> {
    const body = Buffer.from(raw);
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(body.length) };
    const request = { method: 'POST', path: '/v2/transactions', headers, body, timeoutMs: TIMEOUT_MS };
    const response = await this.#node.send(request);
    const text = (await readWhole(response)).toString();
    return response.status === 200 ? undefined : ((parsed(text) as { readonly reason?: unknown }).reason ?? text);
  }

  /** The node's estimate for a usual speed; at least one micro-STX a byte, the minimum that nodes relay. */
  async #fee({ payload, postConditions }: Contents): Promise<bigint> {
    const size = BYTES_AROUND + Buffer.concat(postConditions).length + payload.length;
    const body = { transaction_payload: Buffer.from(payload).toString('hex'), estimated_len: size };
    const { estimations } = (await this.#ask('POST', '/v2/fees/transaction', body)) as {
      readonly estimations?: readonly { readonly fee?: unknown }[];
    };
    const fee = estimations?.[1]?.fee;
    const least = BigInt(Math.max(LEAST_FEE, size));
    const estimated = typeof fee === 'number' && Number.isSafeInteger(fee) ? BigInt(fee) : least;
    return estimated < least ? least : estimated > MOST_FEE ? MOST_FEE : estimated;
  }

  /** The node's response as JSON; an empty object if it is anything else. */
  async #ask(method: string, path: string, body?: object): Promise<object> {
    const bytes = body && Buffer.from(JSON.stringify(body));
    const headers = bytes && { 'content-type': 'application/json', 'content-length': String(bytes.length) };
    const response = await this.#node.send({
      method,
      path,
      headers: { ...headers },
      body: bytes,
      timeoutMs: TIMEOUT_MS,
    });
    const reply = await readWhole(response);
    return response.status === 200 ? parsed(reply.toString()) : {};
  }
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
