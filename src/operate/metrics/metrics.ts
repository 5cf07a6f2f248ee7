/** Metrics for Prometheus. Names and meanings: docs/operations.md. */
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { EventOutcome } from '../../ingest/node/event-server.ts';
import { type HistogramValues, TimeHistogram } from './histogram.ts';
import { privateMemoryGauge } from './private-memory.ts';

/** Read on each scrape. Positions count the events of the journal. */
export interface IndexFigures {
  readonly height: number;
  readonly burnHeight: number;
  readonly journalPosition: number;
  readonly indexedPosition: number;
  readonly gaps: number;
  readonly setAside: number;
  readonly rebuilt: number;
  /** Undefined if no archive is loaded and no event waits for one. */
  readonly load?:
    | {
        readonly state: string;
        readonly progress: number | null;
        readonly waitingEvents: number;
        readonly waitingBytes: number;
      }
    | undefined;
}

/** Of live updates in one process. */
export interface LiveMetrics {
  /** Figures that are added over processes, by name. */
  readonly figures: Readonly<Record<string, number>>;
  /** Time from the last change until all listeners had received it. */
  readonly lagSeconds: number;
}

/** What clients hold of one resource, and how often clients were refused or disconnected since the start. */
export interface HeldFigures {
  readonly resource: string;
  readonly held: number;
  /** By limit: that of one address, or that of all clients. */
  readonly refused: Readonly<Record<string, number>>;
  readonly closed: number;
}

export interface MetricsSources {
  readonly index: () => Promise<IndexFigures>;
  /** Requests refused because of too much load, since the start. */
  readonly shed: () => number;
  /** What clients of the API hold (docs/reliability.md#what-a-client-may-hold); empty in a process without an API. */
  readonly clients: () => readonly HeldFigures[];
  /** Whether this process is the writer whose indexer runs. */
  readonly isActive: () => boolean;
  /** The table of --follow; undefined if this process does not read it. */
  readonly followed: () => { readonly isUp: boolean; readonly lag: number } | undefined;
  /** The databases of --read-database, in that order; empty without it. */
  readonly readDatabases: () => readonly { readonly isUp: boolean; readonly lag: number }[];
  /** Undefined while this process serves no live updates. */
  readonly live: () => LiveMetrics | undefined;
  /** Figures of webhooks; empty if this process does not deliver them. */
  readonly webhooks: () => Promise<Readonly<Record<string, number>>>;
  /** Figures of the metadata worker (metadata/jobs/metrics.ts); empty while it does not run. */
  readonly metadata: () => Readonly<Record<string, number>>;
}

export interface Metrics {
  /** A request of the API that got its response. @param route its path with placeholders */
  request(route: string, status: number, seconds: number): void;
  /** A statement that a request of the API has sent to the database. @param route its path with placeholders */
  statement(route: string, seconds: number): void;
  /** A long turn of the event loop, which blocked all other work. @param by the work that took most of it */
  hold(by: string, milliseconds: number): void;
  /** An event that a node posted, and its outcome. */
  event(path: string, outcome: EventOutcome, seconds: number): void;
  /** Acknowledged events are no longer in the journal. */
  journalLoss(): void;
  /** An event of another network that was refused. */
  wrongNetwork(): void;
  /** An attempt of --repair-gaps has ended. */
  gapRepair(outcome: 'rebuilt' | 'refused' | 'failed'): void;
  /** The metrics of this process, to be added to those of others. */
  values(): Promise<MetricValues>;
  /** The text that Prometheus reads. @param others metrics of the API workers of this process */
  text(others?: readonly MetricValues[]): Promise<string>;
  readonly contentType: string;
}

/** Plain data, to be sent between processes. */
export type MetricValues = readonly (MetricObjectWithValues<MetricValue<string>> | HistogramValues)[];

