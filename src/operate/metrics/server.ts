import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';

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

/**
 * Serves `GET /metrics` on a port of its own, because metrics are for operators only, and the probes `/livez` and `/readyz`, which a
 * process without an API has nowhere else.
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port, logger, metrics, ready, admin } = options;
  const pages: Readonly<Record<string, () => Promise<Page>>> = {
    '/metrics': async () => ({ type: metrics.contentType, body: await metrics.text() }),
    '/livez': async () => OK,
    '/readyz': async () => {
      await ready();
      return OK;
    },
  };
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
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
  server.maxConnections = 20;
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
