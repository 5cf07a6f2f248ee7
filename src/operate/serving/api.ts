import type { Logger } from 'pino';
import { addExplorer } from '../../api/explorer/explorer.ts';
import type { FaucetSettings } from '../../api/faucet/settings.ts';
import type { RequestTiming } from '../../api/http/request-timing.ts';
import type { ServerOptions } from '../../api/http/server.ts';
import type { IndexStatus } from '../../api/http/status.ts';
import { openChannels } from '../../api/live/channels.ts';
import type { NodeProxySettings } from '../../api/node-proxy/settings.ts';
import { mempoolVersion } from '../../api/records/mempool/queries.ts';
import type { NameVersions } from '../../api/records/names/owned-names.ts';
import { createApi } from '../../api/routes/api.ts';
import { RetryableDatabaseError } from '../../base/store/errors.ts';
import { readPoxUnlockHeights } from '../../index/blocks/canonical-chain.ts';
import type { PoxCycles } from '../../ingest/chain/pox-cycles.ts';
import { readGaps } from '../../ingest/indexer/gaps.ts';
import { summaryOfRebuilt } from '../../ingest/indexer/rebuilt-blocks.ts';
import { summaryOfSetAside } from '../../ingest/indexer/set-aside.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { type MetadataOptions, openImageStore } from '../../metadata/settings.ts';
import { IMAGES_PATH, type MetadataSource } from '../../metadata/source.ts';
import type { HeldFigures, LiveMetrics, Metrics } from '../metrics/metrics.ts';
import { announcing } from './announcing.ts';
import { readLoad } from './archive-load.ts';
import type { IndexView } from './index-view.ts';
import type { Message } from './messages.ts';
import { type WorkerIdentity, WorkerSessions } from './worker-sessions.ts';

interface ApiOptions {
  readonly chainId: number;
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
  readonly maxConcurrentRequests: number;
  readonly maxResponseBytes: number;
  readonly maxRowsSearched: number;
  readonly maxUnsentBytes: number;
  readonly maxUnsentBytesPerClient: number;
  /** Share of each limit for all clients that one address may hold, in percent. */
  readonly maxShare: number;
  /** Undefined: there is no proxy in front. */
  readonly trustProxy: ServerOptions['trustProxy'] | undefined;
  /** Processes that serve the port. */
  readonly workers: number;
  readonly maxDownloads: number;
  /** Limits of live updates: clients, clients of one address, unread bytes of a client, blocks that a client may be behind. */
  readonly maxLiveClients: number;
  readonly maxLiveClientsPerAddress: number;
  readonly maxLiveQueueBytes: number;
  readonly maxLiveReplayBlocks: number;
  readonly deprecationHeaders: boolean;
  readonly deprecatedRoutes: boolean;
  /** Whether there are pages for people. */
  readonly explorer: boolean;
  readonly names: NameVersions;
  /** Undefined: those of the network. */
  readonly poxCycles: PoxCycles | undefined;
  readonly metadata: MetadataOptions;
  /** Undefined without a node. */
  readonly node: NodeProxySettings | undefined;
  /** Undefined without faucets. */
  readonly faucet: FaucetSettings | undefined;
  /** Version of this program. */
  readonly version: string;
}

interface ApiParts {
  readonly view: IndexView;
  readonly logger: Logger;
  readonly onResponse: Metrics['request'];
  readonly onHold: Metrics['hold'];
  /** Undefined: no measurements. */
  readonly timing: RequestTiming | undefined;
  /** Sends a client's request to another part of the program. */
  readonly ask: (message: Extract<Message, { kind: 'token' | 'mempool-tx' }>) => void;
  /** The place of this worker among several; undefined outside of workers. */
  readonly worker?: WorkerIdentity | undefined;
}

export interface RunningApi {
  readonly port: number;
  requestsShed(): number;
  /** The resources that clients hold. */
  held(): readonly HeldFigures[];
  /** Of live updates. */
  live(): LiveMetrics;
  close(): Promise<void>;
}