/** Metrics of one process, with the default ones of Node.js. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  privateMemoryGauge(registry);
  const requests = new TimeHistogram(
    'stacks_index_http_request_seconds',
    'Time from the first byte of a request to the end of its response',
    ['route', 'status'],
  );
  const statements = new TimeHistogram(
    'stacks_index_statement_seconds',
    'Time of a database statement of a request, from sending it to having its rows',
    ['route'],
  );
  const events = new TimeHistogram(
    'stacks_index_event_seconds',
    'Time from the end of an event to its acknowledgement',
    ['path', 'outcome'],
  );
  const losses = new Counter({
    name: 'stacks_index_journal_losses_total',
    help: 'How often events that were acknowledged were found to be gone from the journal',
    registers: [registry],
  });
  const holds = new TimeHistogram(
    'stacks_index_loop_hold_seconds',
    'Turns of the event loop of more than 50 ms, by the work that took most of the turn',
    ['by'],
  );
  const wrongNetwork = new Counter({
    name: 'stacks_index_wrong_network_events_total',
    help: 'Events that were refused because they are of another network than the index',
    registers: [registry],
  });
  const gapRepairs = new Counter({
    name: 'stacks_index_gap_repairs_total',
    help: 'Missing blocks that --repair-gaps rebuilt or refused, and attempts that failed',
    labelNames: ['outcome'],
    registers: [registry],
  });
  new Counter({
    name: 'stacks_index_http_shed_total',
    help: 'Requests that got status 429 or 503 because too many arrived at once',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(sources.shed());
    },
  });
  const readIndex = indexGauges(registry, sources.index);
  new Gauge({
    name: 'stacks_index_metadata',
    help: 'Token metadata: jobs by state, how jobs ended since the start, age of the oldest job that is due',
    labelNames: ['figure'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [figure, value] of Object.entries(sources.metadata())) this.set({ figure }, value);
    },
  });
  liveGauges(registry, sources.live);
  clientMetrics(registry, sources.clients);
  new Gauge({
    name: 'stacks_index_webhooks',
    help: 'Webhooks: how many are active, failing or parked, bodies that were confirmed and attempts that failed since the start, blocks that the last of the active ones is behind',
    labelNames: ['figure'],
    registers: [registry],
    async collect() {
      this.reset();
      const figures = await sources.webhooks().catch(() => ({})); // stacks_index_up shows that a database is away
      for (const [figure, value] of Object.entries(figures)) this.set({ figure }, value);
    },
  });
  writerGauge(registry, sources.isActive);
  readDatabaseGauges(registry, sources.readDatabases);
  followGauges(registry, sources.followed);
  const values = async (): Promise<MetricValues> => {
    await readIndex();
    const histograms = [requests, statements, events, holds].map(histogram => histogram.values());
    return [...histograms, ...(await registry.getMetricsAsJSON())];
  };
  return {
    request: (route, status, seconds) => requests.observe(seconds, route, String(status)),
    statement: (route, seconds) => statements.observe(seconds, route),
    event: (path, outcome, seconds) => events.observe(seconds, path, outcome),
    journalLoss: () => losses.inc(),
    wrongNetwork: () => wrongNetwork.inc(),
    gapRepair: outcome => gapRepairs.inc({ outcome }),
    hold: (by, milliseconds) => holds.observe(milliseconds / 1000, by),
    values,
    text: async (others = []) => {
      const own = await values();
      return AggregatorRegistry.aggregate([own, ...others].map(each => [...each])).metrics();
    },
    contentType: registry.contentType,
  };
}

const INDEX_GAUGES: readonly (readonly [name: string, help: string, of: (figures: IndexFigures) => number])[] = [
  ['stacks_index_block_height', 'Height of the canonical tip', figures => figures.height],
  ['stacks_index_burn_block_height', 'Burn block height of the canonical tip', figures => figures.burnHeight],
  ['stacks_index_journal_position', 'Events that were accepted', figures => figures.journalPosition],
  ['stacks_index_indexed_position', 'Events that the index contains', figures => figures.indexedPosition],
  [
    'stacks_index_lag_events',
    'Events that were accepted and are not in the index yet',
    figures => figures.journalPosition - figures.indexedPosition,
  ],
  [
    'stacks_index_gaps',
    'Missing parents that delivered blocks wait for (at most 100 are counted)',
    figures => figures.gaps,
  ],
  [
    'stacks_index_set_aside',
    'Accepted events that the index does without as they cannot be applied, and blocks applied without duplicate transactions',
    figures => figures.setAside,
  ],
  [
    'stacks_index_rebuilt_blocks',
    'Blocks that no node has delivered, and that were rebuilt from the RPC of a node',
    figures => figures.rebuilt,
  ],
  [
    'stacks_index_load_progress',
    'Part of the archive that was read while it is loaded by serve --replay, 0 to 1; 1 without a load',
    figures => figures.load?.progress ?? (figures.load ? 0 : 1),
  ],
  [
    'stacks_index_load_failed',
    '1 when an archive cannot be loaded and events of the node wait for its end',
    figures => (figures.load?.state === 'failed' ? 1 : 0),
  ],
  [
    'stacks_index_waiting_events',
    'Events of the node that wait for the end of an archive',
    figures => figures.load?.waitingEvents ?? 0,
  ],
  [
    'stacks_index_waiting_bytes',
    'Bytes that these events take on the disk',
    figures => figures.load?.waitingBytes ?? 0,
  ],
];

/** Adds the gauges. The function it returns sets them all from one read of the index. */
function indexGauges(registry: Registry, read: () => Promise<IndexFigures>): () => Promise<void> {
  // Several processes report the same index: the highest value counts.
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry], aggregator: 'max' });
  const up = gauge('stacks_index_up', '1 when the index can be read');
  const gauges = INDEX_GAUGES.map(([name, help, of]) => [gauge(name, help), of] as const);
  return async () => {
    const figures = await read().catch(() => undefined);
    up.set(figures ? 1 : 0);
    if (figures) for (const [each, of] of gauges) each.set(of(figures));
  };
}

