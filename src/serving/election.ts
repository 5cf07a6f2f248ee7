import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RetryableDatabaseError } from '../store/errors.ts';
import { type Held, tryHold } from '../store/postgres-lock.ts';

/** What the active writer does, and a standby does not. */
export interface Office {
  stop(): Promise<void>;
}

export interface ElectionOptions {
  /** The server that is written. */
  readonly url: string;
  /** What the candidates of one index have in common. */
  readonly name: string;
  readonly logger: Logger;
  /** This process is the active one now. */
  readonly takeOffice: () => Promise<Office>;
  /** Taking office failed for good. */
  readonly onFailure: (error: unknown) => void;
}

export interface Candidacy {
  /** Whether this process is the active writer. */
  isElected(): boolean;
  /** Leaves office and stands no more. */
  withdraw(): Promise<void>;
}

/** How often a standby asks for the lock. */
const RETRY_MS = 500;

/**
 * One of several processes is the active writer: the one that holds an advisory lock. The others ask for it again and again, so
 * that when its connection ends, as it is stopped, killed or cut off, the next one takes over.
 *
 * The lock saves work and nothing depends on it: two indexers at once would be right as well, since each transaction locks the
 * state of the index and goes on from the position it finds there (indexer.ts).
 */
export function stand({ url, name, logger, takeOffice, onFailure }: ElectionOptions): Candidacy {
  const withdrawn = new AbortController();
  const left = new Promise<void>(resolve => withdrawn.signal.addEventListener('abort', () => resolve()));
  let isElected = false;
  let isTold = false;

  async function hold(held: Held): Promise<void> {
    const office = await takeOffice();
    isElected = true;
    isTold = false;
    logger.info('active: this process writes the index');
    try {
      await Promise.race([held.lost, left]);
    } finally {
      isElected = false;
      logger.info('no longer active');
      await office.stop();
    }
  }

  async function once(): Promise<void> {
    const held = await tryHold(url, name);
    if (!held && !isTold) logger.info('standing by: another process writes the index');
    isTold ||= held === undefined;
    if (!held) return;
    try {
      await hold(held);
    } finally {
      await held.release();
    }
  }

  async function run(): Promise<void> {
    let failure: string | undefined;
    while (!withdrawn.signal.aborted) {
      try {
        await once();
        failure = undefined;
      } catch (error) {
        if (!(error instanceof RetryableDatabaseError)) return onFailure(error);
        if (error.message !== failure)
          logger.warn({ err: error, hint: error.hint }, 'database not available; trying again');
        failure = error.message;
      }
      await delay(RETRY_MS, undefined, { signal: withdrawn.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    isElected: () => isElected,
    withdraw: async () => {
      withdrawn.abort();
      await running;
    },
  };
}