/** Serves the API from the view. @throws if it cannot listen on the port */
export async function startApi(
  options: ApiOptions,
  { view, logger, onResponse, onHold, timing, ask, worker }: ApiParts,
): Promise<RunningApi> {
  const { settings, images, imagesUrl = IMAGES_PATH } = options.metadata;
  const metadata: MetadataSource = {
    db: view.metadata,
    enabled: settings !== undefined,
    request: (contractId, token) => ask({ kind: 'token', contractId, token }),
    imagesUrl,
    images: openImageStore(images),
  };
  const api = createApi({
    db: view.index,
    tip: view,
    mempool: { version: () => view.state && mempoolVersion(view.state) },
    metadata,
    status: { current: () => readStatus(view) },
    changes: view,
    chainId: options.chainId,
    version: options.version,
    logger,
    limits: {
      maxShare: options.maxShare / 100,
      maxConnections: options.maxConnections,
      maxConcurrentRequests: options.maxConcurrentRequests,
      maxResponseSize: options.maxResponseBytes,
      maxRowsSearched: options.maxRowsSearched,
      maxUnsentBytes: options.maxUnsentBytes,
      maxUnsentBytesPerClient: options.maxUnsentBytesPerClient,
      maxDownloads: options.maxDownloads,
      maxStreams: options.maxLiveClients,
      maxStreamsPerAddress: options.maxLiveClientsPerAddress,
    },
    trustProxy: options.trustProxy ?? [],
    processes: options.workers,
    onHold,
    liveLimits: {
      softQueue: options.maxLiveQueueBytes / 4,
      hardQueue: options.maxLiveQueueBytes,
      maxReplayBlocks: options.maxLiveReplayBlocks,
    },
    names: options.names,
    poxCycles: options.poxCycles,
    node: options.node,
    faucet: options.faucet,
    explorer: options.explorer ? addExplorer : undefined,
    onTaken: announcing(ask, view.index),
    deprecationHeaders: options.deprecationHeaders,
    deprecatedRoutes: options.deprecatedRoutes,
    onResponse,
    timing,
  });
  const sessions = worker && new WorkerSessions(worker);
  const channels = openChannels(api.server, api.live, sessions && (() => sessions.newId()));
  await sessions?.join(api.server);
  api.addHook('preClose', async () => {
    channels.close();
    sessions?.close();
  });
  await api.listen({ host: options.host, port: options.port });
  const address = api.server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    requestsShed: () => api.requestsShed(),
    held: () => api.clients.ledger.figures(),
    live: () => {
      const { streams, topics, events, dropped, lagSeconds } = api.live.figures();
      const { webSocket, socketIo } = channels.counts();
      const figures = {
        stream_clients: streams,
        websocket_clients: webSocket,
        socket_io_clients: socketIo,
        topics,
        events,
        dropped_clients: dropped,
      };
      return { figures, lagSeconds };
    },
    close: () => api.close(),
  };
}

/** The status that `GET /extended`, the probes and the metrics show. @throws the two database errors */
export async function readStatus(view: IndexView): Promise<IndexStatus> {
  const [length, load] = await Promise.all([new Journal(view.journal).length(), readLoad(view.journal)]);
  const [gaps, setAside, rebuilt, poxUnlockHeights] = await view.index.read(queries =>
    Promise.all([
      readGaps(queries),
      summaryOfSetAside(queries),
      summaryOfRebuilt(queries),
      readPoxUnlockHeights(queries),
    ]),
  );
  const { state } = view;
  if (!state) throw new RetryableDatabaseError('CONNECTION_REFUSED', 'no database has been read yet');
  return {
    // An indexed event was accepted, even if the journal of a replica does not show it yet.
    journalPosition: Math.max(length, view.newest),
    indexedPosition: state.position,
    gaps,
    setAside,
    rebuilt,
    load,
    burnHeight: state.burnHeight,
    poxUnlockHeights,
  };
}
