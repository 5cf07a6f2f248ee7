import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bounds the requests that one turn of the event loop takes from connections. A read of one connection may have 2,000 short requests, which
 * Node hands over one after the other, and a turn reads all connections that have sent something:
 *
 *     read of A    200 requests, the 201st ends A: nothing is made for the other 1,800
 *     read of B    200 requests: the turn has its 400, so C, D, ... are not read
 *     next turn    C, D, ... are read
 */

/** Requests after which a turn reads no other connection: parsing them, and beginning their work, takes some 20 ms. */
const MOST_IN_TURN = 400;

/** Node's HTTP parser of a connection, which can stop in the middle of received bytes. Node does not document it; upgrades use it. */
interface Parser {
  onIncoming?: (() => number) | null;
}

/** Return value that makes a parser stop: what follows is not HTTP. */
const NOT_HTTP = 2;

/** Requests of one connection that came in its last turn. */
interface Burst {
  turn: number;
  requests: number;
}

/**
 * Installs a listener of requests in front of all that the server has.
 * @param most requests of one connection in one turn; one more ends it
 * @param mostInTurn requests in one turn after which it reads no other connection
 */
export function limitPipelining(server: Server, most: number, mostInTurn = MOST_IN_TURN): void {
  const listeners = server.listeners('request') as RequestListener[];
  const bursts = new WeakMap<Socket, Burst>();
  const connections = new Set<Socket>();
  let turn = 0;
  let requests = 0;

  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });

  /** Counts a request. @returns whether its connection has sent too many in this turn */
  function isTooMany(socket: Socket): boolean {
    if (requests === 0)
      setImmediate(() => {
        requests = 0;
        turn++;
      });
    if (++requests === mostInTurn) pauseAll();
    const burst = bursts.get(socket);
    if (burst === undefined) bursts.set(socket, { turn, requests: 1 });
    else if (burst.turn === turn) return ++burst.requests > most;
    else begin(burst, turn);
    return false;
  }

  function pauseAll(): void {
    // An upgraded connection has no parser any more. Listening for upgrades instead would make a server without upgrades accept them.
    const paused = [...connections].filter(socket => parserOf(socket) && !socket.isPaused());
    for (const socket of paused) socket.pause();
    setImmediate(() => {
      for (const socket of paused) socket.resume();
    });
  }

  server.removeAllListeners('request').on('request', (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    if (isTooMany(socket)) return end(socket);
    for (const listener of listeners) listener(request, response);
  });
  // Requests beyond maxRequestsPerSocket, which Node responds to.
  server.on('dropRequest', (_request, socket) => {
    if (isTooMany(socket as Socket)) end(socket as Socket);
  });
}

/** Resets the count of a connection for a new turn; the object is reused. */
function begin(burst: Burst, turn: number): void {
  burst.turn = turn;
  burst.requests = 1;
}

const parserOf = (socket: Socket): Parser | null | undefined =>
  (socket as Socket & { readonly parser?: Parser | null }).parser;

/** Ends a connection, and the parsing of what it has sent. */
function end(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser?.onIncoming) parser.onIncoming = () => NOT_HTTP;
  socket.destroy();
}
