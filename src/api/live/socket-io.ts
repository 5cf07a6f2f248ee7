import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { Server, type Socket } from 'socket.io';
import type { Admission } from './admission.ts';
import type { ChainFeed } from './feed.ts';
import { SubjectHub, type SubjectRoom } from './hub.ts';
import type { LiveLimits } from './limits.ts';
import { parseSubject, type Subject } from './subjects.ts';

export const SOCKET_IO_PATH = '/socket.io/';

interface SocketIoParts {
  readonly feed: ChainFeed;
  readonly admission: Admission;
  readonly limits: LiveLimits;
  readonly onDrop: () => void;
  readonly newSessionId?: (() => string) | undefined;
}

const BEAT_MS = 1000;
/** Members that get an event before a pause. */
const MEMBERS_AT_ONCE = 100;
/** Packets that wait for a client that polls. */
const MOST_PACKETS = 2000;

/**
 * The socket.io channel (docs/spec/live.md#socketio). The events of a topic are named as the client spelled the topic.
 */
export class SocketIoChannel {
  readonly #parts: SocketIoParts;
  readonly #io: Server;
  /** Its rooms have the names of those of socket.io: the topics as clients spell them. */
  readonly #hub: SubjectHub<Socket>;
  readonly #timer: NodeJS.Timeout;
  /** Gives the place of a client back, by the request that began its session. */
  readonly #admitted = new WeakMap<IncomingMessage, () => void>();

  constructor(server: HttpServer, parts: SocketIoParts) {
    this.#parts = parts;
    this.#hub = new SubjectHub(parts.feed, (room, payload) => this.#emit(room, payload));
    const { limits, newSessionId } = parts;
    const { pingInterval, maxFrame } = limits;
    this.#io = new Server(server, {
      path: SOCKET_IO_PATH,
      serveClient: false,
      cors: { origin: '*' },
      pingInterval,
      pingTimeout: pingInterval,
      maxHttpBufferSize: maxFrame,
      destroyUpgrade: false,
      allowRequest: (request, decide) => this.#allow(request, decide),
    });
    const { engine } = this.#io;
    if (newSessionId) engine.generateId = newSessionId;
    engine.on('connection', (session: Session) => {
      const release = session.request && this.#admitted.get(session.request);
      if (release) session.once('close', release);
    });
    engine.on('connection_error', ({ req }: { readonly req: IncomingMessage }) => this.#admitted.get(req)?.());
    this.#io.use((socket, next) => {
      const topics = topicsOf(socket);
      const bad = topics.filter(topic => parseSubject(topic) === undefined);
      if (bad.length > 0) next(new Error(`Invalid topic: ${bad.join(', ')}`));
      else next(topics.length > limits.maxSubscriptions ? new Error(tooMany(limits)) : undefined);
    });
    this.#io.on('connection', socket => this.#open(socket));
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  get count(): number {
    return this.#io.engine.clientsCount;
  }

  /** Disconnects all. The HTTP server stays. */
  close(): void {
    clearInterval(this.#timer);
    this.#io.disconnectSockets(true);
    this.#io.engine.close();
  }

  /** Sends an event to all members, some in a turn: socket.io makes its packet once for these. Those that join meanwhile get later ones. */
  async #emit({ name, subject, members }: SubjectRoom<Socket>, payload: string): Promise<void> {
    const event = [name, ...argumentsOf(subject, JSON.parse(payload))] as const;
    const ids = [...members].map(({ id }) => id);
    for (let start = 0; start < ids.length; start += MEMBERS_AT_ONCE) {
      await this.#parts.feed.pause();
      this.#io.to(ids.slice(start, start + MEMBERS_AT_ONCE)).emit(...event);
    }
  }

  /** A request without a session begins one. */
  #allow(request: IncomingMessage, decide: (error: string | null | undefined, success: boolean) => void): void {
    try {
      const release = this.#parts.admission.admit(request);
      this.#admitted.set(request, release);
      // An upgrade has its connection for itself; sessions that poll outlive theirs.
      if (request.headers.upgrade !== undefined) request.socket.once('close', release);
      decide(null, true);
    } catch (error) {
      decide(error instanceof Error ? error.message : 'refused', false);
    }
  }

  #open(socket: Socket): void {
    const own = new Set<string>();
    socket.on('subscribe', (topics: unknown, acknowledge: unknown) => {
      const reply = typeof acknowledge === 'function' ? (acknowledge as (error: string | null) => void) : () => {};
      this.#subscribe(socket, own, textsOf(topics)).then(reply, () => reply('the index cannot be read now'));
    });
    socket.on('unsubscribe', (...topics: readonly unknown[]) => {
      for (const topic of textsOf(topics.flat())) this.#leave(socket, own, topic);
    });
    socket.on('disconnect', () => {
      for (const topic of own) this.#leave(socket, own, topic);
    });
    const topics = topicsOf(socket);
    forgetRequest(socket);
    this.#subscribe(socket, own, topics).catch(() => socket.disconnect(true));
  }

  /** Joins the valid topics. @returns an error text about the others, or null */
  async #subscribe(socket: Socket, own: Set<string>, topics: readonly string[]): Promise<string | null> {
    const bad: string[] = [];
    const joined: unknown[] = [];
    const { maxSubscriptions } = this.#parts.limits;
    for (const topic of topics) {
      const subject = parseSubject(topic);
      if (!subject) bad.push(topic.slice(0, 200));
      else if (own.size >= maxSubscriptions && !own.has(topic)) {
        await Promise.all(joined);
        return tooMany(this.#parts.limits);
      } else {
        own.add(topic);
        joined.push(socket.join(topic), this.#hub.join(topic, subject, socket));
      }
    }
    if (topics.length === 0) bad.push('');
    await Promise.all(joined);
    return bad.length > 0 ? `Invalid topic: ${bad.join(', ')}` : null;
  }

  #leave(socket: Socket, own: Set<string>, topic: string): void {
    if (!own.delete(topic)) return;
    void socket.leave(topic);
    this.#hub.leave(topic, socket);
  }

  /** Disconnects clients that do not read. */
  #beat(): void {
    for (const socket of this.#io.sockets.sockets.values()) {
      const { writeBuffer, transport } = socket.conn as unknown as Connection;
      const unread = transport.socket?.bufferedAmount ?? 0;
      if (writeBuffer.length <= MOST_PACKETS && unread <= this.#parts.limits.hardQueue) continue;
      this.#parts.onDrop();
      socket.disconnect(true);
    }
  }
}

