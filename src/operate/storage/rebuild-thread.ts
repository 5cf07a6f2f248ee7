import { Worker } from 'node:worker_threads';
import { moduleBeside } from '../../base/lib/module-beside.ts';
import { revivedError } from '../../base/store/errors.ts';
import type { StorageLocation } from './storage.ts';

/** Data for the start of the thread. */
export interface RebuildData {
  readonly location: StorageLocation;
  readonly burnForkDepth: number;
  readonly logLevel: string;
}

/** The progress, or `done`: the index is the current one. */
export type FromRebuild =
  | { readonly kind: 'progress'; readonly indexed: number; readonly events: number; readonly height: number }
  | { readonly kind: 'done' };

interface RunningRebuild {
  /** Resolves when this release has an index, or the thread was stopped. Rejects with an error that a retry does not repair. */
  readonly ended: Promise<void>;
  /** Stops the rebuild; the next one continues where it stopped. */
  stop(): Promise<void>;
}

/** Time that the thread has to finish a batch; a batch that is cut off has no effect. */
const STOP_MS = 3_000;

/** Builds the index of this release from the journal in a thread, if only another release has one. */
export function startRebuild(
  data: RebuildData,
  onProgress: (progress: Extract<FromRebuild, { kind: 'progress' }>) => void,
): RunningRebuild {
  const worker = new Worker(moduleBeside('rebuild-worker', import.meta.url), { workerData: data });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const gone = new Promise<void>(resolve => worker.once('exit', () => resolve()));
  ended.catch(() => undefined); // the caller may look later
  worker.on('message', (message: FromRebuild) => (message.kind === 'done' ? resolve() : onProgress(message)));
  worker.on('error', error => reject(revivedError(error)));
  gone.then(() => resolve());
  return {
    ended,
    stop: async () => {
      worker.postMessage('stop');
      const timer = setTimeout(() => void worker.terminate(), STOP_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}
