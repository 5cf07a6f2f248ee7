import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import { addExplorer } from '../../src/api/explorer/explorer.ts';
import type { Clients } from '../../src/api/http/clients.ts';
import type { Method } from '../../src/api/http/openapi/document.ts';
import type { Api, ServerLimits } from '../../src/api/http/server.ts';
import { validatorCompiler } from '../../src/api/http/validation.ts';
import { openChannels } from '../../src/api/live/channels.ts';
import type { LiveLimits } from '../../src/api/live/limits.ts';
import { mempoolVersion } from '../../src/api/records/mempool/queries.ts';
import { createApi } from '../../src/api/routes/api.ts';
import type { AddRoutes } from '../../src/api/routes/context.ts';
import { EXTENDED_ROUTES_V1 } from '../../src/api/routes/extended/v1/routes.ts';
import { EXTENDED_ROUTES_V2 } from '../../src/api/routes/extended/v2/routes.ts';
import { EXTENDED_ROUTES_V3 } from '../../src/api/routes/extended/v3/routes.ts';
import { ok } from '../../src/base/lib/result.ts';
import type { Database, Row } from '../../src/base/store/database.ts';
import { readPoxUnlockHeights } from '../../src/index/blocks/canonical-chain.ts';
import { INDEX_SCHEMA } from '../../src/index/index-schema.ts';
import type { PoxCycles } from '../../src/ingest/chain/pox-cycles.ts';
import { readGaps } from '../../src/ingest/indexer/gaps.ts';
import { type IndexState, readState, tipOf } from '../../src/ingest/indexer/index-state.ts';
import { Indexer } from '../../src/ingest/indexer/indexer.ts';
import { summaryOfRebuilt } from '../../src/ingest/indexer/rebuilt-blocks.ts';
import type { IndexSchema } from '../../src/ingest/indexer/schema.ts';
import { summaryOfSetAside } from '../../src/ingest/indexer/set-aside.ts';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { Journal } from '../../src/ingest/journal/journal.ts';
import { readArchive } from '../../src/ingest/node/archive/read.ts';
import { type MetadataSource, withoutPipeline } from '../../src/metadata/source.ts';
import { bindChain } from '../../src/operate/storage/chain-binding.ts';
import { stateHash } from '../../src/operate/verify/state-hash.ts';
import { dumpIndex } from './dump.ts';
import { PATIENT_LIMITS } from './patient-limits.ts';
import { createTables } from './reused-database.ts';
import { type CheckResponse, checkedResponses } from './validated.ts';

export const TESTNET = 0x80000000;

