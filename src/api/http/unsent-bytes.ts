import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Limits on responses whose clients read slowly. */
export interface UnsentLimits {
  /** Bytes of bodies that are not sent yet, of all clients together. A response beyond it is a 503. */
  readonly maxUnsentBytes: number;
  /**
   * The same for one client address. A single response may always be larger, and small ones are sent in any case:
   * behind a proxy many clients have one address.
   */
  readonly maxUnsentBytesPerClient: number;
  /** Bytes a second that a client takes at least, over `throughputWindow`; a slower one is disconnected. */
  readonly minThroughput: number;
  /** Milliseconds. */
  readonly throughputWindow: number;
}

/** Bytes of a small response: the buffer that the kernel has for each connection takes it, however slowly its client reads. */
const SMALL = 64 * 1024;

/** Properties of a socket's handle that Node does not document; its own time-outs read them too (net.Socket). */
interface SocketHandle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

interface Reader {
  responses: number;
  /** Bytes that the kernel had accepted at the last check; undefined before the first one. */
  taken: number | undefined;
}

/**
 * Bounds the cost of slow readers: the memory of their bodies, and the time they hold a connection. A body counts from
 * its creation until the kernel has all of it, or the client has disconnected.
 */
export class UnsentBytes {
  readonly #limits: UnsentLimits;
  readonly #byClient = new Map<string, number>();
  readonly #readers = new Map<Socket, Reader>();
  #total = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: UnsentLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a response that is about to be sent.
   * @param size bytes of its body; undefined for a stream, which waits for its reader
   * @returns false if it would be too much: then it is not counted, and must not be sent
   */
  hold(response: ServerResponse, size: number | undefined): boolean {
    const { socket } = response;
    if (socket === null || (size !== undefined && size <= SMALL)) return true;
    return this.#holdLarge(response, socket, size ?? 0);
  }

  #holdLarge(response: ServerResponse, socket: Socket, size: number): boolean {
    const client = socket.remoteAddress ?? '';
    const own = this.#byClient.get(client) ?? 0;
    if (this.#total > 0 && this.#total + size > this.#limits.maxUnsentBytes) return false;
    if (own > 0 && own + size > this.#limits.maxUnsentBytesPerClient) return false;
    this.#count(client, size);
    this.#watch(socket);
    response.once('close', () => {
      this.#count(client, -size);
      this.#unwatch(socket);
    });
    return true;
  }

  #count(client: string, size: number): void {
    this.#total += size;
    const own = (this.#byClient.get(client) ?? 0) + size;
    if (own > 0) this.#byClient.set(client, own);
    else this.#byClient.delete(client);
  }

  #watch(socket: Socket): void {
    const reader = this.#readers.get(socket);
    if (reader) reader.responses++;
    else this.#readers.set(socket, { responses: 1, taken: undefined });
    this.#timer ??= setInterval(() => this.#disconnectSlow(), this.#limits.throughputWindow).unref();
  }

  #unwatch(socket: Socket): void {
    const reader = this.#readers.get(socket);
    if (!reader) return;
    reader.responses--;
    if (reader.responses === 0) this.#readers.delete(socket);
  }

  /** A reader that connected since the last check is judged at the next but one. */
  #disconnectSlow(): void {
    const { minThroughput, throughputWindow } = this.#limits;
    const least = (minThroughput * throughputWindow) / 1000;
    for (const [socket, reader] of this.#readers) {
      const { taken, waiting } = progressOf(socket);
      if (reader.taken !== undefined && waiting > 0 && taken - reader.taken < least) socket.destroy();
      reader.taken = taken;
    }
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Bytes that the kernel has taken from a socket so far, and bytes that wait for it. */
function progressOf(socket: Socket): { taken: number; waiting: number } {
  const handle = (socket as Socket & { readonly _handle?: SocketHandle | null })._handle;
  const queued = handle?.writeQueueSize ?? 0;
  return { taken: (handle?.bytesWritten ?? 0) - queued, waiting: Math.max(queued, socket.writableLength) };
}
