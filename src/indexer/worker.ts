import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { networkOf } from '../chain/network.ts';
import { Journal } from '../journal/journal.ts';
import { RetryableDatabaseError } from '../store/errors.ts';
import { Indexer } from './indexer.ts';
import { openStorage, type StorageLocation } from './storage.ts';
import type { FromIndexer, ToIndexer } from './worker-messages.ts';

/** The indexer in a thread of its own, so that applying a block never holds up an answer or an acknowledgement. */
if (!parentPort) throw new Error('this module runs in a worker thread');
const port = parentPort;
const { location, chainId, logLevel } = workerData as { location: StorageLocation; chainId: number; logLevel: string };

const RETRY_MS = [100, 500, 2000, 5000];

const logger = pino({ level: logLevel, base: { part: 'indexer' } });
const storage = await openStorage(location);
const journal = new Journal(storage.journalDb);
const indexer = new Indexer({ db: storage.indexDb, journal, network: networkOf(chainId), logger });
const stopping = new AbortController();

let wake = () => {};
let poked = true;
port.on('message', (message: ToIndexer) => {
  if (message === 'stop') stopping.abort();
  poked = true;
  wake();
});

const post = (message: FromIndexer): void => port.postMessage(message);

for (let failures = 0; !stopping.signal.aborted; ) {
  if (!poked)
    await new Promise<void>(resolve => {
      wake = resolve;
    });
  poked = false;
  try {
    post({ state: await indexer.catchUp(state => post({ state }), stopping.signal) });
    failures = 0;
  } catch (error) {
    if (!(error instanceof RetryableDatabaseError)) throw error;
    logger.warn({ err: error, hint: error.hint }, 'index database not available; trying again');
    await delay(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)], undefined, { signal: stopping.signal }).catch(
      () => {},
    );
    poked = true;
  }
}
await storage.close();
port.close();
