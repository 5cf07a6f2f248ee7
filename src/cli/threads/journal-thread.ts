import { Worker } from 'node:worker_threads';
import { revivedError } from '../../base/store/errors.ts';
import type { JournalAdderParts } from '../../operate/serving/archive-load.ts';

/** `turn`: the thread may write now. */
export type ToJournalThread = 'turn' | 'stop';

export type FromJournalThread<Report> =
  | { readonly kind: 'turn' }
  /** A turn ends. The position is the last entry of the journal; undefined if the write failed. */
  | { readonly kind: 'done'; readonly position: number | undefined }
  | { readonly kind: 'report'; readonly report: Report };

export interface Stoppable {
  stop(): Promise<void>;
}

/** Time that the thread has to finish a write; a write that is cut off has no effect. */
const STOP_MS = 3_000;

/**
 * Starts a thread that adds entries to the journal beside the writer, and grants it turns, as SQLite has one writer at a time.
 * @param file the module of the thread, which calls `runInTurns`
 * @param data for its start
 * @param onReport gets the thread's other reports
 */
export function startJournalThread<Report>(
  file: URL,
  data: unknown,
  { inTurn, onJournal, onFailure }: JournalAdderParts,
  onReport: (report: Report) => void,
): Stoppable {
  const worker = new Worker(file, { workerData: data });
  const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()));
  let isStopping = false;
  let endTurn = () => {};
  const send = (message: ToJournalThread) => worker.postMessage(message);
  const turn = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    endTurn = resolve;
    send('turn');
    // A thread that ended does not reply.
    await Promise.race([promise, ended]);
  };
  worker.on('message', (message: FromJournalThread<Report>) => {
    switch (message.kind) {
      case 'turn':
        return void inTurn(turn);
      case 'done':
        endTurn();
        return message.position === undefined ? undefined : onJournal(message.position);
      case 'report':
        return onReport(message.report);
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
