import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { RequestTiming } from '../../api/http/request-timing.ts';
import { webhookAdmin } from '../../api/webhooks/admin.ts';
import type { IndexFigures, Metrics } from '../../operate/metrics/metrics.ts';
import { startMetricsServer } from '../../operate/metrics/server.ts';
import { type RunningApi, readStatus, startApi } from '../../operate/serving/api.ts';
import { type ApiWorkers, listenToParent, ownIdentity, startApiWorkers } from '../../operate/serving/api-workers.ts';
import { IndexView } from '../../operate/serving/index-view.ts';
import { type Channel, type Message, openDatabaseChannel } from '../../operate/serving/messages.ts';
import { type BackgroundMetadata, startBackgroundMetadata } from '../../operate/serving/metadata-thread.ts';
import { ReadSource } from '../../operate/serving/read-source.ts';
import { type RunningWebhooks, startWebhooks } from '../../operate/serving/webhooks.ts';
import { startWriter, type Writer } from '../../operate/serving/writer.ts';
import { archiveLoading } from '../load/load-thread.ts';
import { type Options, UsageError } from '../options/options.ts';
import { gapRepairing } from '../repair/repair-thread.ts';
import { VERSION } from '../version.ts';

export interface Running {
  /** 0 if this process serves no API. */
  readonly apiPort: number;
  /** 0 if there is no event server. */
  readonly eventPort: number;
  /** Rejects if a part has failed with an error that a retry does not repair. The process should then exit and be restarted. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/** Options of `serve` once the chain is known. */
export type ServeOptions = Options & { readonly chainId: number; readonly isRecognised?: boolean };

/** Options of a command line that names the chain. @throws UsageError if it does not */
export function servingOptions(options: Options): ServeOptions {
  const { chainId } = options;
  if (chainId === undefined) throw new UsageError('--chain-id is missing', options.command);
  return { ...options, chainId };
}

/**
 * Starts the parts of a mode of `stacks-index serve`: the writer (event server and indexer), the API, or both; the API in this
 * process or in workers. Messages between the parts pass through here.
 * @param signal ends the wait for an unreachable database
 */
export function startServing(
  options: ServeOptions,
  logger: Logger,
  signal: AbortSignal = new AbortController().signal,
): Promise<Running> {
  return cluster.isWorker ? startApiWorkerProcess(options, logger) : startMainProcess(options, logger, signal);
}

async function startMainProcess(options: ServeOptions, logger: Logger, signal: AbortSignal): Promise<Running> {
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => {}); // not an unhandled rejection if the caller does not await it
  const parts: Parts = {};
  const metrics = await metricsOf(parts, options);
  const channel = openChannel(options, message => deliver(parts, message));
  try {
    if (options.mode !== 'readonly') {
      parts.writer = await startWriter(options, {
        logger,
        signal,
        onEvent: metrics.event,
        onWrongNetwork: metrics.wrongNetwork,
        onJournalLoss: metrics.journalLoss,
        index: () => parts.view?.index,
        tell: message => {
          deliver(parts, message);
          channel?.send(message);
        },
        onFailure: fail,
        loading: archiveLoading(options),
        repairing: gapRepairing(options, metrics.gapRepair),
        onSwitch: () => void parts.metadata?.restart(),
      });
      parts.metadata = startMetadata(options, logger);
    }
    const timing = options.workers === 1 ? timingOf(options, metrics) : undefined;
    parts.view = await openView(options, logger, timing);
    const { view, writer } = parts;
    if (writer)
      parts.webhooks = await startWebhooks(options, {
        view,
        isActive: () => writer.isActive(),
        version: VERSION,
        logger,
        onHold: metrics.hold,
      });
    const ask = (message: Message) =>
      isHandledHere(parts, message) ? deliver(parts, message) : channel?.send(message);
    if (options.mode !== 'writeonly' && options.workers === 1)
      parts.api = await startApi(
        { ...options, node: options.nodeProxySettings, version: VERSION },
        { view: parts.view, logger, onResponse: metrics.request, onHold: metrics.hold, timing, ask },
      );
    if (options.mode !== 'writeonly' && options.workers > 1)
      parts.workers = await startApiWorkers({
        count: options.workers,
        chainId: options.chainId,
        logger,
        onMessage: ask,
      });
    if (options.metricsPort !== 0)
      parts.metricsServer = await serveMetrics(options, logger, metrics, { ...parts, view: parts.view });
  } catch (error) {
    await close(parts, channel);
    throw error;
  }
  const apiPort = parts.api?.port ?? parts.workers?.port ?? 0;
  const eventPort = parts.writer?.eventPort ?? 0;
  logger.info(
    {
      mode: options.mode,
      api: apiPort ? `${options.host}:${apiPort}` : null,
      events: eventPort ? `${options.eventHost}:${eventPort}` : null,
      height: parts.view.current()?.height ?? 0,
    },
    'serving',
  );
  return { apiPort, eventPort, failed, close: () => close(parts, channel) };
}

/** Serves the API as one of several workers on a port. The worker sends its messages to the process that started it. */
async function startApiWorkerProcess(options: ServeOptions, logger: Logger): Promise<Running> {
  const parts: Parts = {};
  const metrics = await metricsOf(parts, options);
  const parent = listenToParent(message => deliver(parts, message), metrics);
  const timing = timingOf(options, metrics);
  parts.view = await openView(options, logger, timing);
  const onResponse = metrics.request;
  const ask = (message: Message) => parent.send(message);
  parts.api = await startApi(
    { ...options, node: options.nodeProxySettings, version: VERSION },
    { view: parts.view, logger, onResponse, onHold: metrics.hold, timing, ask, worker: ownIdentity() },
  );
  parent.listening(parts.api.port);
  const never = new Promise<never>(() => {});
  return { apiPort: parts.api.port, eventPort: 0, failed: never, close: () => close(parts, undefined) };
}

