import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Admission } from './admission.ts';
import type { ChainFeed } from './feed.ts';
import { SubjectHub, type SubjectRoom } from './hub.ts';
import { notification, respondToFrame } from './json-rpc.ts';
import type { LiveLimits } from './limits.ts';
import type { Subject } from './subjects.ts';

export const RPC_PATH = '/extended/v1/ws';

interface WebSocketParts {
  readonly feed: ChainFeed;
  readonly admission: Admission;
  readonly limits: LiveLimits;
  readonly onDrop: () => void;
}

interface Client {
  /** Names of its rooms. */
  readonly rooms: Set<string>;
  readonly release: () => void;
  isAlive: boolean;
}

/** Frames of a client without their response. */
const MOST_WAITING = 50;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/**
 * The JSON-RPC WebSocket. A client that does not answer a ping, or does not read, is disconnected, so that it notices
 * the failure and connects again.
 */
export class RpcChannel {
  readonly #parts: WebSocketParts;
  readonly #server: WebSocketServer;
  readonly #clients = new Map<WebSocket, Client>();
  readonly #hub: SubjectHub<WebSocket>;
  readonly #timer: NodeJS.Timeout;

  constructor(parts: WebSocketParts) {
    this.#parts = parts;
    this.#hub = new SubjectHub(parts.feed, (room, payload) => this.#notify(room, payload));
    this.#server = new WebSocketServer({ noServer: true, maxPayload: parts.limits.maxFrame, perMessageDeflate: false });
    this.#timer = setInterval(() => void this.#beat(), parts.limits.pingInterval).unref();
  }

  /** Takes over a connection. @throws ApiError when it is one too many */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const release = this.#parts.admission.admit(request);
    socket.once('close', release);
    this.#server.handleUpgrade(request, socket, head, client => this.#open(client, release));
  }

  get count(): number {
    return this.#clients.size;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const client of this.#clients.keys()) client.close(GOING_AWAY, 'the server stops');
    for (const client of this.#clients.keys()) setTimeout(() => client.terminate(), 500).unref();
  }

  #open(socket: WebSocket, release: () => void): void {
    const client: Client = { rooms: new Set(), release, isAlive: true };
    this.#clients.set(socket, client);
    socket.on('pong', () => {
      client.isAlive = true;
    });
    socket.on('error', () => undefined); // it closes
    socket.on('close', () => this.#leave(socket, client));
    // Frames are answered in their order; while many wait, no more are read.
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
    const response = await respondToFrame(text, (method, subject) => this.#subscribe(method, subject, socket, client));
    if (response !== undefined) this.#send(socket, response);
  }

  async #subscribe(
    method: 'subscribe' | 'unsubscribe',
    subject: Subject,
    socket: WebSocket,
    client: Client,
  ): Promise<string | undefined> {
    const name = JSON.stringify([subject.kind, subject.about]);
    if (method === 'unsubscribe') {
      if (client.rooms.delete(name)) this.#hub.leave(name, socket);
      return undefined;
    }
    const { maxSubscriptions } = this.#parts.limits;
    if (client.rooms.size >= maxSubscriptions && !client.rooms.has(name))
      return `at most ${maxSubscriptions} subscriptions`;
    if (!this.#clients.has(socket)) return undefined;
    client.rooms.add(name);
    await this.#hub.join(name, subject, socket);
    return undefined;
  }

  /** Makes a text once for all members: those that join meanwhile get later ones. */
  async #notify({ subject, members }: SubjectRoom<WebSocket>, payload: string): Promise<void> {
    const text = notification(subject, payload);
    for (const member of [...members]) {
      await this.#parts.feed.pause();
      if (members.has(member)) this.#send(member, text);
    }
  }

  #leave(socket: WebSocket, client: Client): void {
    this.#clients.delete(socket);
    client.release();
    for (const name of client.rooms) this.#hub.leave(name, socket);
    client.rooms.clear();
  }

  #send(socket: WebSocket, text: string): void {
    if (socket.bufferedAmount <= this.#parts.limits.hardQueue) socket.send(text, () => undefined);
    else if (socket.readyState === socket.OPEN) {
      this.#parts.onDrop();
      socket.close(TRY_AGAIN_LATER, 'overflow');
      setTimeout(() => socket.terminate(), 1000).unref();
    }
  }

  /** One ping a client, whatever it listens to. */
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
