import { WebSocket, WebSocketServer } from 'ws';

/** Close codes of the older channels (docs/live.md#limits). */
export const CLOSE = { goingAway: 1001, policyViolation: 1008, tryAgainLater: 1013 } as const;

/** Frames that a client may send at once, and each second after that: published clients send one for each topic. */
const FRAMES = { atOnce: 500, aSecond: 100 };
const BYTES = { atOnce: 1024 * 1024, aSecond: 128 * 1024 };
/** Milliseconds from the close frame until the connection is closed, for a client that does not read the frame. */
const LINGER_MS = 1000;

/** Limits the traffic of one client: a burst, then a rate per second. */
export class Traffic {
  #frames = FRAMES.atOnce;
  #bytes = BYTES.atOnce;
  #last = performance.now();

  /** @returns false if the client sends too much */
  take(frames: number, bytes: number): boolean {
    const now = performance.now();
    const seconds = (now - this.#last) / 1000;
    this.#last = now;
    this.#frames = Math.min(FRAMES.atOnce, this.#frames + seconds * FRAMES.aSecond) - frames;
    this.#bytes = Math.min(BYTES.atOnce, this.#bytes + seconds * BYTES.aSecond) - bytes;
    return this.#frames >= 0 && this.#bytes >= 0;
  }
}

/** A WebSocket that passes frames on only while its client stays within its limits. */
export class BoundedWebSocket extends WebSocket {
  /** Begins the work for a frame: at once, or in a turn of its client. In order. */
  inTurn: (work: () => void) => void = work => work();
  readonly #traffic = new Traffic();

  override emit(event: string | symbol, ...details: unknown[]): boolean {
    if (event !== 'message' && event !== 'ping' && event !== 'pong') return super.emit(event, ...details);
    // One read of the connection may have further frames.
    if (this.readyState !== this.OPEN) return false;
    const [data] = details;
    if (this.#traffic.take(1, Buffer.isBuffer(data) ? data.length : 0)) {
      this.inTurn(() => super.emit(event, ...details));
      return true;
    }
    endWebSocket(this, CLOSE.policyViolation, 'too many frames');
    return false;
  }
}

/** For WebSocketServer, and as `wsEngine` of engine.io. */
export class BoundedWebSocketServer extends WebSocketServer<typeof BoundedWebSocket> {
  constructor(options: ConstructorParameters<typeof WebSocketServer<typeof BoundedWebSocket>>[0]) {
    super({ ...options, WebSocket: BoundedWebSocket });
  }
}

/** Closes a connection, and reads nothing more from it. */
export function endWebSocket(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState !== socket.OPEN) return;
  socket.close(code, reason);
  socket.pause();
  setTimeout(() => socket.terminate(), LINGER_MS).unref();
}
