import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { Server, type Socket } from 'socket.io';
import type { Admitted } from './admission.ts';
import { BoundedWebSocketServer } from './bounded-web-socket.ts';
import { boundSession, type EngineSession } from './engine-session.ts';
import { eventPacket } from './event-packet.ts';
import { SubjectHub, type SubjectRoom } from './hub.ts';
import type { LiveLimits } from './limits.ts';
import { refuseSession } from './refusal.ts';
import { parseSubject, type Subject } from './subjects.ts';
import { type ChannelParts, TOO_MANY_OF_ADDRESS } from './web-socket.ts';

export const SOCKET_IO_PATH = '/socket.io/';

interface SocketIoParts extends ChannelParts {
  readonly newSessionId?: (() => string) | undefined;
}

/** Members of a session beyond the types of socket.io. */
type OwnSession = EngineSession & {
  /** The request that began the session. */
  request: IncomingMessage | null;
};

/**
 * The socket.io channel (docs/spec/live.md#socketio). Events of a topic have its name in the client's spelling.
 */
export class SocketIoChannel {
  readonly #parts: SocketIoParts;
  readonly #io: Server;
  /** Its rooms have the clients' spellings of topics as names. Rooms of socket.io would write to all members in one turn. */
  readonly #hub: SubjectHub<Socket>;
  /** Clients, by the request that begins their session, then by their connection. */
  readonly #admitted = new WeakMap<object, Admitted>();

