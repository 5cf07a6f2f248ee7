import { Worker } from 'node:worker_threads';
import { revivedError } from '../../base/store/errors.ts';
import type { ArchiveLoading, LoaderParts } from '../../operate/serving/archive-load.ts';
import type { Options } from '../options/options.ts';
import { loadNameOf } from '../replay/sources.ts';
import type { LoadOptions } from './load.ts';

/** What the thread is started with. */
export interface LoaderData {
  readonly task:
    | { readonly kind: 'load'; readonly chainId: number; readonly isRecognised: boolean }
    /** Finds the network of the archives, and stores nothing. */
    | { readonly kind: 'recognise' };
  readonly options: LoadOptions;
  readonly logLevel: string;
}

/** `turn`: the thread may write now. */
export type ToLoader = 'turn' | 'stop';

export type FromLoader =
  | { readonly kind: 'turn' }
  /** A turn ends. The position is the last entry of the journal; undefined where the write failed. */
  | { readonly kind: 'done'; readonly position: number | undefined }
  | { readonly kind: 'chain'; readonly chainId: number };

interface Stoppable {
  stop(): Promise<void>;
}

/** The archives of the command line, and the thread that loads them. */
export const archiveLoading = (
  options: Options & { readonly chainId: number; readonly isRecognised?: boolean },
): ArchiveLoading => ({
  sources: options.replay?.map(loadNameOf),
  start: parts => {
    const { chainId, isRecognised = false } = options;
    return startThread(options, { kind: 'load', chainId, isRecognised }, parts);
  },
});

interface RecogniserParts {
  readonly onChain: (chainId: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Finds the network of the archives of the command line, in a thread. */
export const startRecogniser = (options: Options, { onChain, onFailure }: RecogniserParts): Stoppable =>
  startThread(options, { kind: 'recognise' }, { inTurn: work => work(), onJournal: () => {}, onFailure }, onChain);

/** Time that the thread has to finish a write; one that is cut off leaves no trace. */
const STOP_MS = 3_000;

function startThread(
  given: Options,
  task: LoaderData['task'],
  { inTurn, onJournal, onFailure }: LoaderParts,
  onChain: RecogniserParts['onChain'] = () => {},
): Stoppable {
  const { data, database, maxEventBytes, maxEventNesting, zstdWindowLog, allowPrivate, minFreeSpace } = given;
  const { replay: archives = [], logLevel } = given;
  const options = {
    ...{ data, database, maxEventBytes, maxEventNesting, zstdWindowLog, allowPrivate, minFreeSpace },
    archives,
  };
  // The published package is JavaScript, a checkout runs as it is.
  const file = import.meta.url.endsWith('.ts') ? './load-worker.ts' : './load-worker.js';
  const workerData: LoaderData = { task, options, logLevel };
  const worker = new Worker(new URL(file, import.meta.url), { workerData });
  const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()));
  let isStopping = false;
  let endTurn = () => {};
  const send = (message: ToLoader) => worker.postMessage(message);
  const turn = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    endTurn = resolve;
    send('turn');
    // A thread that ended does not reply.
    await Promise.race([promise, ended]);
  };
  worker.on('message', (message: FromLoader) => {
    switch (message.kind) {
      case 'turn':
        return void inTurn(turn);
      case 'done':
        endTurn();
        return message.position === undefined ? undefined : onJournal(message.position);
      case 'chain':
        return onChain(message.chainId);
      default:
        return message satisfies never;
    }
  });
  worker.on('error', error => isStopping || onFailure(revivedError(error)));
  return {
    stop: () => {
      isStopping = true;
      send('stop');
      const timer = setTimeout(() => void worker.terminate(), STOP_MS);
      return ended.finally(() => clearTimeout(timer));
    },
  };
}
