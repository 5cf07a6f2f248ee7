import { parentPort, workerData } from 'node:worker_threads';
import { createLogger } from '../../base/lib/logger.ts';
import { retrying } from '../../base/store/retry.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { Indexer } from '../../ingest/indexer/indexer.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import type { FromIndexer, IndexerData, ToIndexer } from './background.ts';
import { openStorage } from './storage.ts';

/** The indexer in a thread of its own, so that applying a block never holds up a response or an acknowledgement. */
if (!parentPort) throw new Error('this module runs in a worker thread');
const port = parentPort;
const { location, chainId, burnForkDepth, logLevel } = workerData as IndexerData;

const logger = createLogger({ level: logLevel, base: { part: 'indexer' } });
const stopping = new AbortController();
/** While the database is away or full, this thread waits for it: nothing is lost, the journal only gets ahead. */
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

while (!stopping.signal.aborted) {
  if (!poked)
    await new Promise<void>(resolve => {
      wake = resolve;
    });
  poked = false;
  try {
    post({ state: await patiently(() => indexer.catchUp(state => post({ state }), stopping.signal)) });
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  }
}
await storage.close();
port.close();
