/**
 * What no page can be faster than: `/SIZE` is a ready buffer. Two servers, each on its port: one is like the API's own, with its hooks
 * and headers, the other is Node's HTTP server with a handler alone.
 */
import { createServer as createBareServer } from 'node:http';
import { createServer } from '../src/http/server.ts';

const [, , port, barePort] = process.argv;
const buffers = new Map<number, Buffer>();

function bufferOf(size: number): Buffer {
  const buffer = buffers.get(size) ?? Buffer.alloc(size, '"');
  buffers.set(size, buffer);
  return buffer;
}

const api = createServer({ version: '0', tip: { current: () => undefined } });
api.get('/:size', async request => bufferOf(Number((request.params as { size: string }).size)));
await api.listen({ host: '127.0.0.1', port: Number(port) });

createBareServer((request, response) => {
  const body = bufferOf(Number(request.url?.slice(1)));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}).listen(Number(barePort), '127.0.0.1');
