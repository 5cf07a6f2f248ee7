import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createLogger } from '../../base/lib/logger.ts';
import { freeBytes } from '../../ingest/journal/disk-floor.ts';
import { createNodeRpc, DEFAULT_RPC_LIMITS } from '../../ingest/node/rpc.ts';
import { createFetcher, DEFAULT_PORTS } from '../../metadata/fetch/fetch-document.ts';
import { createHostGate, hostBlocks } from '../../metadata/fetch/host-gate.ts';
import { canLimitDecoder, createImageProcessor } from '../../metadata/images/process.ts';
import { ClientRequests } from '../../metadata/jobs/enqueue.ts';
import { DecodeBudget } from '../../metadata/jobs/image-limits.ts';
import { MetadataRunner } from '../../metadata/jobs/runner.ts';
import { openMetadataDb } from '../../metadata/open.ts';
import { openImageStore } from '../../metadata/settings.ts';
import { openIndexToRead, openJournalToRead } from '../storage/storage.ts';
import type { FromMetadataWorker, MetadataWorkerData, ToMetadataWorker } from './metadata-thread.ts';

/** Fetches metadata in a thread of its own, so that no document and no host can delay a block or a response. */
if (!parentPort) throw new Error('this module runs in a worker thread');
const port = parentPort;
const { data, database, settings, version, logLevel } = workerData as MetadataWorkerData;

const FIGURES_MS = 10_000;

const logger = createLogger({ level: logLevel, base: { part: 'metadata' } });
const place = await openJournalToRead({ data, database });
const index = await openIndexToRead(place);
const db = await openMetadataDb({ data, database });
const { gateways, allowHosts, limits } = settings;
const store = openImageStore(settings.images);
const processor = createImageProcessor(limits);
if (store && !canLimitDecoder(limits))
  logger.warn(
    'this system cannot limit the memory and CPU time of a process: only this program watches the decoding of images',
  );
const clock = { now: Date.now };
const runner = new MetadataRunner({
  db,
  index: index.indexDb,
  node: createNodeRpc({ base: settings.nodeRpc, ...DEFAULT_RPC_LIMITS }),
  fetcher: createFetcher({
    limits,
    gateways,
    allowHosts,
    allowPorts: DEFAULT_PORTS,
    gate: createHostGate({ limits, blocks: hostBlocks(db), ...clock }),
    version,
    replaceIds: true,
  }),
  images: store && { processor, store, budget: new DecodeBudget(settings.jobs.decodeMsPerHour, clock.now) },
  limits: settings.jobs,
  freeBytes: lowestFreeBytes,
  logger,
  ...clock,
});
/** The lowest free space of the places of documents and images: the directory of the index, and that of the images. */
async function lowestFreeBytes(): Promise<number> {
  const places = settings.images.kind === 'directory' ? [data, settings.images.directory] : [data];
  return Math.min(...(await Promise.all(places.map(freeBytes))));
}

const requests = new ClientRequests({ db, limits: settings.jobs, ...clock });
const stopping = new AbortController();
const post = (message: FromMetadataWorker): void => port.postMessage(message);

port.on('message', (message: ToMetadataWorker) => {
  if (message.kind === 'stop') stopping.abort();
  else if (message.kind === 'poke') runner.poke();
  else void take(message.contractId, message.token);
});

async function take(contractId: string, token: string): Promise<void> {
  try {
    await requests.request(contractId, token);
    runner.poke();
  } catch (error) {
    logger.warn(
      { err: error, contractId, token },
      'a requested token was not queued; the next request for it tries again',
    );
  }
  post({ kind: 'requested' });
}

async function report(): Promise<void> {
  while (!stopping.signal.aborted) {
    const figures = await runner.figures().catch(() => undefined);
    if (figures) post({ kind: 'figures', figures });
    await delay(FIGURES_MS, undefined, { signal: stopping.signal }).catch(() => {});
  }
}

const reporting = report();
try {
  await runner.run(stopping.signal);
} finally {
  stopping.abort();
  await reporting;
  await processor.close();
  await index.close();
  await place.journalDb.close();
  await db.close();
  port.close();
}
