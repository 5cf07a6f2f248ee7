import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorBody, noChainYet, unavailable } from '../../api/http/errors.ts';
import { JSON_TYPE, NO_STORE } from '../../api/http/headers.ts';
import { limitPort } from '../../ingest/node/connection-limit.ts';

interface WaitingApiOptions {
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
  /** Whether the database cannot be read now. */
  readonly isAway: () => boolean;
}

/** Time in which a request must arrive completely, in ms. */
const REQUEST_MS = 10_000;

/** Serves the API while the chain is not known: `/livez` responds that the process lives, all else gets 503. */
export async function startWaitingApi({ host, port, maxConnections, isAway }: WaitingApiOptions) {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    request.resume();
    response.on('error', () => {});
    const headers = { 'content-type': JSON_TYPE, 'cache-control': NO_STORE };
    if (request.url === '/livez') return response.writeHead(200, headers).end('{"status":"ok"}');
    const error = isAway() ? unavailable() : noChainYet();
    return response.writeHead(503, { ...headers, 'retry-after': String(error.retryAfter) }).end(errorBody(error));
  });
  limitPort(server, { maxConnections, maxConnectionsPerAddress: maxConnections });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