/** The parts that run in this process. A part is missing until it has started, and if the mode does not need it. */
interface Parts {
  writer?: Writer;
  metadata?: BackgroundMetadata | undefined;
  webhooks?: RunningWebhooks;
  view?: IndexView;
  api?: RunningApi;
  workers?: ApiWorkers;
  metricsServer?: { close(): Promise<void> };
}

/** Whether this process does the work that the API requests. */
const isHandledHere = ({ writer, metadata }: Parts, { kind }: Message): boolean =>
  (kind === 'mempool-tx' ? writer : metadata) !== undefined;

/** Passes a message to the parts that need it. */
function deliver({ writer, metadata, view, workers }: Parts, message: Message): void {
  if (message.kind === 'journal') writer?.poke();
  // Fails only if the database is unreachable: then the node's own event, which the node repeats, brings the transaction.
  if (message.kind === 'mempool-tx') writer?.announce(message.rawTx).catch(() => undefined);
  if (message.kind === 'token') metadata?.request(message.contractId, message.token);
  if (message.kind !== 'index') return;
  void view?.follow(message);
  workers?.send(message);
  metadata?.poke();
}

async function close(parts: Parts, channel: Channel | undefined): Promise<void> {
  await parts.metricsServer?.close();
  await parts.webhooks?.close();
  await Promise.all([parts.writer?.close(), parts.api?.close(), parts.workers?.close(), parts.metadata?.stop()]);
  await parts.view?.close();
  await channel?.close();
}

/** A directory has no other process to send messages to. */
function openChannel({ database }: ServeOptions, onMessage: (message: Message) => void): Channel | undefined {
  return database === undefined ? undefined : openDatabaseChannel(database, onMessage);
}

/** Undefined if no option uses the measurements. */
function timingOf({ logSlowMs, serverTiming, metricsPort }: ServeOptions, metrics: Metrics): RequestTiming | undefined {
  if (logSlowMs === undefined && !serverTiming && metricsPort === 0) return undefined;
  return new RequestTiming({ logSlowMs, serverTiming, onStatement: metrics.statement });
}

function openView(options: ServeOptions, logger: Logger, observer: RequestTiming | undefined): Promise<IndexView> {
  const { data, database, chainId, databaseConnections: poolSize, queryTimeoutMs } = options;
  const source = (url: string | undefined) =>
    new ReadSource({ data, database: url, primary: database, chainId, poolSize, queryTimeoutMs, observer, logger });
  const read = options.mode === 'writeonly' ? [] : options.readDatabases;
  return IndexView.open(
    read.length === 0
      ? { sources: [source(database)], logger }
      : { sources: read.map(source), fallback: source(database), logger },
  );
}

/** Undefined without a node whose contracts can be called. */
function startMetadata(options: ServeOptions, logger: Logger): BackgroundMetadata | undefined {
  const { data, database, logLevel } = options;
  const { settings } = options.metadata;
  return settings && startBackgroundMetadata({ data, database, settings, version: VERSION, logLevel }, logger);
}

/** Loads the library and watches the event loop only in a process that has a port for metrics. */
async function metricsOf(parts: Parts, { metricsPort }: ServeOptions): Promise<Metrics> {
  if (metricsPort === 0) return NO_METRICS;
  const { createMetrics } = await import('../../operate/metrics/metrics.ts');
  return createMetrics({
    index: () => figuresOf(parts.view),
    shed: () => parts.api?.requestsShed() ?? 0,
    clients: () => parts.api?.held() ?? [],
    live: () => parts.api?.live(),
    webhooks: async () => parts.webhooks?.figures() ?? {},
    isActive: () => parts.writer?.isActive() ?? false,
    followed: () => parts.writer?.followed(),
    readDatabases: () => parts.view?.replicas() ?? [],
    metadata: () => parts.metadata?.snapshot() ?? {},
  });
}

const NO_METRICS: Metrics = {
  request: () => {},
  statement: () => {},
  event: () => {},
  journalLoss: () => {},
  wrongNetwork: () => {},
  gapRepair: () => {},
  hold: () => {},
  values: async () => [],
  text: async () => '',
  contentType: '',
};

/** The figures of the index for the metrics. */
async function figuresOf(view: IndexView | undefined): Promise<IndexFigures> {
  if (!view) throw new Error('the index is not read yet');
  const { journalPosition, indexedPosition, gaps, rebuilt, setAside, load } = await readStatus(view);
  const tip = view.current();
  return {
    height: tip?.height ?? 0,
    burnHeight: tip?.burnBlockHeight ?? 0,
    journalPosition,
    indexedPosition,
    gaps: gaps.length,
    setAside: setAside.count,
    rebuilt: rebuilt?.count ?? 0,
    load,
  };
}

function serveMetrics(
  options: ServeOptions,
  logger: Logger,
  metrics: Metrics,
  { view, workers, writer, webhooks }: Parts & { readonly view: IndexView },
) {
  const { metricsHost: host, metricsPort: port, hooksSecret } = options;
  const { contentType } = metrics;
  return startMetricsServer({
    host,
    port,
    logger,
    admin: webhooks && hooksSecret !== undefined ? webhookAdmin(webhooks.webhooks, hooksSecret) : undefined,
    metrics: { contentType, text: async () => metrics.text(await workers?.metrics()) },
    ready: async () => {
      await writer?.ready();
      await readStatus(view);
    },
  });
}
