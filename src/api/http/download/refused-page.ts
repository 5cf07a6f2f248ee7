/**
 * Waits when the server temporarily refuses a page in the middle of a download. The head is sent by then, so an error would cut the file, which the
 * client may have been reading for an hour.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { asApiError } from '../errors.ts';

/** Milliseconds from a refusal to the next try. */
const RETRY_MS = 1000;
/** Milliseconds from the first refusal of a page until its download gives up: a restart of the database takes less. */
const LONGEST_MS = 60_000;

interface Patience {
  /** Whether to stop trying: the client has disconnected, or the server is about to stop. */
  readonly isOver: () => boolean;
  /** Milliseconds of a monotonic clock, and a wait in milliseconds; tests pass their own. */
  readonly now?: () => number;
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Repeats the work while it fails with an error that has a retry time (503, or 429 if the client itself holds its share), for at most a minute.
 * @throws the last error
 */
export async function untilNotRefused<T>(work: () => Promise<T>, patience: Patience): Promise<T> {
  const { isOver, now = () => performance.now(), wait = delay } = patience;
  const began = now();
  for (;;)
    try {
      return await work();
    } catch (error) {
      const { retryAfter } = asApiError(error);
      if (retryAfter === undefined || isOver() || now() - began >= LONGEST_MS) throw error;
      await wait(RETRY_MS);
      if (isOver()) throw error;
    }
}
