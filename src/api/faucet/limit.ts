import { type ClientLedger, refusedBy } from '../http/clients.ts';
import { tooManyGifts } from './faults.ts';

/** The limit of payments: a number of times in a number of milliseconds. */
interface Rate {
  readonly times: number;
  readonly windowMs: number;
}

const MINUTE = 60_000;
/** To one recipient. */
export const USUAL_RATE: Rate = { times: 5, windowMs: 5 * MINUTE };
export const STACKING_RATE: Rate = { times: 1, windowMs: 2 * 24 * 60 * MINUTE };
/** For one client address, to all recipients together. */
const CLIENT_RATE: Rate = { times: 20, windowMs: 5 * MINUTE };
/** Seconds. */
const RETRY_AFTER = 2;

/** A payment, as limits count it. */
export interface Payment {
  /** An address, or the id of a contract: all contracts of an address count as that address. */
  readonly recipient: string;
  /** The client that requests it. */
  readonly client: string;
}

/** Most recipients and clients that are remembered; the one served first is forgotten first. */
const MOST_ADDRESSES = 10_000;

/** Counts the payments to each recipient, and those for each client. */
export class RateLimit {
  readonly #recipients: Counts;
  readonly #clients: Counts;

  /** @param now milliseconds */
  constructor(rate: Rate, now: () => number) {
    this.#recipients = new Counts(rate, now);
    this.#clients = new Counts(CLIENT_RATE, now);
  }

  /** Runs `give`, and counts it if it paid. Running payments count, too. @throws ApiError 429, and errors of `give` */
  serve<T>({ recipient, client }: Payment, give: () => Promise<T>): Promise<T> {
    const [address = ''] = recipient.split('.');
    return this.#clients.serve(client, () => this.#recipients.serve(address, give));
  }
}

class Counts {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #served = new Map<string, readonly number[]>();

  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  async serve<T>(key: string, give: () => Promise<T>): Promise<T> {
    const now = this.#now();
    const recent = (this.#served.get(key) ?? []).filter(at => now - at < this.#rate.windowMs);
    if (recent.length >= this.#rate.times) throw tooManyGifts();
    this.#remember(key, [...recent, now]);
    try {
      return await give();
    } catch (error) {
      const counted = this.#served.get(key) ?? [];
      this.#remember(key, counted.toSpliced(counted.indexOf(now), counted.includes(now) ? 1 : 0));
      throw error;
    }
  }

  #remember(key: string, served: readonly number[]): void {
    this.#served.delete(key);
    if (served.length > 0) this.#served.set(key, served);
    const [oldest] = this.#served.keys();
    if (this.#served.size > MOST_ADDRESSES && oldest !== undefined) this.#served.delete(oldest);
  }
}

/** Runs one task at a time, in the order of the requests. */
export class Turns {
  readonly #ledger: ClientLedger;
  readonly #resource: 'faucet_transfers' | 'faucet_scans';
  #last: Promise<unknown> = Promise.resolve();

  /** @param resource of the ledger for waiting requests and the one in progress */
  constructor(ledger: ClientLedger, resource: 'faucet_transfers' | 'faucet_scans') {
    this.#ledger = ledger;
    this.#resource = resource;
  }

  /** @throws ApiError 503 while too many requests wait, 429 while the client has its share of them */
  async take<T>(client: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#ledger.hold(this.#resource, client, 1);
    if (typeof turn === 'string') throw refusedBy(turn, 'requests that wait for the faucet', RETRY_AFTER);
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      turn.release();
    }
  }
}
