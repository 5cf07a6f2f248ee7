/**
 * Schedules the requests of all connections, and refuses those beyond the limits.
 *
 * Example: a query takes 4 ms and blocks the event loop. Connection A sends requests 1 and 2 without waiting (pipelining); B, C and D
 * send 3, 4 and 5 at the same moment. All are of different clients:
 *
 *     turn    starts   because
 *     first   1        nothing has run in this turn
 *             3, 4     4 and 8 ms of the turn are used, less than its budget (loop-turns.ts)
 *     second  5        12 ms were used, so 5 was queued; timers and sockets ran before it
 *     third   2        responses of A go out in order: 2 was queued when the response to 1 was sent
 *
 * The ledger counts each of them as a request of its client from its arrival until it is released. A request that waited in the queue
 * for more than `maxWait` gets a 503 in place of its handler.
 */
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Holding } from '../../base/net/ledger.ts';
import { type Clients, refusedBy } from './clients.ts';
import { overloaded } from './errors.ts';

/**
 * Limits on requests in progress. Requests beyond them, and beyond those of the ledger, are refused at once, so that accepted requests
 * are not slowed down.
 */
export interface SheddingLimits {
  /** Requests of one connection that may wait for earlier responses. One more ends the connection with a 503. */
  readonly maxPipelinedRequests: number;
  /** Milliseconds a request may wait in the queue; then it gets a 503. */
  readonly maxWait: number;
}

/** Seconds; spread, so that the refused clients do not all come back at once. */
const RETRY_AFTER: readonly number[] = [1, 2, 3];

/** Key of a request's arrival. A WeakMap of requests costs the garbage collector more than the rest of this file. */
const ARRIVAL = Symbol('arrival');
const CONNECTION = Symbol('connection');

declare module 'node:net' {
  interface Socket {
    [CONNECTION]?: Connection;
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    [ARRIVAL]?: Arrival;
  }
  interface FastifyContextConfig {
    /** Accepted under any load, without waiting: probes. */
    neverShed?: boolean;
  }
}

export interface Shedding {
  /** Runs before all other hooks of a request; throws the 503 or 429. */
  readonly onRequest: onRequestHookHandler;
  /** The request is no longer in progress: its response is complete, or comes from another server. Further calls do nothing. */
  release(request: FastifyRequest): void;
  /** Requests refused so far. */
  count(): number;
}

interface Arrival {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Continues with the handler, or with an error in its place. */
  readonly start: (error?: Error) => void;
  readonly at: number;
  /** Holds the place of a request in progress, until its response is made or its client has disconnected. */
  readonly holding: Holding;
}

/** The requests of one connection. Its responses go out in order, so the server works on one of them at a time. */
interface Connection {
  isBusy: boolean;
  /** Number of requests beyond those that may wait. The first gets a 503, the others get no response. */
  excess: number;
  readonly waiting: Arrival[];
}

export function createShedding(limits: SheddingLimits, { ledger, turns }: Pick<Clients, 'ledger' | 'turns'>): Shedding {
  let refused = 0;

  const overload = () => {
    refused++;
    return overloaded(RETRY_AFTER[refused % RETRY_AFTER.length]);
  };

  function connectionOf(socket: Socket): Connection {
    socket[CONNECTION] ??= { isBusy: false, excess: 0, waiting: [] };
    return socket[CONNECTION];
  }

  /** Begins a request whose connection is free, in this turn or in a later one. */
  function schedule(connection: Connection, arrival: Arrival, mayBeginNow: boolean): void {
    connection.isBusy = true;
    const { holding, request } = arrival; // a response may take hours, and must not keep the arrival in memory
    // Node emits `close` once per response: `once` would only add the cost of a wrapper.
    arrival.reply.raw.on('close', () => {
      holding.release();
      connection.isBusy = false;
      const next = connection.waiting.shift();
      if (next) schedule(connection, next, false);
    });
    const now = mayBeginNow ? arrival.at : turns.now(); // it has just arrived
    turns.begin(request.route.url ?? '', request.client, at => begin(arrival, at), mayBeginNow, now);
  }

  function begin(arrival: Arrival, at: number): void {
    const { socket } = arrival.request.raw;
    if (socket.destroyed) drop([arrival, ...connectionOf(socket).waiting.splice(0)]);
    else arrival.start(at - arrival.at > limits.maxWait ? overload() : undefined);
  }

  /** Drops the requests of a client that has disconnected. */
  function drop(dropped: readonly Arrival[]): void {
    for (const { reply, holding } of dropped) {
      reply.hijack();
      holding.release();
    }
  }

  /** Ends a connection that sent more requests than may wait, without reading further ones. */
  function refuse(connection: Connection, reply: FastifyReply, done: (error: Error) => void): void {
    connection.excess = 1;
    reply.header('connection', 'close');
    done(overload());
  }

  return {
    onRequest(request, reply, done) {
      if (request.route.config.neverShed) return done();
      const connection = connectionOf(request.raw.socket);
      if (connection.excess > 0) {
        reply.hijack();
        // Each excess request takes memory until the connection ends.
        if (++connection.excess > limits.maxPipelinedRequests) request.raw.socket.destroy();
        return;
      }
      if (connection.waiting.length >= limits.maxPipelinedRequests) return refuse(connection, reply, done);
      const holding = ledger.hold('requests', request.client, 1);
      if (holding === 'total') return done(overload());
      if (holding === 'address') {
        refused++;
        return done(refusedBy(holding, 'requests'));
      }
      const arrival: Arrival = { request, reply, start: done, at: turns.now(), holding };
      request[ARRIVAL] = arrival;
      if (connection.isBusy) connection.waiting.push(arrival);
      else schedule(connection, arrival, true);
    },
    release: request => request[ARRIVAL]?.holding.release(),
    count: () => refused,
  };
}
