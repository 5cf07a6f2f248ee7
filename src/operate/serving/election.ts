import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RetryableDatabaseError } from '../../base/store/errors.ts';
import { type Held, tryHold } from '../../base/store/postgres-lock.ts';

/** The work of the leader, which a standby does not do. */
export interface Leadership {
  stop(): Promise<void>;
}

interface ElectionOptions {
  /** The PostgreSQL server that the index is written to. */
  readonly url: string;
  /** Name of the lock: the same for all writers of one index. */
  readonly name: string;
  readonly logger: Logger;
  /** Starts the work of the leader: this process has been elected. */
  readonly lead: () => Promise<Leadership>;
  /** `lead` failed with an error that a retry does not repair. */
  readonly onFailure: (error: unknown) => void;
}

export interface Election {
  /** Whether this process is the leader: the active writer. */
  isLeader(): boolean;
  /** Gives up leadership and does not try to regain it. */
  stepDown(): Promise<void>;
}

/** How often a standby tries to take the lock. */
const RETRY_MS = 500;

/**
 * Elects one of several writers as the leader: the one that holds an advisory lock. The others try to take it every RETRY_MS, so that
 * one of them takes over when the leader stops, is killed or loses its connection.
 *
 * The lock saves work, but correctness does not depend on it: two indexers at once would be right as well, since each transaction
 * locks the state of the index and continues from the position it finds there (indexer.ts).
 */
export function electLeader({ url, name, logger, lead, onFailure }: ElectionOptions): Election {
  const stopping = new AbortController();
  const stopped = new Promise<void>(resolve => stopping.signal.addEventListener('abort', () => resolve()));
  let isLeader = false;
  let isStandbyLogged = false;

  async function leadWhileHeld(held: Held): Promise<void> {
    const leadership = await lead();
    isLeader = true;
    isStandbyLogged = false;
    logger.info('this process is the leader: it writes the index');
    try {
      await Promise.race([held.lost, stopped]);
    } finally {
      isLeader = false;
      logger.info('this process is no longer the leader');
      await leadership.stop();
    }
  }

  async function tryToLead(): Promise<void> {
    const held = await tryHold(url, name);
    if (!held && !isStandbyLogged) logger.info('standing by: another process is the leader');
    isStandbyLogged ||= held === undefined;
    if (!held) return;
    try {
      await leadWhileHeld(held);
    } finally {
      await held.release();
    }
  }

  async function run(): Promise<void> {
    let failure: string | undefined;
    while (!stopping.signal.aborted) {
      try {
        await tryToLead();
        failure = undefined;
      } catch (error) {
        if (!(error instanceof RetryableDatabaseError)) return onFailure(error);
        if (error.message !== failure) logger.warn({ err: error }, 'database not available; trying again');
        failure = error.message;
      }
      await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    isLeader: () => isLeader,
    stepDown: async () => {
      stopping.abort();
      await running;
    },
  };
}
