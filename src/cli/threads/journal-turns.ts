import { parentPort, workerData } from 'node:worker_threads';
import type { Journal } from '../../ingest/journal/journal.ts';
import type { FromJournalThread, ToJournalThread } from './journal-thread.ts';

interface JournalTurns<Report> {
  /** Aborted when the thread must stop. */
  readonly signal: AbortSignal;
  /** Writes the journal while nothing else in the process does. @throws errors of the work; the reason of the signal */
  inTurn<T>(journal: Journal, write: () => Promise<T>): Promise<T>;
  report(report: Report): void;
}

/**
 * Runs the work of a thread that startJournalThread has started.
 * @param work gets the data of the start. An error ends the thread, unless the thread must stop anyway
 */
export async function runInTurns<Data, Report>(
  work: (data: Data, turns: JournalTurns<Report>) => Promise<void>,
): Promise<void> {
  if (!parentPort) throw new Error('this module runs in a worker thread');
  const port = parentPort;
  const stopping = new AbortController();
  const { signal } = stopping;
  let turn: PromiseWithResolvers<void> | undefined;
  port.on('message', (message: ToJournalThread) => {
    if (message === 'turn') return turn?.resolve();
    stopping.abort();
    turn?.reject(signal.reason);
  });
  const post = (message: FromJournalThread<Report>): void => port.postMessage(message);

  async function inTurn<T>(journal: Journal, write: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    turn = Promise.withResolvers();
    post({ kind: 'turn' });
    await turn.promise;
    let position: number | undefined;
    try {
      const result = await write();
      position = await journal.length();
      return result;
    } finally {
      post({ kind: 'done', position });
    }
  }

  const report = (each: Report) => post({ kind: 'report', report: each });
  await work(workerData as Data, { signal, inTurn, report }).catch(error => {
    if (!signal.aborted) throw error;
  });
  port.close();
}
