import { tooMuchForNode } from '../node-proxy/faults.ts';
import { tooManyGifts } from './faults.ts';

/** The limit of payments to an address: a number of times in a number of milliseconds. */
interface Rate {
  readonly times: number;
  readonly windowMs: number;
}

const MINUTE = 60_000;
export const USUAL_RATE: Rate = { times: 5, windowMs: 5 * MINUTE };
export const STACKING_RATE: Rate = { times: 1, windowMs: 2 * 24 * 60 * MINUTE };

/** Addresses that are remembered; the one that was served first is forgotten first. */
const MOST_ADDRESSES = 10_000;

/** Counts the payments to each address. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #served = new Map<string, readonly number[]>();

  /** @param now milliseconds */
  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Runs `give`, and counts it if it paid. Running payments count, too. @throws ApiError 429, and errors of `give` */
  async serve<T>(address: string, give: () => Promise<T>): Promise<T> {
    const now = this.#now();
    const recent = (this.#served.get(address) ?? []).filter(at => now - at < this.#rate.windowMs);
    if (recent.length >= this.#rate.times) throw tooManyGifts();
    this.#remember(address, [...recent, now]);
    try {
      return await give();
    } catch (error) {
      const counted = this.#served.get(address) ?? [];
      this.#remember(address, counted.toSpliced(counted.indexOf(now), counted.includes(now) ? 1 : 0));
      throw error;
    }
  }

  #remember(address: string, served: readonly number[]): void {
    this.#served.delete(address);
    if (served.length > 0) this.#served.set(address, served);
    const [oldest] = this.#served.keys();
    if (this.#served.size > MOST_ADDRESSES && oldest !== undefined) this.#served.delete(oldest);
  }
}

/** Runs one task at a time, in the order of the requests. */
export class Turns {
  readonly #most: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @param most that may wait, the one in progress included */
  constructor(most: number) {
    this.#most = most;
  }

  /** @throws ApiError 503 while too many wait */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= this.#most) throw tooMuchForNode();
    this.#waiting++;
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      this.#waiting--;
    }
  }
}
