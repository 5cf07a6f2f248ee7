import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  type ApiError,
  errorBody,
  noChainYet,
  type RebuildProgress,
  rebuilding,
  unavailable,
} from '../../api/http/errors.ts';
import { JSON_TYPE, NO_STORE } from '../../api/http/headers.ts';
import { http } from '../../base/lib/node-http.ts';
import { limitPort } from '../../ingest/node/connection-limit.ts';

/** Why nothing can be served yet: the database is unreachable, the chain is unknown, or the index is being rebuilt. */
export type WaitingFor =
  | { readonly kind: 'database' }
  | { readonly kind: 'chain' }
  | ({ readonly kind: 'rebuild' } & RebuildProgress);

interface WaitingApiOptions {
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
  readonly waitingFor: () => WaitingFor;
}

/** Time in which a request must arrive completely, in ms. */
const REQUEST_MS = 10_000;

/** Serves the API while the index cannot be read: `/livez` responds that the process lives, all other requests get 503. */
export async function startWaitingApi({ host, port, maxConnections, waitingFor }: WaitingApiOptions) {
  const server = http.createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    request.resume();
    response.on('error', () => {});
    const headers = { 'content-type': JSON_TYPE, 'cache-control': NO_STORE };
    if (request.url === '/livez') return response.writeHead(200, headers).end('{"status":"ok"}');
    const error = errorOf(waitingFor());
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

function errorOf(reason: WaitingFor): ApiError {
  switch (reason.kind) {
    case 'database':
      return unavailable();
    case 'chain':
      return noChainYet();
    case 'rebuild':
      return rebuilding(reason);
    default:
      return reason satisfies never;
  }
}
