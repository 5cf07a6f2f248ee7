/**
 * Schedules the requests of all connections, and refuses those beyond the limits.
 *
 * Example: a query takes 4 ms and blocks the event loop. Connection A sends requests 1 and 2 without waiting (pipelining), B, C and D
 * send 3, 4 and 5 at the same moment:
 *
 *     tick    starts   because
 *     first   1        nothing has run in this tick
 *             3, 4     4 and 8 ms of the tick are used, less than TICK_BUDGET
 *     second  5        12 ms were used: 5 was queued; timers and sockets ran before it
 *     third   2        responses of A go out in order: 2 was queued when the response to 1 was sent
 *
 * Each of them occupies a slot of `maxConcurrentRequests` from its arrival until it is released. A request that waited in the queue
 * for more than `maxWait` gets a 503 in place of its handler.
 */
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { overloaded } from './errors.ts';

/**
 * Limits on requests in progress. Requests beyond them get a 503 at once, so that accepted requests are not slowed
 * down.
 */
export interface SheddingLimits {
  /** Requests without a response yet: they wait in the queue or for the database, and hold memory. */
  readonly maxConcurrentRequests: number;
  /** Requests of one connection that may wait for earlier responses. One more ends the connection with a 503. */
  readonly maxPipelinedRequests: number;
  /** Milliseconds a request may wait in the queue; then it gets a 503. */
  readonly maxWait: number;
}

/** Seconds; spread, so that the refused clients do not all come back at once. */
const RETRY_AFTER: readonly number[] = [1, 2, 3];

/**
 * Milliseconds of one tick of the event loop. Handlers run in the tick in which they start (a query on SQLite is
 * synchronous). When a tick has lasted this long, further requests start in later ticks, one in each, so that other
 * work runs between them.
 */
const TICK_BUDGET = 10;

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
  /** Frees the slot of a request: its response is complete, or comes from another server. Further calls do nothing. */
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
  readonly slot: Slot;
}

/** One of `maxConcurrentRequests`. */
interface Slot {
  isOccupied: boolean;
}

/** The requests of one connection. Its responses go out in order, so only one of them is processed at a time. */
interface Connection {
  isBusy: boolean;
  /** Requests that it sent at once beyond those that may wait. The first gets a 503, the others get no response. */
  excess: number;
  readonly waiting: Arrival[];
}

/** @param now milliseconds of a monotonic clock */
export function createShedding(limits: SheddingLimits, now: () => number = () => performance.now()): Shedding {
  /** Requests that start in later ticks, in order of arrival. */
  const queue: Arrival[] = [];
  let inProgress = 0;
  let refused = 0;
  let tickBegan: number | undefined;
  let isScheduled = false;

  const refusal = () => {
    refused++;
    return overloaded(RETRY_AFTER[refused % RETRY_AFTER.length]);
  };

  /** Milliseconds since the first request of this tick. */
  const timeInTick = (): number => {
    if (tickBegan === undefined) {
      tickBegan = now();
      setImmediate(() => {
        tickBegan = undefined;
      });
    }
    return now() - tickBegan;
  };

  function connectionOf(socket: Socket): Connection {
    socket[CONNECTION] ??= { isBusy: false, excess: 0, waiting: [] };
    return socket[CONNECTION];
  }

  /** Starts a request whose connection is free, in this tick or in a later one. */
  function startOrQueue(connection: Connection, arrival: Arrival, mayStartNow: boolean): void {
    connection.isBusy = true;
    const { slot } = arrival; // keeps only the slot: a response may take hours
    arrival.reply.raw.once('close', () => {
      vacate(slot);
      connection.isBusy = false;
      const next = connection.waiting.shift();
      if (next) startOrQueue(connection, next, false);
    });
    if (mayStartNow && queue.length === 0 && timeInTick() < TICK_BUDGET) {
      start(arrival);
    } else {
      queue.push(arrival);
      scheduleNext();
    }
  }

  /** Starts one request of the queue in each tick. */
  function scheduleNext(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const next = queue.shift();
      if (next) start(next);
      if (queue.length > 0) scheduleNext();
    });
  }

  function start(arrival: Arrival): void {
    const { socket } = arrival.request.raw;
    if (socket.destroyed) drop([arrival, ...connectionOf(socket).waiting.splice(0)]);
    else arrival.start(now() - arrival.at > limits.maxWait ? refusal() : undefined);
  }

  /** Drops the requests of a client that has disconnected. */
  function drop(dropped: readonly Arrival[]): void {
    for (const arrival of dropped) {
      arrival.reply.hijack();
      vacate(arrival.slot);
    }
  }

  function vacate(slot: Slot | undefined): void {
    if (!slot?.isOccupied) return;
    slot.isOccupied = false;
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
      const arrival: Arrival = { request, reply, start: done, at: now(), slot: { isOccupied: true } };
      inProgress++;
      request[ARRIVAL] = arrival;
      if (connection.isBusy) connection.waiting.push(arrival);
      else startOrQueue(connection, arrival, true);
    },
    release: request => vacate(request[ARRIVAL]?.slot),
    count: () => refused,
  };
}
