import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { createServer, type ServerLimits } from '../../src/api/http/server.ts';
import { DEFAULT_NODE_PROXY, type NodeProxySettings } from '../../src/api/node-proxy/settings.ts';
import { addNodeRoutes, type NodeContext } from '../../src/api/routes/v2.ts';
import { PATIENCE_MS } from './until.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | Readable;
}

export type Told = { readonly fields: object; readonly text: string };

/** The proxy in front of a node; `told` has the failures that it logs, `news` its other log lines. One address may hold all, unless limits differ. */
export async function serveProxy(
  t: TestContext,
  node: string | undefined,
  settings: Partial<NodeProxySettings> = {},
  limits: Partial<ServerLimits> = {},
  context: Partial<NodeContext> = {},
) {
  const told: Told[] = [];
  const news: Told[] = [];
  const noteIn = (list: Told[]) => (fields: object, text: string) => list.push({ fields, text });
  const [note, quiet] = [noteIn(told), () => undefined];
  const logger = {
    info: noteIn(news),
    warn: note,
    error: note,
    debug: quiet,
    trace: quiet,
    fatal: note,
    silent: quiet,
  };
  const tip = { current: () => undefined, ...context.tip };
  const api = createServer({
    version: '1.2.3',
    tip,
    limits: { maxShare: 1, maxWait: PATIENCE_MS, ...limits },
    logger: { ...logger, level: 'info' } as never,
  });
  const all = node === undefined ? undefined : { node, ...DEFAULT_NODE_PROXY, ...settings };
  addNodeRoutes(api, all, { onTaken: async () => undefined, tenures: async () => [], ...context, tip });
  api.get('/extended/here', async () => '{"here":true}');
  await api.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => api.close());
  const { port } = api.server.address() as AddressInfo;
  return { api, port, told, news, ask: (path: string, what?: Ask) => ask(port, path, what) };
}

/** Sends a request whose path nobody touches. Rejects when the response is cut off. */
function ask(port: number, path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject);
    if (body instanceof Readable) body.pipe(request);
    else request.end(body);
  });
}

export const json = ({ body }: ApiResponse): Record<string, unknown> => JSON.parse(body.toString());
