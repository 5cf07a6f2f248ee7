import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { LoopTurns } from '../../base/lib/loop-turns.ts';
import type { Unread, UnreadWatch } from '../http/unread.ts';
import type { Admission, Admitted } from './admission.ts';
import { BoundedWebSocketServer, CLOSE, endWebSocket } from './bounded-web-socket.ts';
import type { ChainFeed } from './feed.ts';
import { SubjectHub, type SubjectRoom } from './hub.ts';
import { notification, respondToFrame } from './json-rpc.ts';
import type { LiveLimits } from './limits.ts';
import type { Subject } from './subjects.ts';

export const RPC_PATH = '/extended/v1/ws';

/** Parts that the older channels share. */
export interface ChannelParts {
  readonly feed: ChainFeed;
  readonly admission: Admission;
  readonly unread: UnreadWatch;
  readonly turns: LoopTurns;
  readonly limits: LiveLimits;
  /** Called when the server disconnects a client because it reads too slowly. */
  readonly onDrop: () => void;
}

interface Client {
  /** Names of its rooms. */
  readonly rooms: Set<string>;
  readonly admitted: Admitted;
  readonly unread: Unread;
  /** Total characters written to it. */
  written: number;
  isAlive: boolean;
}

/** Most frames of a client that wait for a response. */
const MOST_WAITING = 50;
/** The error of a subscription beyond the limit of an address, or of all clients together. */
export const TOO_MANY_OF_ADDRESS = 'too many subscriptions of your address';

/**
 * The JSON-RPC WebSocket. It disconnects a client that does not answer a ping, or does not read, so that the client notices
 * the failure and reconnects.
 */
export class RpcChannel {
  readonly #parts: ChannelParts;
  readonly #server: BoundedWebSocketServer;
  readonly #clients = new Map<WebSocket, Client>();
  readonly #hub: SubjectHub<WebSocket>;
  readonly #timer: NodeJS.Timeout;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    this.#hub = new SubjectHub(parts.feed, (room, payload) => this.#notify(room, payload));
    const { maxFrame } = parts.limits;
    this.#server = new BoundedWebSocketServer({ noServer: true, maxPayload: maxFrame, perMessageDeflate: false });
    this.#timer = setInterval(() => void this.#beat(), parts.limits.pingInterval).unref();
  }

  /** Takes over a connection. @throws ApiError when there are too many */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const admitted = this.#parts.admission.admit(request);
    socket.once('close', admitted.release);
    this.#server.handleUpgrade(request, socket, head, client => this.#open(client, admitted));
  }

  get count(): number {
    return this.#clients.size;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const client of this.#clients.keys()) client.close(CLOSE.goingAway, 'the server stops');
    for (const client of this.#clients.keys()) setTimeout(() => client.terminate(), 500).unref();
  }

  #open(socket: WebSocket, admitted: Admitted): void {
    const unread = this.#parts.unread.watch({
      address: admitted.address,
      unread: () => socket.bufferedAmount,
      taken: () => client.written - socket.bufferedAmount,
      drop: () => this.#drop(socket),
    });
    const client: Client = { rooms: new Set(), admitted, unread, written: 0, isAlive: true };
    this.#clients.set(socket, client);
    admitted.endBy(() => endWebSocket(socket, CLOSE.tryAgainLater, 'full'));
    socket.on('pong', () => {
      client.isAlive = true;
    });
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => this.#leave(socket, client));
    // Responds to frames in their order; stops reading while many wait.
    let last = Promise.resolve();
    let waiting = 0;
    const respond = async (text: string) => {
      await this.#respond(socket, client, text);
      if (waiting-- === MOST_WAITING) socket.resume();
    };
    socket.on('message', data => {
      if (++waiting === MOST_WAITING) socket.pause();
      last = last.then(() => respond(String(data))).catch(() => socket.terminate());
    });
  }

  async #respond(socket: WebSocket, client: Client, text: string): Promise<void> {
    const { turns } = this.#parts;
    const response = await respondToFrame(text, {
      turn: () => new Promise(resolve => turns.begin('json-rpc', client.admitted.address, () => resolve())),
      subscribe: (method, subject) => this.#subscribe(method, subject, socket, client),
    });
    if (response !== undefined) this.#send(socket, client, response);
  }

  async #subscribe(
    method: 'subscribe' | 'unsubscribe',
    subject: Subject,
    socket: WebSocket,
    client: Client,
  ): Promise<string | undefined> {
    const name = JSON.stringify([subject.kind, subject.about]);
    if (method === 'unsubscribe') {
      if (!client.rooms.delete(name)) return undefined;
      client.admitted.subscribe(-1);
      this.#hub.leave(name, socket);
      return undefined;
    }
    const { maxSubscriptions } = this.#parts.limits;
    if (!this.#clients.has(socket)) return undefined;
    if (!client.rooms.has(name)) {
      if (client.rooms.size >= maxSubscriptions) return `at most ${maxSubscriptions} subscriptions`;
      if (!client.admitted.subscribe(1)) return TOO_MANY_OF_ADDRESS;
      client.rooms.add(name);
    }
    await this.#hub.join(name, subject, socket);
    return undefined;
  }

  /** Makes a text once for all members: those that join meanwhile get later ones. */
  async #notify({ subject, members }: SubjectRoom<WebSocket>, payload: string): Promise<void> {
    const text = notification(subject, payload);
    for (const member of [...members]) {
      await this.#parts.feed.pause();
      const client = members.has(member) ? this.#clients.get(member) : undefined;
      if (client) this.#send(member, client, text);
    }
  }

  #leave(socket: WebSocket, client: Client): void {
    this.#clients.delete(socket);
    client.unread.release();
    client.admitted.release();
    for (const name of client.rooms) this.#hub.leave(name, socket);
    client.rooms.clear();
  }

  #send(socket: WebSocket, client: Client, text: string): void {
    if (client.unread.fits()) {
      client.written += text.length;
      socket.send(text, () => undefined);
    } else this.#drop(socket);
  }

  #drop(socket: WebSocket): void {
    if (socket.readyState !== socket.OPEN) return;
    this.#parts.onDrop();
    endWebSocket(socket, CLOSE.tryAgainLater, 'overflow');
  }

  /** Sends each client one ping, whatever its subscriptions. */
  async #beat(): Promise<void> {
    for (const [socket, client] of [...this.#clients]) {
      await this.#parts.feed.pause();
      if (!this.#clients.has(socket)) continue;
      if (!client.isAlive) {
        this.#parts.onDrop();
        socket.terminate();
      } else {
        client.isAlive = false;
        socket.ping();
      }
    }
  }
}
