import { setTimeout as delay } from 'node:timers/promises';
import { RetryableDatabaseError } from './errors.ts';

interface RetryOptions {
  /** Called for every failure that is followed by another attempt. */
  readonly onFailure: (error: RetryableDatabaseError) => void;
  /** No more tries after it. */
  readonly signal?: AbortSignal;
  /** How long the work may go on failing, in milliseconds. Default: for ever. */
  readonly patienceMs?: number;
}

/** Milliseconds between two tries; the last one is repeated. */
const PAUSES_MS = [100, 500, 2000, 5000];
/** Work that ran for so many milliseconds had a working database: its failure is a new one. */
const IN_WORK_MS = 60_000;

/**
 * Repeats the work until it succeeds, while the database is unreachable, full or busy. The work must be idempotent, as it may have
 * been stored although it failed (COMMIT_UNKNOWN). Throws the last error when it gives up, any other error at once.
 */
export async function retrying<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { onFailure, signal, patienceMs = Number.POSITIVE_INFINITY } = options;
  let failures = 0;
  let failingSince = performance.now();
  for (;;) {
    const begun = performance.now();
    try {
      return await work();
    } catch (error) {
      const now = performance.now();
      if (failures === 0 || now - begun > IN_WORK_MS) {
        failures = 0;
        failingSince = now;
      }
      const pause = PAUSES_MS[Math.min(failures++, PAUSES_MS.length - 1)] ?? 0;
      const givenUp = signal?.aborted || now - failingSince + pause > patienceMs;
      if (!(error instanceof RetryableDatabaseError) || givenUp) throw error;
      onFailure(error);
      await delay(pause, undefined, signal && { signal }).catch(() => undefined);
      if (signal?.aborted) throw error;
    }
  }
}
