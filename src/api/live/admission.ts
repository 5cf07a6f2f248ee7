import type { IncomingMessage } from 'node:http';
import { type Clients, refusedBy } from '../http/clients.ts';
import { ApiError } from '../http/errors.ts';

/** A client of live updates, with its place and its subscriptions. */
export interface Admitted {
  readonly address: string;
  /** Adds this many subscriptions, or removes some if negative. @returns false if its address, or all clients together, would have too many */
  subscribe(count: number): boolean;
  /** Sets how to disconnect it in favour of an address that holds less. Before this call, the client cannot be disconnected so. */
  endBy(disconnect: () => void): void;
  /** Releases its place and its subscriptions after it has disconnected; further calls do nothing. */
  release(): void;
}

/**
 * Admits clients of all channels together, and refuses those beyond the limits of the ledger. When all places are taken, a client of an
 * address that holds less than another address takes the place of the newest client of that address.
 */
export class Admission {
  readonly #clients: Pick<Clients, 'ledger' | 'addresses'>;

  constructor(clients: Pick<Clients, 'ledger' | 'addresses'>) {
    this.#clients = clients;
  }

  get count(): number {
    return this.#clients.ledger.held('streams');
  }

  /** @param request that opens the channel @param topics that it subscribes to at once @throws ApiError */
  admit(request: Pick<IncomingMessage, 'headers' | 'socket'>, topics = 0): Admitted {
    const { ledger, addresses } = this.#clients;
    const address = addresses.ofRequest(request);
    const began = performance.now();
    let disconnect: (() => void) | undefined;
    const closable = {
      // Disconnects the newest client first. Compares start times, not ages: these change while the ledger reads one after the other.
      progress: () => disconnect && -began,
      close: () => disconnect?.(),
    };
    const place = ledger.hold('streams', address, 1, closable);
    if (place === 'address')
      throw new ApiError(
        429,
        `An address may have ${ledger.atMostShare('streams', Number.POSITIVE_INFINITY)} streams at once`,
        {
          code: 'TOO_MANY_STREAMS',
          retryAfter: 10,
        },
      );
    if (place === 'total')
      throw new ApiError(503, 'No more clients can stream at once', { code: 'STREAMS_FULL', retryAfter: 5 });
    const subscriptions = ledger.hold('subscriptions', address, topics, closable);
    if (typeof subscriptions === 'string') {
      place.release();
      throw refusedBy(subscriptions, 'subscriptions', 10);
    }
    return {
      address,
      subscribe: count => subscriptions.add(count) === undefined,
      endBy: by => {
        disconnect = by;
      },
      release: () => {
        disconnect = undefined;
        place.release();
        subscriptions.release();
      },
    };
  }
}
