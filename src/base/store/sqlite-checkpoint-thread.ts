import { Worker } from 'node:worker_threads';
import { moduleBeside } from '../lib/module-beside.ts';
import type { HandleOptions } from './sqlite-handle.ts';

/** A thread with a connection of its own, which copies pages from the WAL into the file, one pass per request. */
export interface CheckpointThread {
  /** Requests a pass without waiting for it. */
  startPass(): void;
  /**
   * Requests a pass, which includes all that is committed now; resolves when the pass or the thread has ended, with or without an
   * error.
   */
  finishPass(): Promise<void>;
  /** Resolves when the thread has ended, after the passes requested so far. */
  end(): Promise<void>;
}

export interface CheckpointWorkerData extends Pick<HandleOptions, 'durability'> {
  readonly file: string;
}

export type CheckpointOrder = 'pass' | 'end';

/**
 * Starts the thread; it keeps no process alive that does not wait for it.
 * @param onFailure it could not begin, or has ended by itself: nothing is copied any more
 */
export function startCheckpointThread(
  workerData: CheckpointWorkerData,
  onFailure: (error: unknown) => void,
): CheckpointThread {
  const worker = new Worker(moduleBeside('sqlite-checkpoint-worker', import.meta.url), { workerData });
  const send = (order: CheckpointOrder) => worker.postMessage(order);
  /** What to do after each requested pass that has not ended. */
  const afterPass: (() => void)[] = [];
  let isEnding = false;
  let failure: unknown;
  worker.on('message', () => afterPass.shift()?.());
  worker.on('error', error => {
    failure = error;
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  worker.once('exit', () => {
    if (!isEnding) onFailure(failure);
    for (const then of afterPass.splice(0)) then();
    resolve();
  });
  worker.unref(); // not before: a listener of messages holds the process

  function ask(then: () => void): void {
    afterPass.push(then);
    send('pass');
  }

  async function awaited(work: Promise<void>): Promise<void> {
    worker.ref();
    await work;
    worker.unref();
  }

  return {
    startPass: () => ask(() => {}),
    finishPass: () => awaited(new Promise(ask)),
    end: () => {
      isEnding = true;
      send('end');
      return awaited(ended);
    },
  };
}