/** A response of the API: its status, headers and parsed body; that of a downloaded list as it is. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // Tests look into bodies freely; what they expect is what they assert.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
  readonly body: any;
}

/** A page as it is sent. */
export interface ServedPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A request with its body as it is sent, JSON unless its headers say otherwise. */
export interface Asked {
  readonly method: Method;
  readonly url: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A journal, its index and the API over it, in one database and one thread. */
export interface TestIndex {
  readonly journal: Journal;
  readonly indexer: Indexer;
  /** Journals these deliveries as a node's, and applies them. */
  deliver(...deliveries: Delivery[]): Promise<IndexState>;
  /** As `stacks-index replay` does, without the process. */
  replay(file: string): Promise<IndexState>;
  /** Throws when the response breaks the schema that its route publishes. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ApiResponse>;
  /** Serves the API on a port, for what is no single response. @returns where */
  listen(): Promise<{
    readonly port: number;
    readonly clients: Clients;
    /** Resolves when live updates have read what was delivered. */
    read(): Promise<void>;
    close(): Promise<void>;
  }>;
  /** As `get`, with the method and the body of the request. */
  ask(request: Asked): Promise<ApiResponse>;
  /** What is no JSON: a page of the explorer, or a file. @param reader the address of the client */
  page(path: string, headers?: Readonly<Record<string, string>>, reader?: string): Promise<ServedPage>;
  state(): Promise<IndexState>;
  /** Every row of every table of the index, for comparing two indexes. */
  dump(): Promise<Record<string, Row[]>>;
  /** See operate/verify/state-hash.ts. */
  stateHash(): Promise<string>;
}

/** Of all APIs of this process: compiling schemas takes longer than most of what tests ask. */
const validators = validatorCompiler();

/** Routes by the beginning of their paths. */
const ROUTES_OF: Readonly<Record<string, readonly AddRoutes[]>> = {
  '/extended/v1/': EXTENDED_ROUTES_V1,
  '/extended/v2/': EXTENDED_ROUTES_V2,
  '/extended/v3/': EXTENDED_ROUTES_V3,
};

/** Reward cycles of the sample chain. */
export const SAMPLE_CYCLES: PoxCycles = { first: 0, length: 20, prepare: 4 };

/** What a test index has other than usual. */
export interface TestIndexOptions {
  readonly chainId?: number;
  readonly logger?: Logger;
  /** What its API has of a metadata pipeline; nothing without it. */
  readonly metadata?: Partial<MetadataSource>;
  readonly schema?: IndexSchema;
  readonly limits?: Partial<ServerLimits>;
  readonly liveLimits?: Partial<LiveLimits>;
  /** Of a testnet; null where they are not known. */
  readonly poxCycles?: PoxCycles | null;
  /** Whether its API serves routes that are deprecated upstream; it does by default. */
  readonly deprecatedRoutes?: boolean;
}

interface Served {
  readonly api: Api;
  readonly checkResponse: CheckResponse;
}

const servedBy = (api: Api, whole?: () => Api): Served => ({ api, checkResponse: checkedResponses(api, whole) });

/** Opens an index in an empty database. */
export async function openTestIndex(db: Database, options: TestIndexOptions = {}): Promise<TestIndex> {
  const { chainId = TESTNET, logger = pino({ level: 'silent' }), schema = INDEX_SCHEMA } = options;
  const { metadata = {}, limits = {}, liveLimits = {}, poxCycles = SAMPLE_CYCLES, deprecatedRoutes = true } = options;
  await createTables(db);
  await bindChain(db, chainId);
  const journal = new Journal(db);
  const indexer = new Indexer({ db, journal, chainId, schema, logger });
  let state = await indexer.state();
  const listeners = new Set<() => void>();
  const openApi = (routes?: readonly AddRoutes[]) =>
    createApi({
      db,
      tip: { current: () => tipOf(state) },
      mempool: { version: () => mempoolVersion(state) },
      metadata: { ...withoutPipeline(db), ftListMaxAgeMs: 0, ...metadata },
      status: {
        current: async () => ({
          journalPosition: await journal.length(),
          indexedPosition: state.position,
          gaps: await db.read(readGaps),
          setAside: await db.read(summaryOfSetAside),
          rebuilt: await db.read(summaryOfRebuilt),
          burnHeight: state.burnHeight,
          poxUnlockHeights: await db.read(readPoxUnlockHeights),
        }),
      },
      changes: {
        onChange: listener => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      },
      chainId,
      poxCycles: chainId === TESTNET && poxCycles !== null ? poxCycles : undefined,
      rpc: { callReadOnly: async () => ok({ type: 'ok', value: { type: 'uint', value: 2_000_000n } }) },
      explorer: routes === undefined ? addExplorer : undefined,
      version: '0.0.0',
      validators,
      limits: { ...PATIENT_LIMITS, ...limits },
      liveLimits,
      deprecatedRoutes,
      ...(routes && { routes }),
    });
  let whole: Served | undefined;
  const parts = new Map<string, Served>();
  const serveWhole = (): Served => {
    whole ??= servedBy(openApi());
    return whole;
  };
  /**
   * Made for the first request: it takes longer than most of what tests deliver, and with all routes twice as long as with those of one version. Limits
   * that a test has set count all requests, so one server serves them.
   */
  const serve = (url: string): Served => {
    const [start = ''] = (options.limits === undefined && /^\/extended\/v\d\//.exec(url)) || [];
    const [routes, made] = [ROUTES_OF[start], parts.get(start) ?? whole];
    if (made !== undefined || routes === undefined) return made ?? serveWhole();
    const part = servedBy(openApi(routes), () => serveWhole().api);
    parts.set(start, part);
    return part;
  };
  const catchUp = async () => {
    state = await indexer.catchUp();
    for (const listener of listeners) listener();
    return state;
  };
  const ask = async ({ method, url, body: payload, headers: given = {} }: Asked): Promise<ApiResponse> => {
    // Without it, a request for a stream of events would get one, which never ends.
    const headers = { accept: 'application/json', ...given };
    const { api, checkResponse } = serve(url);
    const response = await api.inject({
      method: method === 'get' ? 'GET' : 'POST',
      url,
      ...(payload === undefined
        ? { headers }
        : { payload, headers: { 'content-type': 'application/json', ...headers } }),
    });
    const isFile = /ndjson|csv/.test(String(response.headers['content-type']));
    const body = response.body === '' ? undefined : isFile ? response.body : JSON.parse(response.body);
    await checkResponse(response, body);
    return { status: response.statusCode, headers: response.headers, body };
  };
  return {
    journal,
    indexer,
    deliver: async (...deliveries) => {
      for (const delivery of deliveries) await journal.accept(delivery);
      return catchUp();
    },
    replay: async file => {
      const deliveries: Delivery[] = [];
      for await (const row of readArchive(file)) if (row.kind === 'event') deliveries.push(row);
      await journal.append(deliveries);
      return catchUp();
    },
    get: (path, headers = {}) => ask({ method: 'get', url: path, headers }),
    ask,
    page: async (url, headers = {}, remoteAddress = '127.0.0.1') => {
      const response = await serve(url).api.inject({ url, headers, remoteAddress });
      return { status: response.statusCode, headers: response.headers, body: response.body };
    },
    listen: async () => {
      const { api } = serveWhole();
      const channels = openChannels(api.server, api.live);
      api.addHook('preClose', async () => channels.close());
      await api.listen({ host: '127.0.0.1', port: 0 });
      return {
        port: (api.server.address() as AddressInfo).port,
        clients: api.clients,
        read: () => api.live.feed.settled(),
        close: () => api.close(),
      };
    },
    state: () => db.read(readState),
    dump: () => dumpIndex(db),
    stateHash: async () => (await db.read(queries => stateHash(queries))).hash,
  };
}
