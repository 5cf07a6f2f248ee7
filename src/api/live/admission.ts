import type { IncomingMessage } from 'node:http';
import { type Clients, refusedBy } from '../http/clients.ts';
import { ApiError } from '../http/errors.ts';

/** A client of live updates, and what it holds beside its place. */
export interface Admitted {
  readonly address: string;
  /** Takes so many more subscriptions, or gives some back. @returns false if its address, or all clients together, would have too many */
  subscribe(count: number): boolean;
  /** Gives its place and its subscriptions back, once it has disconnected; further calls do nothing. */
  release(): void;
}

/** Admits clients of all channels together, and refuses those beyond the limits of the ledger. */
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
    const place = ledger.hold('streams', address, 1);
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
    const subscriptions = ledger.hold('subscriptions', address, topics);
    if (typeof subscriptions === 'string') {
      place.release();
      throw refusedBy(subscriptions, 'subscriptions', 10);
    }
    return {
      address,
      subscribe: count => subscriptions.add(count),
      release: () => {
        place.release();
        subscriptions.release();
      },
    };
  }
}
