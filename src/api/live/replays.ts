import { FairQueue } from '../../base/lib/fair-queue.ts';
import type { Clients } from '../http/clients.ts';

interface Waiting {
  /** Whether its client has disconnected. */
  readonly hasLeft: () => boolean;
  /** Begins the reading, or ends it without one. */
  readonly begin: (release: (() => void) | undefined) => void;
}

/**
 * Readings of the log for clients that are behind. The ledger limits how many run at once; the others wait, and their client addresses
 * take turns:
 *
 *     waiting   A1 A2 A3   B1   two at once, one of an address
 *     run       A1  B1          then A2, as B has no more, then A3
 */
export class Replays {
  readonly #ledger: Clients['ledger'];
  readonly #waiting = new FairQueue<string, Waiting>();

  constructor(ledger: Clients['ledger']) {
    this.#ledger = ledger;
  }

  /**
   * Reads when the client has its turn. @param client its address
   * @returns undefined, without reading, if it has disconnected by then
   */
  async run<T>(client: string, hasLeft: () => boolean, read: () => Promise<T>): Promise<T | undefined> {
    const release = await this.#turnOf(client, hasLeft);
    if (release === undefined) return undefined;
    try {
      return await read();
    } finally {
      release();
      this.#next();
    }
  }

  #turnOf(client: string, hasLeft: () => boolean): Promise<(() => void) | undefined> {
    const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
    this.#waiting.push(client, { hasLeft, begin: resolve });
    this.#next();
    return promise;
  }

  #next(): void {
    let isFull = false;
    this.#waiting.offer((client, { hasLeft, begin }) => {
      if (isFull) return false;
      const holding = hasLeft() ? undefined : this.#ledger.hold('replays', client, 1);
      isFull = holding === 'total';
      if (typeof holding === 'string') return false;
      begin(holding?.release);
      return true;
    });
  }
}
