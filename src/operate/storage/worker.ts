import { parentPort, workerData } from 'node:worker_threads';
import { createLogger } from '../../base/lib/logger.ts';
import { retrying } from '../../base/store/retry.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { Indexer } from '../../ingest/indexer/indexer.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import type { FromIndexer, IndexerData, ToIndexer } from './background.ts';
import { dropRecent } from './journal-drop.ts';
import { openStorage } from './storage.ts';

/** The indexer in a thread of its own, so that applying a block never delays a response or an acknowledgement. */
if (!parentPort) throw new Error('this module runs in a worker thread');
const port = parentPort;
const { location, chainId, burnForkDepth, journal: extent, logLevel } = workerData as IndexerData;

const logger = createLogger({ level: logLevel, base: { part: 'indexer' } });
const stopping = new AbortController();
/** Waits while the database is unreachable or full: no event is lost, only the journal gets ahead. */
const patiently = <T>(work: () => Promise<T>): Promise<T> =>
  retrying(work, {
    signal: stopping.signal,
    onFailure: error => logger.warn({ err: error }, 'index database not available; trying again'),
  });

let wake = () => {};
let poked = true;
port.on('message', (message: ToIndexer) => {
  if (message === 'stop') stopping.abort();
  poked = true;
  wake();
});

const post = (message: FromIndexer): void => port.postMessage(message);

const storage = await patiently(() => openStorage(location));
const journal = new Journal(storage.journalDb);
const indexer = new Indexer({
  db: storage.indexDb,
  journal,
  chainId,
  schema: INDEX_SCHEMA,
  logger,
  burnForkDepth,
});

/** How often the thread searches for payloads that are no longer needed. */
const DROP_MS = 15_000;
/** Time of the next drop, on the clock of performance.now. */
let dropAt = extent === 'recent' ? 0 : Number.POSITIVE_INFINITY;

/** Resolves with the next message, or when payloads are to be dropped. */
async function untilPoked(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  wake = resolve;
  const timer =
    dropAt === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, Math.max(0, dropAt - performance.now()));
  await promise;
  clearTimeout(timer);
}

while (!stopping.signal.aborted) {
  if (!poked) await untilPoked();
  poked = false;
  try {
    post({ state: await patiently(() => indexer.catchUp(state => post({ state }), stopping.signal)) });
    if (performance.now() < dropAt) continue;
    const isDone = await patiently(() => dropRecent(storage, { burnForkDepth, signal: stopping.signal }));
    dropAt = performance.now() + (isDone ? DROP_MS : 0);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  }
}
await storage.close();
port.close();