  constructor(server: HttpServer, parts: SocketIoParts) {
    this.#parts = parts;
    this.#hub = new SubjectHub(parts.feed, (room, payload) => this.#emit(room, payload));
    const { limits, turns, unread, onDrop, newSessionId } = parts;
    const { pingInterval, maxFrame, maxJoin } = limits;
    this.#io = new Server(server, {
      path: SOCKET_IO_PATH,
      serveClient: false,
      cors: { origin: '*' },
      pingInterval,
      pingTimeout: pingInterval,
      maxHttpBufferSize: maxFrame,
      connectTimeout: maxJoin,
      wsEngine: BoundedWebSocketServer,
      destroyUpgrade: false,
      allowRequest: (request, decide) => this.#allow(request, decide),
    });
    const { engine } = this.#io;
    if (newSessionId) engine.generateId = newSessionId;
    engine.on('connection', (session: OwnSession) => {
      const admitted = session.request && this.#admitted.get(session.request);
      if (!admitted) return session.close(true);
      this.#admitted.set(session, admitted);
      const inTurn = (work: () => void) => turns.begin('socket.io', admitted.address, work);
      boundSession(session, { admitted, unread, onDrop, inTurn });
    });
    engine.on('connection_error', ({ req }: { readonly req: IncomingMessage }) => this.#admitted.get(req)?.release());
    this.#io.use((socket, next) => {
      const topics = topicsOf(socket);
      if (topics.length > limits.maxSubscriptions) return next(new Error(tooMany(limits)));
      const bad = topics.filter(topic => parseSubject(topic) === undefined);
      next(bad.length > 0 ? new Error(invalid(bad)) : undefined);
    });
    this.#io.on('connection', socket => this.#open(socket));
  }

  get count(): number {
    return this.#io.engine.clientsCount;
  }

  /**
   * Disconnects all clients; the HTTP server stays. Sends sockets a packet, then discards their sessions: a session closed only with its
   * socket would wait for its next poll, for 30 s at most.
   */
  close(): void {
    this.#io.disconnectSockets();
    this.#io.engine.close();
  }

  /** Makes a packet once for all members: those that join meanwhile get later ones. */
  async #emit({ name, subject, members }: SubjectRoom<Socket>, payload: string): Promise<void> {
    const { text, options } = eventPacket([name, ...identifiersOf(subject)], payload);
    for (const member of [...members]) {
      const turn = this.#parts.feed.pause();
      if (turn) await turn;
      if (members.has(member)) member.conn.write(text, options);
    }
  }

  /** A request without a session begins one. */
  #allow(request: IncomingMessage, decide: (error: null, success: true) => void): void {
    try {
      const admitted = this.#parts.admission.admit(request);
      this.#admitted.set(request, admitted);
      // A WebSocket ends with its connection; sessions that poll use many connections.
      if (request.headers.upgrade !== undefined) request.socket.once('close', admitted.release);
      decide(null, true);
    } catch (error) {
      // Does not call `decide`: engine.io's own responses are a 403, or a 400 to an upgrade, without Retry-After.
      refuseSession(request, error);
    }
  }

  #open(socket: Socket): void {
    const admitted = this.#admitted.get(socket.conn);
    if (!admitted) return void socket.disconnect(true);
    const client: Client = { socket, admitted, topics: new Set() };
    // In the order of sending: a subscription that waits for its turn comes before later ones.
    const begin = (work: () => void) => this.#parts.turns.begin('socket.io', admitted.address, work);
    socket.on('subscribe', (topics: unknown, acknowledge: unknown) => {
      const reply = typeof acknowledge === 'function' ? (acknowledge as (error: string | null) => void) : () => {};
      begin(() => this.#subscribe(client, topics).then(reply, () => reply('the index cannot be read now')));
    });
    socket.on('unsubscribe', (...topics: readonly unknown[]) => {
      begin(() => {
        for (const topic of textsOf(topics.flat())) this.#leave(client, topic);
      });
    });
    socket.on('disconnect', () => {
      for (const topic of client.topics) this.#leave(client, topic);
    });
    const topics = topicsOf(socket);
    forgetRequest(socket);
    if (topics.length > 0) begin(() => this.#subscribe(client, topics).catch(() => socket.disconnect(true)));
  }

  /** Joins the valid topics. @returns an error text about the others, or null */
  async #subscribe({ socket, admitted, topics: own }: Client, wanted: unknown): Promise<string | null> {
    const bad: string[] = [];
    const joined: Promise<void>[] = [];
    const { maxSubscriptions } = this.#parts.limits;
    const most = Array.isArray(wanted) ? wanted.slice(0, maxSubscriptions) : [wanted];
    let refusal = Array.isArray(wanted) && wanted.length > most.length ? tooMany(this.#parts.limits) : undefined;
    for (const topic of socket.connected ? textsOf(most) : []) {
      const subject = parseSubject(topic);
      if (!subject) bad.push(topic);
      else {
        if (!own.has(topic)) {
          if (own.size >= maxSubscriptions) refusal = tooMany(this.#parts.limits);
          else if (!admitted.subscribe(1)) refusal = TOO_MANY_OF_ADDRESS;
          if (refusal !== undefined) break;
          own.add(topic);
        }
        joined.push(this.#hub.join(topic, subject, socket));
      }
    }
    if (most.length === 0) bad.push('');
    await Promise.all(joined);
    return refusal ?? (bad.length > 0 ? invalid(bad) : null);
  }

  #leave({ socket, admitted, topics: own }: Client, topic: string): void {
    if (!own.delete(topic)) return;
    admitted.subscribe(-1);
    this.#hub.leave(topic, socket);
  }
}

/** A client that has joined. */
interface Client {
  readonly socket: Socket;
  readonly admitted: Admitted;
  /** Its subscriptions, in its own spelling. */
  readonly topics: Set<string>;
}

/** Releases the request that began a socket's session (https://socket.io/docs/v4/memory-usage/). */
function forgetRequest(socket: Socket): void {
  (socket.conn as unknown as OwnSession).request = null;
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

/** The error that names invalid topics, as many as fit in 200 characters. */
const invalid = (topics: readonly string[]): string => `Invalid topic: ${topics.join(', ').slice(0, 200)}`;

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

/** The arguments of a listener before the payload: the identifiers of the subject. */
function identifiersOf({ kind, about }: Subject): readonly (string | undefined)[] {
  switch (kind) {
    case 'address-transaction':
    case 'address-stx-balance':
      return [about.address];
    case 'nft-asset-event':
      return [about.asset_identifier, about.value];
    case 'nft-collection-event':
      return [about.asset_identifier];
    case 'block':
    case 'microblock':
    case 'mempool':
    case 'transaction':
    case 'nft-event':
      return [];
    default:
      return kind satisfies never;
  }
}
