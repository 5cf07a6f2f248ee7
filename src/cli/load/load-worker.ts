import { parentPort, workerData } from 'node:worker_threads';
import { createLogger } from '../../base/lib/logger.ts';
import { retrying } from '../../base/store/retry.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { lookForChain } from '../../operate/storage/known-chain.ts';
import { openJournal, openStorage } from '../../operate/storage/storage.ts';
import { clearUnproven, markUnproven, type UnprovenLoad } from '../../operate/storage/unproven-load.ts';
import { loadArchives, recogniseChain } from './load.ts';
import type { FromLoader, LoaderData, ToLoader } from './load-thread.ts';

/** Reads archives beside the thread that serves requests. */
if (!parentPort) throw new Error('this module runs in a worker thread');
const port = parentPort;
const { task, options, logLevel } = workerData as LoaderData;

const logger = createLogger({ level: logLevel, base: { part: 'replay' } });
const stopping = new AbortController();
const { signal } = stopping;
let turn: PromiseWithResolvers<void> | undefined;
port.on('message', (message: ToLoader) => {
  if (message === 'turn') return turn?.resolve();
  stopping.abort();
  turn?.reject(signal.reason);
});
const post = (message: FromLoader): void => port.postMessage(message);

const patiently = <T>(work: () => Promise<T>): Promise<T> =>
  retrying(work, { signal, onFailure: error => logger.warn({ err: error }, 'database not available; trying again') });

/** The main thread grants turns, as SQLite has one writer at a time. */
async function inTurn<T>(journal: Journal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  turn = Promise.withResolvers();
  post({ kind: 'turn' });
  await turn.promise;
  let position: number | undefined;
  try {
    const result = await work();
    position = await journal.length();
    return result;
  } finally {
    post({ kind: 'done', position });
  }
}

async function onProof(location: Parameters<typeof openStorage>[0], unproven: UnprovenLoad | undefined): Promise<void> {
  await patiently(async () => {
    const storage = await openStorage(location);
    try {
      await (unproven ? markUnproven(storage.indexDb, unproven) : clearUnproven(storage.indexDb));
    } finally {
      await storage.close();
    }
  });
}

async function run(): Promise<void> {
  if (task.kind === 'recognise') {
    const chainId = await recogniseChain(options, { logger, signal });
    if (chainId !== undefined) post({ kind: 'chain', chainId });
    return;
  }
  const { data, database } = options;
  const { chainId, isRecognised } = task;
  const { journalDb } = await patiently(() => openJournal({ data, database }));
  const journal = new Journal(journalDb);
  try {
    await loadArchives(options, {
      ...{ journalDb, chainId, logger, signal },
      isUnwitnessed: async () => !isRecognised && (await lookForChain({ data, database })).chainId === undefined,
      inTurn: work => inTurn(journal, work),
      onProof: unproven => onProof({ data, database, chainId, isRecognised }, unproven),
    });
  } finally {
    await journalDb.close();
  }
}

await run().catch(error => {
  if (!signal.aborted) throw error;
});
port.close();
