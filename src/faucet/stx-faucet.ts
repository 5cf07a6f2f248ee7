import { ApiError } from '../http/errors.ts';
import { readWhole } from '../node-proxy/exchange.ts';
import { NodeFault, nodeUnreachable, tooMuchForNode } from '../node-proxy/faults.ts';
import { NodeClient, type NodeLog } from '../node-proxy/node-client.ts';
import { RateLimit } from './limit.ts';
import { type Account, payloadOf, type SignedTransfer, signTransfer, type Transfer } from './transfer.ts';

export interface FaucetSettings {
  /** `http://host:port` of the node that transfers are sent to. */
  readonly node: string;
  readonly accounts: readonly Account[];
  readonly chainId: number;
}

export interface FaucetParts {
  readonly settings: FaucetSettings;
  readonly log: NodeLog;
  /** The next nonce of an account, pending transactions included. */
  readonly nextNonce: (address: string) => Promise<number>;
  /** The node has taken a transfer. */
  readonly onTaken: (txId: string, rawTx: Uint8Array) => Promise<void>;
  /** Milliseconds; the clock of the machine unless given. */
  readonly now?: () => number;
}

const MINUTE = 60_000;
const USUAL = 500_000_000n;
const USUAL_RATE = { times: 5, windowMs: 5 * MINUTE };
const STACKING_RATE = { times: 1, windowMs: 2 * 24 * 60 * MINUTE };
const MEMO = 'faucet';
const LEAST_FEE = 200n;
/** No estimate makes the faucet pay more. */
const MOST_FEE = 1_000_000n;
const TIMEOUT_MS = 15_000;
/** Requests that wait for their turn. */
const MOST_WAITING = 100;
/** Nonces that are tried of one account, where others send from it, too. */
const NONCES_TRIED = 5;
/** Why a node refuses a nonce that another transaction has. */
const NONCE_TAKEN: ReadonlySet<unknown> = new Set(['ConflictingNonceInMempool', 'BadNonce']);
const ACCOUNT_BUSY = 'TooMuchChaining';

/** Gives STX of the testnet away: one transfer at a time, so that each has a nonce of its own. */
export class StxFaucet {
  readonly #parts: FaucetParts;
  readonly #node: NodeClient;
  readonly #now: () => number;
  readonly #usual = new RateLimit(USUAL_RATE);
  readonly #stacking = new RateLimit(STACKING_RATE);
  /** The nonce after the last one that was used, by address: the index may be behind. */
  readonly #used = new Map<string, bigint>();
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(parts: FaucetParts) {
    this.#parts = parts;
    this.#node = new NodeClient({ node: parts.settings.node, maxConnections: 2 }, parts.log);
    this.#now = parts.now ?? Date.now;
  }

  /**
   * @param address an address or a contract
   * @param stacking an amount that can be stacked
   * @throws ApiError 429 for an address that has had enough, 502 without a node, 503 while too many wait
   */
  async give(address: string, stacking: boolean): Promise<SignedTransfer> {
    const limit = stacking ? this.#stacking : this.#usual;
    if (this.#waiting >= MOST_WAITING) throw tooMuchForNode();
    if (!limit.allow(address, this.#now())) throw new ApiError(429, 'Too many requests');
    this.#waiting++;
    const given = this.#turn.then(() => this.#send(address, stacking));
    this.#turn = given.catch(() => undefined);
    try {
      return await given;
    } catch (error) {
      limit.forgive(address);
      throw error instanceof NodeFault ? nodeUnreachable() : error;
    } finally {
      this.#waiting--;
    }
  }

  close(): Promise<void> {
    return this.#node.close();
  }

  async #send(recipient: string, stacking: boolean): Promise<SignedTransfer> {
    const { chainId, accounts } = this.#parts.settings;
    const amount = stacking ? await this.#stackingAmount() : USUAL;
    const fee = await this.#fee(payloadOf({ recipient, amount, memo: MEMO }));
    let reason: unknown;
    for (const account of accounts) {
      const first = await this.#nonceOf(account);
      for (let nonce = first; nonce < first + BigInt(NONCES_TRIED); nonce++) {
        const transfer: Transfer = { chainId, recipient, amount, fee, nonce, memo: MEMO };
        const signed = await signTransfer(account, transfer);
        reason = await this.#broadcast(signed);
        if (reason === undefined) {
          this.#used.set(account.address, nonce + 1n);
          await this.#parts.onTaken(signed.txId, signed.raw).catch(() => undefined); // the event of the node will come
          return signed;
        }
        if (!NONCE_TAKEN.has(reason)) break;
      }
      if (reason !== ACCOUNT_BUSY && !NONCE_TAKEN.has(reason)) break;
    }
    this.#parts.log.warn({ reason }, 'the node refuses a transfer of the faucet');
    throw new ApiError(502, 'The node did not take the transfer', { code: 'FAUCET_REFUSED' });
  }

  /** By the index, which has what is pending, so that it holds after a restart, too. */
  async #nonceOf({ address }: Account): Promise<bigint> {
    const known = BigInt(await this.#parts.nextNonce(address));
    const { nonce } = (await this.#ask('GET', `/v2/accounts/${address}?proof=0`)) as { readonly nonce?: number };
    const candidates = [known, BigInt(nonce ?? 0), this.#used.get(address) ?? 0n];
    return candidates.reduce((most, each) => (each > most ? each : most));
  }

  /** Undefined when the node has taken it, else its reason. */
  async #broadcast({ raw }: SignedTransfer): Promise<unknown> {
    const body = Buffer.from(raw);
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(body.length) };
    const request = { method: 'POST', path: '/v2/transactions', headers, body, timeoutMs: TIMEOUT_MS };
    const response = await this.#node.send(request);
    const answer = (await readWhole(response)).toString();
    return response.status === 200 ? undefined : ((parsed(answer) as { readonly reason?: unknown }).reason ?? answer);
  }

  /** What the node estimates for a usual speed. */
  async #fee(payload: Buffer): Promise<bigint> {
    const body = { transaction_payload: payload.toString('hex') };
    const { estimations } = (await this.#ask('POST', '/v2/fees/transaction', body)) as {
      readonly estimations?: readonly { readonly fee?: unknown }[];
    };
    const fee = estimations?.[1]?.fee;
    const estimated = typeof fee === 'number' && Number.isSafeInteger(fee) ? BigInt(fee) : LEAST_FEE;
    return estimated < LEAST_FEE ? LEAST_FEE : estimated > MOST_FEE ? MOST_FEE : estimated;
  }

  /** A fifth more than the least that can be stacked. */
  async #stackingAmount(): Promise<bigint> {
    const { min_amount_ustx: least } = (await this.#ask('GET', '/v2/pox')) as { readonly min_amount_ustx?: unknown };
    return typeof least === 'number' && least > 0 ? (BigInt(Math.ceil(least)) * 12n) / 10n : USUAL;
  }

  /** What the node says as JSON; an empty object when it says something else. */
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
    const answer = await readWhole(response);
    return response.status === 200 ? parsed(answer.toString()) : {};
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
