import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The node behind the proxy of the server that is attacked. */
export interface StandIn {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** URLs and headers of requests, in their order; only of those that a test marks. */
  readonly marked: IncomingMessage[];
  close(): Promise<void>;
}

/** Bytes of the body that a reader of `LARGE` gets. */
const LARGE_BYTES = 30_000_000;
/** A path whose response is large, one whose response takes its time, and a word in paths that are noted. */
export const LARGE = '/v2/contracts/source/ST000000000000000000002AMW42H/large';
export const SLOW = '/v2/contracts/source/ST000000000000000000002AMW42H/slow';
export const MARK = 'marked';
const SLOW_MS = 200;
/** `(ok u1)`: the price of a name. */
const PRICE = `0x0701${'00'.repeat(15)}01`;

/** Responds to all requests as a node with nothing to do. */
export async function startStandIn(): Promise<StandIn> {
  const large = Buffer.from(JSON.stringify({ source: 'x'.repeat(LARGE_BYTES), publish_height: 1 }));
  const marked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    request.on('error', () => undefined).resume();
    response.on('error', () => undefined);
    if (request.url?.includes(MARK)) marked.push(request);
    request.once('end', () => void respond(request, response, large));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    marked,
    close: () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

async function respond({ url = '', method }: IncomingMessage, response: ServerResponse, large: Buffer): Promise<void> {
  if (url.startsWith(SLOW)) await delay(SLOW_MS);
  response.writeHead(200, { 'content-type': 'application/json' });
  if (url.startsWith(LARGE)) response.end(large);
  else if (method === 'POST' && url.startsWith('/v2/transactions')) response.end(`"${'0a'.repeat(32)}"`);
  else if (url.startsWith('/v2/contracts/call-read/')) response.end(JSON.stringify({ okay: true, result: PRICE }));
  else response.end(JSON.stringify({ balance: '0x00', nonce: 0, stacks_tip_height: 1, burn_block_height: 1 }));
}
