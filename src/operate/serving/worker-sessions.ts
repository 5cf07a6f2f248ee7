import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { SOCKET_IO_PATH } from '../../api/live/socket-io.ts';
import { endToEnd } from '../../base/lib/end-to-end-headers.ts';
import { http } from '../../base/lib/node-http.ts';

/** The number of this worker, and the directory of the workers' sockets. */
export interface WorkerIdentity {
  readonly id: number;
  /** A directory that only this user may read: each worker has a socket in it. */
  readonly directory: string;
}

/**
 * A polling client of socket.io may open a connection for every request, so any worker may get its requests. The id of its session begins
 * with the number of the worker that has it; other workers forward requests and upgrades of the session to that one, over a local socket.
 */
export class WorkerSessions {
  readonly #place: WorkerIdentity;
  readonly #inner = http.createServer();

  constructor(place: WorkerIdentity) {
    this.#place = place;
  }

  /** The id of a new session of this worker. */
  newId(): string {
    return `${this.#place.id}-${randomBytes(15).toString('base64url')}`;
  }

  /** Installs listeners before those of the server, and accepts requests that other workers forward. */
  async join(server: Server): Promise<void> {
    this.#inner.on('request', (...args) => void server.emit('request', ...args));
    this.#inner.on('upgrade', (...args) => void server.emit('upgrade', ...args));
    this.#inner.listen({ path: this.#socketOf(this.#place.id), exclusive: true }); // not shared by the workers
    await once(this.#inner, 'listening');
    this.#divert(server, 'request', (owner, request, response: ServerResponse) => {
      passRequest(this.#socketOf(owner), request, response);
    });
    this.#divert(server, 'upgrade', (owner, request, socket: Duplex, head: Buffer) => {
      passUpgrade(this.#socketOf(owner), request, socket, head);
    });
  }

  close(): void {
    this.#inner.close();
    this.#inner.closeAllConnections();
  }

  #divert<Rest extends readonly unknown[]>(
    server: Server,
    event: 'request' | 'upgrade',
    pass: (owner: number, request: IncomingMessage, ...rest: Rest) => void,
  ): void {
    const listeners = server.listeners(event) as ((request: IncomingMessage, ...rest: Rest) => void)[];
    server.removeAllListeners(event);
    server.on(event, ((request: IncomingMessage, ...rest: Rest) => {
      const owner = ownerOf(request.url ?? '');
      if (owner !== undefined && owner !== this.#place.id) pass(owner, request, ...rest);
      else for (const listener of listeners) listener.call(server, request, ...rest);
    }) as () => void);
  }

  #socketOf(worker: number): string {
    return join(this.#place.directory, String(worker));
  }
}

/** The worker whose session a request names; undefined without a session. */
function ownerOf(url: string): number | undefined {
  if (!url.startsWith(SOCKET_IO_PATH)) return undefined;
  const sid = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('sid');
  const [, owner] = /^(\d{1,9})-/.exec(sid ?? '') ?? [];
  return owner === undefined ? undefined : Number(owner);
}

/** The response of engine.io, after which the client begins a new session. */
const UNKNOWN = '{"code":1,"message":"Session ID unknown"}';

function passRequest(socketPath: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request;
  const onward = http.request({ socketPath, method, path: url, headers: endToEnd(headers), agent: false });
  onward.on('response', ownerResponse => {
    response.writeHead(ownerResponse.statusCode ?? 502, endToEnd(ownerResponse.headers));
    ownerResponse.on('error', () => response.destroy()).pipe(response);
  });
  onward.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(400, { 'content-type': 'application/json' }).end(UNKNOWN);
  });
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

function passUpgrade(socketPath: string, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  const onward = connect(socketPath);
  onward.write(`${lines.join('\r\n')}\r\n\r\n`);
  onward.write(head);
  onward.pipe(socket).pipe(onward);
  const end = () => {
    onward.destroy();
    socket.destroy();
  };
  for (const each of [onward, socket]) each.on('error', end).on('close', end);
}
