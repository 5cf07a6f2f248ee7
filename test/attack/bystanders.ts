import { Worker } from 'node:worker_threads';
import type { Delivery } from '../../src/ingest/journal/entries.ts';

/** The requests of clients other than the attacker. */
export interface Errands {
  readonly port: number;
  readonly eventPort: number;
  readonly clients: number;
  /** Pages that clients request over and over. */
  readonly paths: readonly string[];
  /** An event that the journal has: sent again it changes nothing. */
  readonly event: Pick<Delivery, 'path' | 'body'>;
}

/** Milliseconds below which 99 of 100 responses came. */
export interface Delays {
  readonly livez: number;
  readonly events: number;
  readonly others: number;
  /** Responses of any kind, and those that were no 200. */
  readonly responses: number;
  readonly refused: number;
}

/** The message of the thread: a time for each response. */
export interface Observed {
  readonly livez: readonly number[];
  readonly events: readonly number[];
  readonly others: readonly number[];
  readonly refused: number;
}

/**
 * Has others use a server while something happens to it: a probe, a node that posts, and clients. They are a thread of their own, as the
 * attacker keeps this one busy.
 */
export async function whileOthersAsk<T>(
  errands: Errands,
  work: () => Promise<T>,
): Promise<{ result: T; delays: Delays }> {
  const worker = new Worker(new URL('bystander-thread.ts', import.meta.url), { workerData: errands });
  const told = new Promise<Observed>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  told.catch(() => undefined); // awaited below
  const result = await work();
  worker.postMessage('end');
  const { livez, events, others, refused } = await told;
  await worker.terminate();
  const delays = {
    livez: percentile99(livez),
    events: percentile99(events),
    others: percentile99(others),
    responses: livez.length + events.length + others.length,
    refused,
  };
  return { result, delays };
}

/** Infinity when no response came. */
function percentile99(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.POSITIVE_INFINITY;
}
