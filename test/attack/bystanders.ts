import { Worker } from 'node:worker_threads';
import type { Delivery } from '../../src/ingest/journal/entries.ts';

/** The requests that clients other than the attacker send. */
export interface Errands {
  readonly port: number;
  readonly eventPort: number;
  readonly clients: number;
  /** Pages that clients request over and over. */
  readonly paths: readonly string[];
  /** An event that the journal already has, so that sending it again changes nothing. */
  readonly event: Pick<Delivery, 'path' | 'body'>;
}

/** The 99th percentile of response times, in milliseconds. */
export interface Delays {
  readonly livez: number;
  readonly events: number;
  readonly others: number;
  /** The number of all responses, and of those with another status than 200. */
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
 * Lets a probe, a node that posts events, and clients use a server during some work. They run in a thread of their own, as the attacker keeps this one busy.
 */
export async function whileOthersAsk<T>(
  errands: Errands,
  work: () => Promise<T>,
): Promise<{ result: T; delays: Delays }> {
  const worker = new Worker(new URL('bystander-thread.ts', import.meta.url), { workerData: errands });
  const observed = new Promise<Observed>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  observed.catch(() => undefined); // awaited below
  const result = await work();
  worker.postMessage('end');
  const { livez, events, others, refused } = await observed;
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
