/** How often an address may be served: so many times in so many milliseconds. */
export interface Rate {
  readonly times: number;
  readonly windowMs: number;
}

/** Addresses that are remembered; the one that was served first is forgotten first. */
const MOST_ADDRESSES = 10_000;

/** Counts what addresses were given. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #served = new Map<string, readonly number[]>();

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** Counts a request, unless it is one too many. @param now milliseconds */
  allow(address: string, now: number): boolean {
    const recent = (this.#served.get(address) ?? []).filter(at => now - at < this.#rate.windowMs);
    if (recent.length >= this.#rate.times) return false;
    this.#served.delete(address);
    this.#served.set(address, [...recent, now]);
    const [oldest] = this.#served.keys();
    if (this.#served.size > MOST_ADDRESSES && oldest !== undefined) this.#served.delete(oldest);
    return true;
  }

  /** Takes the last request back: it was not served. */
  forgive(address: string): void {
    this.#served.set(address, (this.#served.get(address) ?? []).slice(0, -1));
  }
}
