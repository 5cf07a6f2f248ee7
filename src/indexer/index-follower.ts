import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RetryableDatabaseError } from '../store/errors.ts';
import type { SwitchableDatabase } from '../store/switchable.ts';
import { type BackgroundIndexer, startBackgroundIndexer } from './background.ts';
import { IndexMismatch } from './chain-binding.ts';
import { currentGeneration } from './generations.ts';
import type { IndexState } from './index-state.ts';
import { type OpenIndex, openIndex, removeReplacedIndexes, type Storage } from './storage.ts';

export interface FollowerOptions {
  /** What is served at first. */
  readonly storage: Storage;
  /** What the API reads: it is switched to the newer index. */
  readonly indexDb: SwitchableDatabase;
  readonly chainId: number;
  readonly logLevel: string;
  readonly logger: Logger;
  /** After every commit of the index that is served, and after a switch; never ahead of what `indexDb` shows. */
  readonly onState: (state: IndexState) => void;
  /** The thread of the index that is served has failed and will do nothing more. */
  readonly onFailure: (error: unknown) => void;
  /** Another index is served now; the one before is closed when the promise resolves. */
  readonly onSwitch?: (generation: number) => Promise<void>;
}

export interface FollowingIndexer extends BackgroundIndexer {
  /** Closes the index that is served. To be called last: after `stop`, and when nobody reads any more. */
  close(): Promise<void>;
}

const POLL_MS = 1_000;

/**
 * Runs the indexer of the current index, and moves to another one when `stacks-index reindex` has made that the current one:
 * its indexer starts beside the old one; once it has caught up with what is shown, readers are switched, and the old index is
 * closed and removed.
 */
export function followIndex(options: FollowerOptions): FollowingIndexer {
  const { storage, indexDb, logger } = options;
  const stopping = new AbortController();
  const threads = new Set<BackgroundIndexer>();
  /** What readers are shown, and how far it is. */
  let shown = storage.index;
  let position = 0;

  /** Starts the indexer of an index. Until that is shown, what the thread says goes to `waiting`. */
  function start(index: OpenIndex, waiting?: Pick<FollowerOptions, 'onState' | 'onFailure'>): BackgroundIndexer {
    const { generation } = index;
    const { data, database } = storage;
    const { chainId, logLevel } = options;
    const thread = startBackgroundIndexer({
      location: { data, database, chainId, generation },
      chainId,
      logLevel,
      onState: state => {
        if (index !== shown) waiting?.onState(state);
        if (index !== shown) return;
        position = state.position;
        options.onState(state);
      },
      onFailure: error => (index === shown ? options : waiting)?.onFailure(error),
    });
    threads.add(thread);
    return thread;
  }

  async function end(thread: BackgroundIndexer): Promise<void> {
    await thread.stop();
    threads.delete(thread);
  }

  let thread = start(shown);

  /** Resolves when the other index is shown; rejects when it cannot be, and then nothing has changed. */
  async function moveTo(generation: number): Promise<void> {
    const next = await openIndex(storage, options.chainId, generation);
    const before = { index: shown, thread };
    const { promise: caughtUp, resolve, reject } = Promise.withResolvers<void>();
    const stop = () => reject(stopping.signal.reason);
    stopping.signal.addEventListener('abort', stop, { once: true });
    let isShown = false;
    const nextThread = start(next, {
      onState: state => {
        if (isShown || state.position < position) return;
        isShown = true;
        // Before anybody is told of its state, so that no reader knows of more than it is shown.
        indexDb.switchTo(next.indexDb);
        shown = next;
        thread = nextThread;
        resolve();
      },
      onFailure: reject,
    });
    try {
      await caughtUp;
    } catch (error) {
      await end(nextThread);
      await next.close();
      throw error;
    } finally {
      stopping.signal.removeEventListener('abort', stop);
    }
    logger.info({ generation }, 'serving the index that was built anew');
    await end(before.thread);
    await options.onSwitch?.(generation);
    await before.index.close();
  }

  /** Moves whenever another index is the current one. */
  async function follow(): Promise<void> {
    let refused: number | undefined;
    for (;;) {
      await delay(POLL_MS, undefined, { signal: stopping.signal, ref: false });
      let generation: number | undefined;
      try {
        generation = await currentGeneration(storage);
        if (generation === shown.generation || generation === refused) continue;
        await moveTo(generation);
        await removeReplacedIndexes(storage);
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (error instanceof RetryableDatabaseError) continue;
        refused = generation;
        const hint = error instanceof IndexMismatch ? 'Start the version of this program that built it.' : undefined;
        logger.warn({ err: error, generation, hint }, 'the index that was built anew cannot be served yet');
      }
    }
  }

  const following = follow().catch(() => undefined); // it ends by the signal
  return {
    poke: () => {
      for (const each of threads) each.poke();
    },
    stop: async () => {
      stopping.abort();
      await Promise.all([...threads].map(end));
      await following;
    },
    close: () => shown.close(),
  };
}
