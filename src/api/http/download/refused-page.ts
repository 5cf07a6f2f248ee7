/**
 * A page that the server refuses for now, in the middle of a download. The head is sent by then, so the error would cut the file, which the client
 * may have read for an hour: the download waits instead.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { asApiError } from '../errors.ts';

/** Milliseconds from a refusal to the next try. */
const RETRY_MS = 1000;
/** Milliseconds from the first refusal of a page until its download gives up: a database that starts anew takes less. */
const LONGEST_MS = 60_000;

interface Patience {
  /** Whether a further try is of no use: the client has disconnected, or the server is about to stop. */
  readonly isOver: () => boolean;
  /** Milliseconds of a monotonic clock, and a wait of so many; tests give their own. */
  readonly now?: () => number;
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Does the work again for as long as it fails with an error that names a time to retry after (503, or 429 where the client itself holds its share), for a minute at most.
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
