import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createLogger } from '../../base/lib/logger.ts';
import { retrying } from '../../base/store/retry.ts';
import { ReindexRunning } from './locks.ts';
import { hasOwn } from './other-indexes.ts';
import type { FromRebuild, RebuildData } from './rebuild-thread.ts';
import { reindex } from './reindex.ts';
import { openJournal } from './storage.ts';

/** Builds an index in a thread of its own, so that events get their response meanwhile. */
if (!parentPort) throw new Error('this module runs in a worker thread');
const port = parentPort;
const { location, burnForkDepth, logLevel } = workerData as RebuildData;

/** How often a process checks whether another one has built the index. */
const POLL_MS = 1_000;

const logger = createLogger({ level: logLevel, base: { part: 'rebuild' } });
const stopping = new AbortController();
const { signal } = stopping;
port.once('message', () => stopping.abort());
const post = (message: FromRebuild): void => port.postMessage(message);

async function build(): Promise<void> {
  const place = await openJournal(location);
  try {
    while (!signal.aborted && !(await hasOwn(place))) {
      try {
        await reindex({
          ...{ place, burnForkDepth, logger, signal, chainId: location.chainId },
          onProgress: ({ position, tip }, events) =>
            post({ kind: 'progress', indexed: position, events, height: tip?.height ?? 0 }),
        });
      } catch (error) {
        // The operator, or on PostgreSQL another server, may have started a build.
        if (!(error instanceof ReindexRunning)) throw error;
        await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  } finally {
    await place.journalDb.close();
  }
}

try {
  await retrying(build, {
    signal,
    onFailure: error => logger.warn({ err: error }, 'database not available; trying again'),
  });
} catch (error) {
  if (!signal.aborted) throw error;
}
if (!signal.aborted) post({ kind: 'done' });
port.close();
