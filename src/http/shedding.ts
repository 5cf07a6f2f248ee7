import type { onRequestHookHandler } from 'fastify';
import { overloaded } from './errors.ts';

/** How much is in progress at most. Requests beyond it get a 503 at once, so that the others are not slowed down. */
export interface SheddingLimits {
  /** Requests without a response yet: they wait for the database, and hold memory. */
  readonly maxConcurrentRequests: number;
  /**
   * Milliseconds. Requests that arrive together are handled one after the other in one turn of the event loop (a query on
   * SQLite does not wait); when the turn has lasted this long, the rest of them would wait too long.
   */
  readonly maxTurn: number;
}

/** Seconds; spread, so that refused clients do not come back all at once. */
const RETRY_AFTER: readonly number[] = [1, 2, 3];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Never refused, whatever the load: probes. */
    neverShed?: boolean;
  }
}

export interface Shedding {
  /** Runs before anything else of a request; throws the 503. */
  readonly onRequest: onRequestHookHandler;
  /** Requests refused so far. */
  count(): number;
}

/** Counts requests in progress and refuses those beyond the limits. `now` gives milliseconds. */
export function createShedding(limits: SheddingLimits, now: () => number = () => performance.now()): Shedding {
  let inProgress = 0;
  let turnedAway = 0;
  let turnBegan: number | undefined;

  const finish = (): void => {
    inProgress--;
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

  return {
    onRequest(request, reply, done) {
      const tooMuch = turnSoFar() > limits.maxTurn || inProgress >= limits.maxConcurrentRequests;
      if (tooMuch && !request.routeOptions.config.neverShed) {
        turnedAway++;
        return done(overloaded(RETRY_AFTER[turnedAway % RETRY_AFTER.length]));
      }
      inProgress++;
      // Comes once: after the response, or when the client hangs up and gets none.
      reply.raw.on('close', finish);
      done();
    },
    count: () => turnedAway,
  };
}
