import type { IncomingMessage } from 'node:http';
import type { Clients } from '../http/clients.ts';
import { ApiError } from '../http/errors.ts';

/** Admits clients of all channels together, and refuses those beyond the limits of the ledger. */
export class Admission {
  readonly #clients: Pick<Clients, 'ledger' | 'addresses'>;

  constructor(clients: Pick<Clients, 'ledger' | 'addresses'>) {
    this.#clients = clients;
  }

  get count(): number {
    return this.#clients.ledger.held('streams');
  }

  /**
   * @param request that opens the channel
   * @returns releases the place once the client has disconnected; further calls do nothing @throws ApiError
   */
  admit(request: Pick<IncomingMessage, 'headers' | 'socket'>): () => void {
    const { ledger, addresses } = this.#clients;
    const holding = ledger.hold('streams', addresses.ofRequest(request), 1);
    if (holding === 'address')
      throw new ApiError(
        429,
        `An address may have ${ledger.atMostShare('streams', Number.POSITIVE_INFINITY)} streams at once`,
        {
          code: 'TOO_MANY_STREAMS',
          retryAfter: 10,
        },
      );
    if (holding === 'total')
      throw new ApiError(503, 'No more clients can stream at once', { code: 'STREAMS_FULL', retryAfter: 5 });
    return holding.release;
  }
}
