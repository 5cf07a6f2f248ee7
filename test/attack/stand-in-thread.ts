/** The thread of stand-in.ts. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { LARGE, LARGE_SHARED, MARK, type Marked, SLOW } from './stand-in.ts';

/** The size of the body of `LARGE`. */
const LARGE_BYTES = 30_000_000;
const SLOW_MS = 200;
/** `(ok u1)`: the price of a name. */
const PRICE = `0x0701${'00'.repeat(15)}01`;

const large = Buffer.from(JSON.stringify({ source: 'x'.repeat(LARGE_BYTES), publish_height: 1 }));

async function respond({ url = '', method }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (url.startsWith(SLOW)) await delay(SLOW_MS);
  response.writeHead(200, { 'content-type': 'application/json' });
  if (url.startsWith(LARGE) || url.startsWith(LARGE_SHARED)) response.end(large);
  else if (method === 'POST' && url.startsWith('/v2/transactions')) response.end(`"${'0a'.repeat(32)}"`);
  else if (url.startsWith('/v2/contracts/call-read/')) response.end(JSON.stringify({ okay: true, result: PRICE }));
  else response.end(JSON.stringify({ balance: '0x00', nonce: 0, stacks_tip_height: 1, burn_block_height: 1 }));
}

const server = createServer((request, response) => {
  const { url = '', headers } = request;
  request.on('error', () => undefined).resume();
  response.on('error', () => undefined);
  if (url.includes(MARK)) parentPort?.postMessage({ url, headers } satisfies Marked);
  request.once('end', () => void respond(request, response));
});
server.listen(0, '127.0.0.1', () => {
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
parentPort?.on('message', () => parentPort?.postMessage('all'));