/** Members of a connection of engine.io beyond its types. */
interface Connection {
  readonly writeBuffer: readonly unknown[];
  /** Of a WebSocket; a client that polls has no socket. */
  readonly transport: { readonly socket?: { readonly bufferedAmount?: number } };
}

/** Members of a session of engine.io beyond its types. */
interface Session {
  /** The one that began it. */
  request: IncomingMessage | null;
  once(event: 'close', listener: () => void): unknown;
}

/** Releases the request that began a socket's session (https://socket.io/docs/v4/memory-usage/). */
function forgetRequest(socket: Socket): void {
  (socket.conn as unknown as Session).request = null;
  Object.assign(socket, { handshake: FORGOTTEN });
}

const FORGOTTEN = {};

/** Topics of the handshake. Clients that reconnect send empty ones, which are ignored. */
function topicsOf({ handshake }: Socket): string[] {
  const { subscriptions } = handshake.query;
  return [subscriptions ?? []]
    .flat()
    .flatMap(text => text.split(','))
    .filter(topic => topic !== '');
}

const tooMany = ({ maxSubscriptions }: Pick<LiveLimits, 'maxSubscriptions'>): string =>
  `at most ${maxSubscriptions} subscriptions`;

/**
 * The topics in a client's message as texts. A value that is neither text nor number may have no text form, so its type
 * is used.
 */
const textsOf = (topics: unknown): string[] =>
  (Array.isArray(topics) ? topics : [topics]).map(topic =>
    typeof topic === 'string' || typeof topic === 'number' ? String(topic) : typeof topic,
  );

/** The arguments of a listener: the identifiers of the subject, then the payload. */
function argumentsOf({ kind, about }: Subject, payload: unknown): unknown[] {
  switch (kind) {
    case 'address-transaction':
    case 'address-stx-balance':
      return [about.address, payload];
    case 'nft-asset-event':
      return [about.asset_identifier, about.value, payload];
    case 'nft-collection-event':
      return [about.asset_identifier, payload];
    case 'block':
    case 'microblock':
    case 'mempool':
    case 'transaction':
    case 'nft-event':
      return [payload];
    default:
      return kind satisfies never;
  }
}
