import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { http } from '../../base/lib/node-http.ts';
import { limitPort } from '../../ingest/node/connection-limit.ts';

interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

interface MetricsServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly logger: Logger;
  /** The text that Prometheus reads. */
  readonly metrics: { text(): Promise<string>; readonly contentType: string };
  /** Rejects while the process cannot serve. */
  readonly ready: () => Promise<unknown>;
  /** Serves the other routes for operators; returns false for a path that it does not know. */
  readonly admin?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

/** A monitoring system and probes need a few. */
const CONNECTIONS = { maxConnections: 40, maxConnectionsPerAddress: 10 };
/** Most requests on one connection, even if they are pipelined; then the client must reconnect. */
const MAX_REQUESTS = 100;
const HEADERS_MS = 5_000;
const REQUEST_MS = 10_000;
/** Time without a byte in either direction after which a connection is closed. */
const SILENCE_MS = 30_000;

/**
 * Serves `GET /metrics` on a port of its own, because metrics are for operators only, and the probes `/livez` and `/readyz`, which a
 * process without an API has nowhere else.
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port, logger, metrics, ready, admin } = options;
  let reading: Promise<string> | undefined;
  /** Requests that arrive while the figures are read share them. */
  const figures = (): Promise<string> => {
    reading ??= metrics.text().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const pages: Readonly<Record<string, () => Promise<Page>>> = {
    '/metrics': async () => ({ type: metrics.contentType, body: await figures() }),
    '/livez': async () => OK,
    '/readyz': async () => {
      await ready();
      return OK;
    },
  };
  const limits = { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1_000 };
  const server = http.createServer(limits, (request, response) => {
    response.setHeader('x-content-type-options', 'nosniff');
    if (admin?.(request, response)) return;
    request.resume();
    const url = request.url ?? '';
    const page = request.method === 'GET' && Object.hasOwn(pages, url) ? pages[url] : undefined;
    if (!page) {
      response.writeHead(404).end();
      return;
    }
    page().then(
      ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
      (error: unknown) => {
        logger.warn({ err: error, url }, 'metrics or probe not available: the figures could not be read');
        const body = JSON.stringify({
          status: 'not ready',
          message: error instanceof Error ? error.message : String(error),
        });
        response.writeHead(503, { 'retry-after': '1', 'content-type': OK.type }).end(body);
      },
    );
  });
  server.maxRequestsPerSocket = MAX_REQUESTS;
  server.setTimeout(SILENCE_MS);
  limitPort(server, CONNECTIONS);
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Page {
  readonly type: string;
  readonly body: string;
}

const OK: Page = { type: 'application/json; charset=utf-8', body: '{"status":"ok"}' };
