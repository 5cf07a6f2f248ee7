import type { FastifyInstance } from 'fastify';
import { createServer } from '../src/api/http/server.ts';

/** A server like the API's own, with its hooks and headers; its response to `/SIZE` is a ready buffer of that many bytes. */
export function createStaticServer(): FastifyInstance {
  const server = createServer({ version: '0', tip: { current: () => undefined } });
  server.get('/:size', async request => bufferOf(Number((request.params as { size: string }).size)));
  return server;
}

const buffers = new Map<number, Buffer>();

/** A buffer of a size, with the same content each time. */
export function bufferOf(size: number): Buffer {
  const buffer = buffers.get(size) ?? Buffer.alloc(size, '"');
  buffers.set(size, buffer);
  return buffer;
}
