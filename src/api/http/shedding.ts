import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { overloaded } from './errors.ts';

/**
 * Limits on requests in progress. Requests beyond them get a 503 at once, so that accepted requests are not slowed
 * down.
 */
export interface SheddingLimits {
  /** Requests without a response yet: they wait for their turn or for the database, and hold memory. */
  readonly maxConcurrentRequests: number;
  /** Requests of one connection that may wait for earlier responses. One more ends the connection with a 503. */
  readonly maxPipelinedRequests: number;
  /** Milliseconds a request may wait for its turn; then it gets a 503. */
  readonly maxTurn: number;
}

/** Seconds; spread, so that the refused clients do not all come back at once. */
const RETRY_AFTER: readonly number[] = [1, 2, 3];

/**
 * Milliseconds of one turn of the event loop. Handlers run in the turn in which they begin (a query on SQLite is
 * synchronous). When a turn has lasted this long, further requests begin in later turns, one in each, so that other
 * work runs between them.
 */
const TURN = 10;

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
  /** Runs before anything else of a request; throws the 503. */
  readonly onRequest: onRequestHookHandler;
  /** To be called when a response is made, or is waited for from elsewhere: the request counts no longer. */
  made(request: FastifyRequest): void;
  /** Requests turned away so far. */
  count(): number;
}

interface Arrival {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly begin: (error?: Error) => void;
  readonly at: number;
  readonly place: Slot;
}

/** Of a request among those in progress. */
interface Slot {
  /** False once its response is made or its client has disconnected. */
  isTaken: boolean;
}

/** The requests of one connection. Its responses go out in order, so only one of them is worked on at a time. */
interface Connection {
  isBusy: boolean;
  /** Requests that it sent at once beyond those that may wait. The first gets a 503, the others get no response. */
  excess: number;
  readonly waiting: Arrival[];
}

/** Schedules requests in turns, and refuses those beyond the limits. `now` gives milliseconds. */
export function createShedding(limits: SheddingLimits, now: () => number = () => performance.now()): Shedding {
  /** Requests that begin in later turns, in order of arrival. */
  const queue: Arrival[] = [];
  let inProgress = 0;
  let turnedAway = 0;
  let turnBegan: number | undefined;
  let isPumping = false;

  const refusal = () => {
    turnedAway++;
    return overloaded(RETRY_AFTER[turnedAway % RETRY_AFTER.length]);
  };

  /** The time since the first request of this turn of the event loop. */
  const turnSoFar = (): number => {
    if (turnBegan === undefined) {
      turnBegan = now();
      setImmediate(() => {
        turnBegan = undefined;
      });
    }
    return now() - turnBegan;
  };

  function connectionOf(socket: Socket): Connection {
    socket[CONNECTION] ??= { isBusy: false, excess: 0, waiting: [] };
    return socket[CONNECTION];
  }

  /** Begins a request whose connection is free, in this turn or in a later one. */
  function admit(connection: Connection, arrival: Arrival, mayBeginNow: boolean): void {
    connection.isBusy = true;
    const { place } = arrival; // keeps only the place: a response may take hours
    arrival.reply.raw.once('close', () => {
      leave(place);
      connection.isBusy = false;
      const next = connection.waiting.shift();
      if (next) admit(connection, next, false);
    });
    if (mayBeginNow && queue.length === 0 && turnSoFar() < TURN) {
      begin(arrival);
    } else {
      queue.push(arrival);
      pump();
    }
  }

  /** One request a turn of the event loop. */
  function pump(): void {
    if (isPumping) return;
    isPumping = true;
    setImmediate(() => {
      isPumping = false;
      const next = queue.shift();
      if (next) begin(next);
      if (queue.length > 0) pump();
    });
  }

  function begin(arrival: Arrival): void {
    const { socket } = arrival.request.raw;
    if (socket.destroyed) drop([arrival, ...connectionOf(socket).waiting.splice(0)]);
    else arrival.begin(now() - arrival.at > limits.maxTurn ? refusal() : undefined);
  }

  /** Drops the requests of a client that has disconnected. */
  function drop(dropped: readonly Arrival[]): void {
    for (const arrival of dropped) {
      arrival.reply.hijack();
      leave(arrival.place);
    }
  }

  function leave(place: Slot | undefined): void {
    if (!place?.isTaken) return;
    place.isTaken = false;
    inProgress--;
  }

  /** Ends a connection that sent more requests than may wait, without reading further ones. */
  function refuse(connection: Connection, reply: FastifyReply, done: (error: Error) => void): void {
    connection.excess = 1;
    reply.header('connection', 'close');
    done(refusal());
  }

  return {
    onRequest(request, reply, done) {
      if (request.routeOptions.config.neverShed) return done();
      const connection = connectionOf(request.raw.socket);
      if (connection.excess > 0) {
        reply.hijack();
        // Each takes memory until the connection ends.
        if (++connection.excess > limits.maxPipelinedRequests) request.raw.socket.destroy();
        return;
      }
      if (connection.waiting.length >= limits.maxPipelinedRequests) return refuse(connection, reply, done);
      if (inProgress >= limits.maxConcurrentRequests) return done(refusal());
      const arrival: Arrival = { request, reply, begin: done, at: now(), place: { isTaken: true } };
      inProgress++;
      request[ARRIVAL] = arrival;
      if (connection.isBusy) connection.waiting.push(arrival);
      else admit(connection, arrival, true);
    },
    made: request => leave(request[ARRIVAL]?.place),
    count: () => turnedAway,
  };
}
