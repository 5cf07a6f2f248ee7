import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { moduleBeside } from '../../base/lib/module-beside.ts';
import { revivedError } from '../../base/store/errors.ts';
import type { MetadataFigures } from '../../metadata/jobs/metrics.ts';
import type { MetadataSettings } from '../../metadata/settings.ts';

export interface BackgroundMetadata {
  /** The index has moved. */
  poke(): void;
  /** Passes on a client's request for a token. Requests beyond the worker's capacity are dropped. */
  request(contractId: string, token: string): void;
  /** Restarts with the current index. */
  restart(): Promise<void>;
  snapshot(): MetadataFigures;
  /** Resolves when the thread has ended. */
  stop(): Promise<void>;
}

/** Pause before the thread is restarted after a failure; doubles up to a minute. */
const FIRST_RESTART_MS = 1_000;
const LONGEST_RESTART_MS = 60_000;
/** A thread that ran this long was sound. */
const SOUND_MS = 300_000;
const MAX_REQUESTS = 1_000;

/**
 * Runs the metadata worker in a thread of its own. Its failures are only logged: accepting events and sending responses does not
 * depend on it.
 */
export function startBackgroundMetadata(data: MetadataWorkerData, logger: Logger): BackgroundMetadata {
  let figures: MetadataFigures = {};
  let requests = 0;
  let restarts = 0;
  let stopped = false;
  let thread = start();
  let timer: NodeJS.Timeout | undefined;

  function start(): { readonly worker: Worker; readonly ended: Promise<void> } {
    const worker = new Worker(moduleBeside('metadata-worker', import.meta.url), { workerData: data });
    const startedAt = performance.now();
    requests = 0;
    worker.on('message', (message: FromMetadataWorker) => {
      if (message.kind === 'figures') figures = message.figures;
      else requests = Math.max(0, requests - 1);
    });
    worker.on('error', error => {
      if (performance.now() - startedAt > SOUND_MS) restarts = 0;
      const wait = Math.min(FIRST_RESTART_MS * 2 ** restarts++, LONGEST_RESTART_MS);
      logger.error({ err: revivedError(error), restartMs: wait }, 'the metadata worker failed; restarting it');
      if (stopped) return;
      timer = setTimeout(() => {
        if (!stopped) thread = start();
      }, wait);
      timer.unref();
    });
    return { worker, ended: new Promise(resolve => worker.once('exit', () => resolve())) };
  }

  const send = (message: ToMetadataWorker) => thread.worker.postMessage(message);

  async function end(): Promise<void> {
    clearTimeout(timer);
    send({ kind: 'stop' });
    await thread.ended;
    clearTimeout(timer);
  }

  return {
    poke: () => send({ kind: 'poke' }),
    request: (contractId, token) => {
      if (requests >= MAX_REQUESTS) return;
      requests++;
      send({ kind: 'request', contractId, token });
    },
    restart: async () => {
      await end();
      if (!stopped) thread = start();
    },
    snapshot: () => figures,
    stop: async () => {
      stopped = true;
      await end();
    },
  };
}

/** Data for the start of the worker thread. */
export interface MetadataWorkerData {
  readonly data: string;
  readonly database: string | undefined;
  readonly settings: MetadataSettings;
  readonly version: string;
  readonly logLevel: string;
}

/** `poke`: the index has moved. `stop`: release running jobs, then end. `request`: a client requests a token. */
export type ToMetadataWorker =
  | { readonly kind: 'poke' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'request'; readonly contractId: string; readonly token: string };

/** `requested`: the number of requests that were handled. */
export type FromMetadataWorker =
  | { readonly kind: 'figures'; readonly figures: MetadataFigures }
  | { readonly kind: 'requested' };
