import type { Database } from '../../base/store/database.ts';
import { networkOf } from '../../ingest/chain/network.ts';
import { type PoxCycles, poxCyclesOf } from '../../ingest/chain/pox-cycles.ts';
import { createNodeRpc, DEFAULT_RPC_LIMITS, type NodeRpc } from '../../ingest/node/rpc.ts';
import { type MetadataSource, withoutPipeline } from '../../metadata/source.ts';
import type { FaucetSettings } from '../faucet/settings.ts';
import { type MempoolSource, versionOfAll } from '../http/caching.ts';
import { LongReads } from '../http/long-reads.ts';
import { addDocumentation } from '../http/openapi/openapi.ts';
import { type Api, createServer, DEFAULT_LIMITS, type ServerOptions } from '../http/server.ts';
import { addProbes, type StatusSource } from '../http/status.ts';
import type { ChangeSource } from '../live/feed.ts';
import type { LiveLimits } from '../live/limits.ts';
import { Streams } from '../live/streams.ts';
import type { NodeProxySettings } from '../node-proxy/settings.ts';
import { newestTenures } from '../records/blocks/fullness.ts';
import { accountNonces } from '../records/mempool/nonces.ts';
import type { NameVersions } from '../records/names/owned-names.ts';
import type { AddRoutes, ApiContext } from './context.ts';
import { EXTENDED_ROUTES_V1 } from './extended/v1/routes.ts';
import { EXTENDED_ROUTES_V2 } from './extended/v2/routes.ts';
import { EXTENDED_ROUTES_V3 } from './extended/v3/routes.ts';
import { addStatusRoutes } from './extended.ts';
import { addMetadataRoutes } from './metadata.ts';
import { addImageRoutes } from './metadata-images.ts';
import { overview } from './overview.ts';
import { ROUTES_V1 } from './v1/routes.ts';
import { addPriceRoutesV2 } from './v2/prices.ts';
import { addNodeRoutes, type NodeContext } from './v2.ts';

interface ApiDependencies extends ServerOptions {
  readonly db: Database;
  readonly mempool: MempoolSource;
  /** Without it, the API serves only metadata already in METADATA_TABLES of `db`, and fetches nothing. */
  readonly metadata?: MetadataSource;
  readonly status: StatusSource;
  readonly chainId: number;
  /** The versions of BNS to serve; by default both. */
  readonly names?: NameVersions;
  /** By default those of mainnet on mainnet, and unknown elsewhere. */
  readonly poxCycles?: PoxCycles | undefined;
  /** Without it, requests to `/v2` and `/v3` get a 503. */
  readonly node?: NodeProxySettings | undefined;
  /** The node for prices of names; by default the one of `node`. */
  readonly rpc?: NodeRpc;
  /** The faucets of a testnet; without them, every request to a faucet gets a 403. */
  readonly faucet?: FaucetSettings | undefined;
  /** Adds the explorer at `/explorer`, whose pages are built from requests to this API. Without it, `/explorer` is a 404. */
  readonly explorer?: ((api: Api, options: ExplorerOptions) => void) | undefined;
  /** Emits when the index changes. Without it, no live updates are sent. */
  readonly changes?: ChangeSource;
  readonly liveLimits?: Partial<LiveLimits>;
  /**
   * Called when the node has accepted a transaction into its mempool. Without it, the index gets the transaction only with the node's events.
   */
  readonly onTaken?: NodeContext['onTaken'];
  /** Those of all versions, unless given. An API with the routes of one version is made in less than half the time: tests make hundreds. */
  readonly routes?: readonly AddRoutes[];
}

/** Settings that all pages of the explorer use, besides the responses of the API. */
export interface ExplorerOptions {
  readonly version: string;
  /** The name of the network in the header: mainnet, testnet. */
  readonly network: string;
  /** URL of token images, perhaps on another host. */
  readonly imagesUrl: string;
  /** Identifies the state of chain and mempool that requests show now. */
  readonly state: () => string;
}

/** The lists of all versions, the newest first. Routes that need more than the context are added below by hand. */
const ROUTES = [...EXTENDED_ROUTES_V3, ...EXTENDED_ROUTES_V2, ...EXTENDED_ROUTES_V1, ...ROUTES_V1];

/** The whole API. */
export function createApi(parts: ApiDependencies): Api {
  const { db, tip, mempool, metadata = withoutPipeline(db), status, chainId, version, names = 'v1+v2' } = parts;
  const server = createServer(parts);
  const longReads = new LongReads(db, { ...DEFAULT_LIMITS, ...parts.limits });
  const network = networkOf(chainId);
  const poxCycles = parts.poxCycles ?? poxCyclesOf(network);
  const streams = new Streams({
    db,
    tip,
    version,
    chainId,
    changes: parts.changes ?? NO_CHANGES,
    clients: server.clients,
    limits: parts.liveLimits ?? {},
    onFailure: error => server.log.warn({ err: error }, 'live updates wait: the index cannot be read'),
  });
  server.decorate('live', streams);
  server.addHook('preClose', () => streams.close());
  const onTaken = parts.onTaken ?? (async () => {});
  const nextNonce = (address: string) =>
    db.read(async queries => (await accountNonces(queries, address)).possible_next_nonce);
  const context: ApiContext = {
    db,
    longReads,
    tip,
    mempool,
    metadata,
    status,
    streams,
    chainId,
    network,
    version,
    names,
    poxCycles,
    faucet: parts.faucet && { settings: parts.faucet, nextNonce, onTaken },
  };
  addProbes(server, status);
  addDocumentation(server, overview(version));
  const state = () => versionOfAll(parts);
  parts.explorer?.(server, { version, network, imagesUrl: metadata.imagesUrl, state });
  // In a plugin, as the documentation includes only routes of plugins that are registered after its own plugin.
  server.register(async (api: Api) => {
    addStatusRoutes(api, version, tip, status, parts.explorer !== undefined);
    for (const addRoutes of parts.routes ?? ROUTES) addRoutes(api, context);
    addPriceRoutesV2(api, parts.rpc ?? (parts.node && rpcOf(parts.node)), network);
    addNodeRoutes(api, parts.node, {
      tip,
      onTaken,
      tenures: complete => db.read(queries => newestTenures(queries, complete)),
    });
    addMetadataRoutes(api, context);
    addImageRoutes(api, metadata.images);
  });
  return server;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly live: Streams;
  }
}

const NO_CHANGES: ChangeSource = { onChange: () => () => {} };

const rpcOf = ({ node, timeoutMs }: NodeProxySettings): NodeRpc =>
  createNodeRpc({ ...DEFAULT_RPC_LIMITS, base: node, timeoutMs });