function liveGauges(registry: Registry, read: MetricsSources['live']): void {
  new Gauge({
    name: 'stacks_index_live',
    help: 'Live updates: clients of each channel, topics, events sent, clients disconnected as they read too slowly',
    labelNames: ['figure'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [figure, value] of Object.entries(read()?.figures ?? {})) this.set({ figure }, value);
    },
  });
  new Gauge({
    name: 'stacks_index_live_lag_seconds',
    help: 'Live updates: seconds from the last change of the index until all listeners had received it',
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.set(read()?.lagSeconds ?? 0);
    },
  });
}

function clientMetrics(registry: Registry, read: MetricsSources['clients']): void {
  new Gauge({
    name: 'stacks_index_held',
    help: 'What all clients of the API together hold of a resource that is limited for each address',
    labelNames: ['resource'],
    registers: [registry],
    collect() {
      for (const { resource, held } of read()) this.set({ resource }, held);
    },
  });
  new Counter({
    name: 'stacks_index_refused_total',
    help: 'How often a client was refused more of a resource, by the limit that it would have passed: of its address, or the total',
    labelNames: ['resource', 'limit'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { resource, refused } of read())
        for (const [limit, count] of Object.entries(refused)) this.inc({ resource, limit }, count);
    },
  });
  new Counter({
    name: 'stacks_index_closed_total',
    help: 'Connections, requests and streams of clients that were ended to make room for other clients',
    labelNames: ['resource'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { resource, closed } of read()) this.inc({ resource }, closed);
    },
  });
}

function writerGauge(registry: Registry, isActive: () => boolean): void {
  new Gauge({
    name: 'stacks_index_writer_active',
    help: '1 when this process is the writer whose indexer runs',
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.set(isActive() ? 1 : 0);
    },
  });
}

function followGauges(registry: Registry, read: MetricsSources['followed']): void {
  const gauge = (name: string, help: string, of: (source: { isUp: boolean; lag: number }) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      aggregator: 'max',
      collect() {
        const source = read();
        if (source) this.set(of(source));
        else this.remove();
      },
    });
  gauge('stacks_index_follow_up', '1 when the last reading of the table of --follow succeeded', ({ isUp }) =>
    Number(isUp),
  );
  gauge(
    'stacks_index_follow_lag_rows',
    'Ids of the table of --follow from the last row that is in the journal to its last row',
    ({ lag }) => lag,
  );
}

function readDatabaseGauges(registry: Registry, read: MetricsSources['readDatabases']): void {
  const gauge = (name: string, help: string, of: (source: { isUp: boolean; lag: number }) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['database'],
      registers: [registry],
      aggregator: 'max',
      collect() {
        this.reset();
        for (const [i, source] of read().entries()) this.set({ database: String(i) }, of(source));
      },
    });
  gauge('stacks_index_read_database_up', '1 when this database of --read-database can be read', ({ isUp }) =>
    Number(isUp),
  );
  gauge(
    'stacks_index_read_database_lag_events',
    'Events that the index of this database is behind the newest one known of',
    ({ lag }) => lag,
  );
}
