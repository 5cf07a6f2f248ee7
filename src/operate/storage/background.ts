import { Worker } from 'node:worker_threads';
import { moduleBeside } from '../../base/lib/module-beside.ts';
import { revivedError } from '../../base/store/errors.ts';
import type { IndexState } from '../../ingest/indexer/index-state.ts';
import type { StorageLocation } from './storage.ts';

/** Data for the start of the thread. */
export interface IndexerData {
  readonly location: StorageLocation;
  readonly chainId: number;
  readonly burnForkDepth: number;
  /** recent: payloads that the index does not need are dropped. */
  readonly journal: 'full' | 'recent';
  readonly logLevel: string;
}

/** `poke`: the journal has grown. `stop`: finish the running work, then end. */
export type ToIndexer = 'poke' | 'stop';

export interface FromIndexer {
  readonly state: IndexState;
}

export interface BackgroundIndexer {
  /** The journal has grown. */
  poke(): void;
  /** Resolves when the thread has ended: cleanly, or cut off when it waits for a database that does not respond. */
  stop(): Promise<void>;
}

interface Options extends IndexerData {
  /** Called after every commit, so the state is never ahead of the database. */
  readonly onState: (state: IndexState) => void;
  /** The thread has failed and will do nothing more. */
  readonly onFailure: (error: unknown) => void;
}

/** Time that the thread has to finish running work; if it is cut off, that work leaves no trace. */
const STOP_MS = 3_000;

/** Starts the indexer in a thread of its own. */
export function startBackgroundIndexer({ onState, onFailure, ...data }: Options): BackgroundIndexer {
  const worker = new Worker(moduleBeside('worker', import.meta.url), { workerData: data });
  const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()));
  worker.on('message', ({ state }: FromIndexer) => onState(state));
  let isStopping = false;
  // After `stop`, failures are of cancelled work, such as waiting for an unreachable server.
  worker.on('error', error => isStopping || onFailure(revivedError(error)));
  const send = (message: ToIndexer) => worker.postMessage(message);
  return {
    poke: () => send('poke'),
    stop: () => {
      isStopping = true;
      send('stop');
      const timer = setTimeout(() => void worker.terminate(), STOP_MS);
      return ended.finally(() => clearTimeout(timer));
    },
  };
}
