import { ApiError } from '../http/errors.ts';
import type { LiveLimits } from './limits.ts';

/** Counts connected clients of all channels together, and refuses those beyond the limits. */
export class Admission {
  readonly #limits: Pick<LiveLimits, 'maxClients' | 'maxClientsPerAddress'>;
  readonly #byAddress = new Map<string, number>();
  #total = 0;

  constructor(limits: Pick<LiveLimits, 'maxClients' | 'maxClientsPerAddress'>) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#total;
  }

  /** @returns releases the place once the client has disconnected; further calls do nothing @throws ApiError */
  admit(address: string): () => void {
    const own = this.#byAddress.get(address) ?? 0;
    if (own >= this.#limits.maxClientsPerAddress)
      throw new ApiError(429, `An address may have ${this.#limits.maxClientsPerAddress} streams at once`, {
        code: 'TOO_MANY_STREAMS',
        retryAfter: 10,
      });
    if (this.#total >= this.#limits.maxClients)
      throw new ApiError(503, 'No more clients can stream at once', { code: 'STREAMS_FULL', retryAfter: 5 });
    this.#byAddress.set(address, own + 1);
    this.#total++;
    let isHere = true;
    return () => {
      if (isHere) this.#release(address);
      isHere = false;
    };
  }

  #release(address: string): void {
    this.#total--;
    const left = (this.#byAddress.get(address) ?? 1) - 1;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
  }
}
