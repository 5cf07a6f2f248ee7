import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RetryableDatabaseError } from '../../base/store/errors.ts';
import { IndexMismatch } from '../../ingest/indexer/chain-id.ts';
import type { IndexState } from '../../ingest/indexer/index-state.ts';
import { type BackgroundIndexer, startBackgroundIndexer } from './background.ts';
import { currentGeneration } from './generations.ts';
import { removeReplacedIndexes } from './holds.ts';
import { type OpenIndex, openIndex, type Storage } from './storage.ts';

const REFUSED =
  'Another version of this program has built it: start that one. If it is of another chain, start `serve` with that --chain-id.';

interface FollowerOptions {
  /** The index to update at first. */
  readonly storage: Storage;
  readonly chainId: number;
  /** See StorageLocation. */
  readonly isRecognised?: boolean | undefined;
  readonly burnForkDepth: number;
  /** See IndexerData. */
  readonly journal: 'full' | 'recent';
  readonly logLevel: string;
  readonly logger: Logger;
  /** Called after every commit of the followed index. */
  readonly onState: (state: IndexState, generation: number) => void;
  /** The thread of that index has failed and will do nothing more. */
  readonly onFailure: (error: unknown) => void;
  /** Called when another index is followed. */
  readonly onSwitch: () => void;
}

const POLL_MS = 1_000;

/**
 * Runs the indexer of the current index. When `stacks-index reindex` has made another index current, it starts the indexer of that
 * index in parallel; once this has caught up, the old indexer ends, and the old index is removed after its last reader. Closes the
 * index, even that of `storage`, when it is stopped.
 */
export function startIndexFollower(options: FollowerOptions): BackgroundIndexer {
  const { storage, logger } = options;
  const stopping = new AbortController();
  const threads = new Set<BackgroundIndexer>();
  /** The followed index, and its state. */
  let followed = storage.index;
  let position = 0;

  /** Starts the indexer of an index. Until the follower moves to that index, messages of the thread go to `waiting`. */
  function start(
    index: OpenIndex,
    waiting?: { onState(state: IndexState): void; onFailure(error: unknown): void },
  ): BackgroundIndexer {
    const { generation } = index;
    const { data, database } = storage;
    const { chainId, isRecognised = false, burnForkDepth, journal, logLevel } = options;
    const thread = startBackgroundIndexer({
      location: { data, database, chainId, isRecognised, generation },
      chainId,
      burnForkDepth,
      journal,
      logLevel,
      onState: state => {
        if (index !== followed) waiting?.onState(state);
        if (index !== followed) return;
        position = state.position;
        options.onState(state, generation);
      },
      onFailure: error => (index === followed ? options : waiting)?.onFailure(error),
    });
    threads.add(thread);
    return thread;
  }

  async function end(thread: BackgroundIndexer): Promise<void> {
    await thread.stop();
    threads.delete(thread);
  }

  let thread = start(followed);

  /** Resolves when the other index is followed; rejects if it cannot be followed, and then nothing has changed. */
  async function moveTo(generation: number): Promise<void> {
    const { chainId, isRecognised = false } = options;
    const next = await openIndex(storage, chainId, { generation, isRecognised });
    const before = { index: followed, thread };
    const { promise: caughtUp, resolve, reject } = Promise.withResolvers<void>();
    const stop = () => reject(stopping.signal.reason);
    stopping.signal.addEventListener('abort', stop, { once: true });
    const nextThread = start(next, {
      onState: state => {
        if (state.position < position) return;
        followed = next;
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
    logger.info({ generation }, 'serving the rebuilt index');
    await end(before.thread);
    await before.index.close();
    options.onSwitch();
  }

  /** Moves whenever another index becomes current. */
  async function follow(): Promise<void> {
    let refused: number | undefined;
    let isTidy = true;
    for (;;) {
      await delay(POLL_MS, undefined, { signal: stopping.signal, ref: false });
      let generation: number | undefined;
      try {
        generation = await currentGeneration(storage);
        // Keeps indexes that other processes read until these have moved, too.
        if (!isTidy) isTidy = await removeReplacedIndexes(storage);
        if (generation === followed.generation || generation === refused) continue;
        await moveTo(generation);
        isTidy = false;
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (error instanceof RetryableDatabaseError) continue;
        refused = generation;
        const hint = error instanceof IndexMismatch ? REFUSED : undefined;
        logger.warn({ err: error, generation, hint }, 'the rebuilt index cannot be served yet');
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
      await followed.close();
    },
  };
}
