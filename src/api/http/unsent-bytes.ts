import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Ledger, Refusal } from '../../base/net/ledger.ts';
import type { ClientResource } from './clients.ts';

/** How slowly clients may read large responses. */
export interface ThroughputLimits {
  /** Lowest rate of reading over `throughputWindow`, in bytes a second; a slower client is disconnected. */
  readonly minThroughput: number;
  /** Milliseconds. */
  readonly throughputWindow: number;
}

/** Largest response that is not counted, in bytes: the kernel's buffer of the connection holds it, however slowly its client reads. */
export const SMALL = 64 * 1024;

/** Properties of a socket's handle that Node does not document; its own time-outs read them too (net.Socket). */
interface SocketHandle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/** Milliseconds in which a response is not ended in favour of another client, as its client's rate is not known yet. */
const GRACE_MS = 2000;

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
  readonly #limits: ThroughputLimits;
  readonly #ledger: Ledger<ClientResource>;
  readonly #readers = new Map<Socket, Reader>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: ThroughputLimits, ledger: Ledger<ClientResource>) {
    this.#limits = limits;
    this.#ledger = ledger;
  }

  /**
   * Counts a response that is about to be sent. A response larger than the share of an address counts as the whole share. Small
   * responses are always sent: behind a proxy many clients have one address.
   * @param size bytes of its body; for a stream, those in its buffers
   * @returns the limit that it would exceed: then it is not counted, and must not be sent
   */
  hold(response: ServerResponse, client: string, size: number): Refusal | undefined {
    const { socket } = response;
    if (socket === null || size <= SMALL) return undefined;
    const holding = this.#ledger.hold('unsent_bytes', client, this.#ledger.atMostShare('unsent_bytes', size), {
      progress: readingRate(socket),
      close: () => socket.resetAndDestroy(),
    });
    if (typeof holding === 'string') return holding;
    this.#watch(socket);
    response.once('close', () => {
      holding.release();
      this.#unwatch(socket);
    });
    return undefined;
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

  /** A reader that connected since the last check is judged at the next but one. A reset, as HTTP/1.0 takes any other end for that of the response. */
  #disconnectSlow(): void {
    const { minThroughput, throughputWindow } = this.#limits;
    const least = (minThroughput * throughputWindow) / 1000;
    for (const [socket, reader] of this.#readers) {
      const { taken, waiting } = progressOf(socket);
      if (reader.taken !== undefined && waiting > 0 && taken - reader.taken < least) socket.resetAndDestroy();
      reader.taken = taken;
    }
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * Measures how fast a client reads from its connection, from now on. @returns a function for the rate in bytes a millisecond; it returns
 * undefined in the first `graceMs`
 */
export const readingRate = (socket: Socket): ((graceMs?: number) => number | undefined) =>
  rateOf(() => progressOf(socket).taken);

/** As `readingRate`, for any count of bytes that a client has read. */
export function rateOf(taken: () => number): (graceMs?: number) => number | undefined {
  const began = performance.now();
  const before = taken();
  return (graceMs = GRACE_MS) => {
    const elapsed = performance.now() - began;
    return elapsed < graceMs ? undefined : (taken() - before) / Math.max(1, elapsed);
  };
}

/** Bytes that the kernel has taken from a socket so far, and bytes that wait for it. */
function progressOf(socket: Socket): { taken: number; waiting: number } {
  const handle = (socket as Socket & { readonly _handle?: SocketHandle | null })._handle;
  const queued = handle?.writeQueueSize ?? 0;
  return { taken: (handle?.bytesWritten ?? 0) - queued, waiting: Math.max(queued, socket.writableLength) };
}
