import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createServer } from '../../../src/api/http/server.ts';
import { addImageRoutes } from '../../../src/api/routes/metadata-images.ts';
import { directoryImageStore } from '../../../src/metadata/images/store.ts';

/** Bytes of buffers in use, after a garbage collection. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers;
}

/** Measures a figure until it no longer falls, as data on the way to the system's buffers is held only briefly. */
async function settled(measure: () => number): Promise<number> {
  let lowest = measure();
  for (let same = 0; same < 3; same++) {
    await delay(20);
    const now = measure();
    if (now < lowest) same = 0;
    lowest = Math.min(lowest, now);
  }
  return lowest;
}

const NAME = `${'0a'.repeat(16)}.png`;

/**
 * Clients that request an image of this many bytes and never read it. @returns bytes of buffers that the server holds
 * for them
 */
export async function attackWithUnreadImages({ readers, bytes }: { readonly readers: number; readonly bytes: number }) {
  const directory = await mkdtemp(join(tmpdir(), 'stacks-index-unread-'));
  const store = directoryImageStore(directory);
  const api = createServer({ version: 'attack', tip: { current: () => undefined } });
  addImageRoutes(api, store);
  const sockets: Socket[] = [];
  try {
    await store.write(NAME, Buffer.alloc(bytes, 1));
    await api.listen({ port: 0, host: '127.0.0.1' });
    const { port } = api.server.address() as AddressInfo;
    const before = heldBytes();
    const responding = Array.from({ length: readers }, () => {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      socket.write(`GET /metadata/v1/images/${NAME} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      return new Promise<void>(resolve => socket.once('readable', () => resolve()));
    });
    await Promise.all(responding);
    return { heldBytes: (await settled(heldBytes)) - before };
  } finally {
    for (const socket of sockets) socket.destroy();
    await api.close();
    await rm(directory, { recursive: true });
  }
}
