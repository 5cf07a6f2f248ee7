import type { Logger } from 'pino';
import type { Tip } from '../chain/tip.ts';
import type { IndexStatus } from '../http/status.ts';
import { followIndex } from '../indexer/index-follower.ts';
import { type IndexState, readState, tipOf } from '../indexer/index-state.ts';
import { readGaps, readPoxUnlockHeights } from '../indexer/status.ts';
import { lockStorage, openStorage, removeReplacedIndexes, type Storage } from '../indexer/storage.ts';
import { Journal } from '../journal/journal.ts';
import { createMetrics, type IndexFigures, type Metrics } from '../metrics/metrics.ts';
import { startMetricsServer } from '../metrics/server.ts';
import { defaultEventServerLimits, startEventServer } from '../node/event-server.ts';
import { createApi } from '../resources/api.ts';
import { mempoolVersion } from '../resources/mempool/version.ts';
import { SwitchableDatabase } from '../store/switchable.ts';
import { startMetadata } from './metadata-service.ts';
import type { Options } from './options.ts';
import { VERSION } from './version.ts';

export interface Running {
  readonly apiPort: number;
  /** 0 when no events are taken. */
  readonly eventPort: number;
  /** Rejects when the indexer fails: then the process should end, and be started again. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/** Starts everything that `stacks-index serve` runs: event server, indexer thread and API. */
export async function startServing(options: Options, logger: Logger): Promise<Running> {
  const unlock = lockStorage(options);
  const opened = await openStorage(options);
  await removeReplacedIndexes(opened);
  const indexDb = new SwitchableDatabase(opened.indexDb);
  const storage = { ...opened, indexDb };
  const journal = new Journal(storage.journalDb);
  const live = new LiveState(await storage.indexDb.read(readState));
  const metadata = await startMetadata(options, logger);
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => {}); // whoever awaits it is told; nobody need to
  const indexer = followIndex({
    storage: opened,
    indexDb,
    logger,
    chainId: options.chainId,
    logLevel: options.logLevel,
    onState: state => {
      live.set(state);
      metadata.worker?.poke();
    },
    onFailure: fail,
    onSwitch: async () => metadata.worker?.restart(),
  });
  const status = { current: () => readStatus(storage, journal, live) };
  const metrics = createMetrics({
    index: async () => figuresOf(await status.current(), live.current()),
    shed: () => api.requestsShed(),
    metadata: () => metadata.worker?.snapshot() ?? {},
  });
  const api = createApi({
    db: storage.indexDb,
    tip: live,
    mempool: { version: () => mempoolVersion(live.state) },
    metadata: metadata.source,
    status,
    chainId: options.chainId,
    version: VERSION,
    logger,
    limits: {
      maxConnections: options.maxConnections,
      maxUnanswered: options.maxUnanswered,
      maxAnswerSize: options.maxAnswerBytes,
    },
    onAnswer: metrics.request,
  });
  const events =
    options.eventPort === 0 ? undefined : await startEvents(options, logger, journal, metrics, () => indexer.poke());
  const metricsServer =
    options.metricsPort === 0
      ? undefined
      : await startMetricsServer(options.metricsHost, options.metricsPort, metrics, logger);
  await api.listen({ host: options.host, port: options.port });
  const address = api.server.address();
  const apiPort = typeof address === 'object' && address ? address.port : options.port;
  logger.info(
    {
      api: `${options.host}:${apiPort}`,
      events: events ? `${options.eventHost}:${events.port}` : null,
      height: live.current()?.height ?? 0,
    },
    'serving',
  );
  const close = async () => {
    await events?.close();
    await metricsServer?.close();
    await Promise.all([api.close(), indexer.stop(), metadata.worker?.stop()]);
    await metadata.close();
    await indexer.close();
    await storage.close();
    unlock();
  };
  return { apiPort, eventPort: events?.port ?? 0, failed, close };
}

function startEvents(options: Options, logger: Logger, journal: Journal, metrics: Metrics, onNew: () => void) {
  if (options.eventSecret === undefined && !isLoopback(options.eventHost))
    logger.warn({ host: options.eventHost }, 'anybody who reaches the event port can write events: set --event-secret');
  const { eventHost: host, eventPort: port, maxEventBytes: maxBodyBytes, maxEventNesting: maxNesting } = options;
  return startEventServer({
    host,
    port,
    limits: { ...defaultEventServerLimits, maxBodyBytes, maxNesting, closeDeadlineMs: 3000 },
    logger,
    ...(options.eventSecret !== undefined && { secret: options.eventSecret }),
    onEvent: metrics.event,
    accept: async delivery => {
      await journal.accept(delivery);
      // Also for a repeat: of the first delivery it may not have been known that it was stored.
      onNew();
    },
  });
}

/** The newest state of the index, and the tip in it, in memory. */
class LiveState {
  state: IndexState;
  #tip: Tip | undefined;

  constructor(state: IndexState) {
    this.state = state;
    this.#tip = tipOf(state);
  }

  set(state: IndexState): void {
    this.state = state;
    this.#tip = tipOf(state);
  }

  current(): Tip | undefined {
    return this.#tip;
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);

/** What the metrics tell of the index. */
function figuresOf(status: IndexStatus, tip: Tip | undefined): IndexFigures {
  const { journalPosition, indexedPosition } = status;
  return {
    height: tip?.height ?? 0,
    burnHeight: tip?.burnBlockHeight ?? 0,
    journalPosition,
    indexedPosition,
    gaps: status.gaps.length,
  };
}

async function readStatus(storage: Storage, journal: Journal, live: LiveState) {
  const journalPosition = await journal.length();
  const [gaps, poxUnlockHeights] = await storage.indexDb.read(
    async queries => [await readGaps(queries), await readPoxUnlockHeights(queries)] as const,
  );
  return { journalPosition, indexedPosition: live.state.position, gaps, poxUnlockHeights };
}
