/** A server like the API's own that returns a ready buffer: `/SIZE`. What no page can be faster than. */
import { createServer } from '../src/http/server.ts';

const api = createServer({ version: '0', tip: { current: () => undefined } });
const buffers = new Map<number, Buffer>();
api.get('/:size', async request => {
  const size = Number((request.params as { size: string }).size);
  const buffer = buffers.get(size) ?? Buffer.alloc(size, '"');
  buffers.set(size, buffer);
  return buffer;
});
await api.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
