import type { FastifyInstance } from 'fastify';
import { createServer } from '../src/api/http/server.ts';

/** A server like the API's own, with its hooks and headers, that answers `/SIZE` with a ready buffer of so many bytes. */
export function createStaticServer(): FastifyInstance {
  const server = createServer({ version: '0', tip: { current: () => undefined } });
  server.get('/:size', async request => bufferOf(Number((request.params as { size: string }).size)));
  return server;
}

const buffers = new Map<number, Buffer>();

/** The same each time. */
export function bufferOf(size: number): Buffer {
  const buffer = buffers.get(size) ?? Buffer.alloc(size, '"');
  buffers.set(size, buffer);
  return buffer;
}
