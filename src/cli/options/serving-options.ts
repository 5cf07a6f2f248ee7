import { anyText, choice, onOff, orOff, port, postgresUrls, poxCycles, wholeNumber } from './option-parsers.ts';
import { type OptionSpec, UsageError } from './option-spec.ts';

/** Options of `serve` about its processes, the API and logs. See docs/scaling.md and docs/operations.md. */
export const SERVING_OPTIONS = {
  mode: {
    group: 'Processes',
    commands: ['serve'],
    value: 'MODE',
    parse: choice('default', 'readonly', 'writeonly'),
    env: 'STACKS_API_MODE',
    default: 'default',
    help: 'writeonly takes events and writes the index; readonly serves the API; default does both',
  },
  workers: {
    group: 'Processes',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(1, 256),
    env: 'STACKS_INDEX_WORKERS',
    default: '1',
    help: 'processes that serve the API on one port; if more than 1, another process writes the index',
  },
  'read-database': {
    group: 'Processes',
    commands: ['serve'],
    value: 'URLS',
    parse: postgresUrls,
    secret: true,
    env: 'STACKS_INDEX_READ_DATABASE',
    help: 'postgres:// URLs of replicas, separated by commas, that the API reads in turn; it reads --database if no replica is available',
  },
  'database-connections': {
    group: 'Processes',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(1, 1000),
    env: 'STACKS_INDEX_DATABASE_CONNECTIONS',
    default: '10',
    help: 'connections of each API process to each PostgreSQL server; a few more are opened for other purposes',
  },
  'query-timeout': {
    group: 'Processes',
    commands: ['serve'],
    value: 'MS',
    parse: wholeNumber(100, 3_600_000),
    env: 'STACKS_INDEX_QUERY_TIMEOUT',
    default: '30000',
    help: 'time after which PostgreSQL cancels a query of the API, in milliseconds',
  },
  host: {
    group: 'API',
    commands: ['serve'],
    value: 'HOST',
    parse: anyText,
    env: 'STACKS_BLOCKCHAIN_API_HOST',
    default: '127.0.0.1',
    help: 'address that the API listens on; 0.0.0.0 for all addresses',
  },
  port: {
    group: 'API',
    commands: ['serve'],
    value: 'PORT',
    parse: port,
    env: 'STACKS_BLOCKCHAIN_API_PORT',
    default: '3999',
    help: 'port of the API',
  },
  explorer: {
    group: 'API',
    commands: ['serve'],
    value: 'on|off',
    parse: onOff,
    env: 'STACKS_INDEX_EXPLORER',
    default: 'on',
    help: 'serve the explorer at /explorer, and redirect browsers there from /',
  },
  'pox-cycles': {
    group: 'API',
    commands: ['serve'],
    value: 'FIRST:LENGTH:PREPARE',
    parse: poxCycles,
    env: 'STACKS_INDEX_POX_CYCLES',
    help: 'reward cycles of this network: Bitcoin height at which cycle 0 begins, Bitcoin blocks of a cycle, and of its prepare phase; on mainnet 666050:2100:100 if not set; elsewhere cycles have no heights if not set',
  },
  'max-connections': {
    group: 'API',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(1, 1_000_000),
    env: 'STACKS_INDEX_MAX_CONNECTIONS',
    default: '10000',
    help: 'connections to the API at once; further ones are closed',
  },
  'max-concurrent-requests': {
    group: 'API',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(1, 1_000_000),
    env: 'STACKS_INDEX_MAX_CONCURRENT_REQUESTS',
    formerly: { flag: 'max-unanswered', env: 'STACKS_INDEX_MAX_UNANSWERED' },
    default: '1000',
    help: 'requests in progress at once; further ones get status 503 with Retry-After',
  },
  'max-response-bytes': {
    group: 'API',
    commands: ['serve'],
    value: 'BYTES',
    parse: wholeNumber(100_000, 512 * 1024 * 1024),
    env: 'STACKS_INDEX_MAX_RESPONSE_BYTES',
    formerly: { flag: 'max-answer-bytes', env: 'STACKS_INDEX_MAX_ANSWER_BYTES' },
    default: '67108864',
    help: 'largest response body; a request for more gets status 400',
  },
  'max-rows-searched': {
    group: 'API',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(1_000, 1_000_000_000),
    env: 'STACKS_INDEX_MAX_ROWS_SEARCHED',
    default: '200000',
    help: 'records that one request may search; a request that needs more gets status 503',
  },
  'max-unsent-bytes': {
    group: 'API',
    commands: ['serve'],
    value: 'BYTES',
    parse: wholeNumber(1_000_000, 64 * 1024 * 1024 * 1024),
    env: 'STACKS_INDEX_MAX_UNSENT_BYTES',
    default: '67108864',
    help: 'bytes of responses that clients have not read yet, in each process; further responses get status 503',
  },
  'max-unsent-bytes-per-client': {
    group: 'API',
    commands: ['serve'],
    value: 'BYTES',
    parse: wholeNumber(100_000, 64 * 1024 * 1024 * 1024),
    env: 'STACKS_INDEX_MAX_UNSENT_BYTES_PER_CLIENT',
    default: '8388608',
    help: 'the same for one client address; raise it behind a proxy that does not buffer responses',
  },
  'max-live-clients': {
    group: 'API',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(0, 1_000_000),
    env: 'STACKS_INDEX_MAX_LIVE_CLIENTS',
    default: '5000',
    help: 'clients of the stream, WebSocket and socket.io at once, in each process; further ones get status 503',
  },
  'max-live-clients-per-address': {
    group: 'API',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(0, 1_000_000),
    env: 'STACKS_INDEX_MAX_LIVE_CLIENTS_PER_ADDRESS',
    default: '20',
    help: 'the same for one client address; further ones get status 429; raise it behind a proxy, where all clients share one address',
  },
  'max-live-queue-bytes': {
    group: 'API',
    commands: ['serve'],
    value: 'BYTES',
    parse: wholeNumber(10_000, 1024 * 1024 * 1024),
    env: 'STACKS_INDEX_MAX_LIVE_QUEUE_BYTES',
    default: '4194304',
    help: 'bytes that a client of live updates may leave unread before it is disconnected; from a quarter of them on it gets no events of the mempool',
  },
  'max-live-replay-blocks': {
    group: 'API',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(1, 10_000_000),
    env: 'STACKS_INDEX_MAX_LIVE_REPLAY_BLOCKS',
    default: '10000',
    help: 'blocks that a client of the stream may be behind when it reconnects; beyond that it gets a gap event',
  },
  names: {
    group: 'API',
    commands: ['serve'],
    value: 'v1|v1+v2',
    parse: choice('v1', 'v1+v2'),
    env: 'STACKS_INDEX_NAMES',
    default: 'v1+v2',
    help: 'versions of BNS whose names are listed; the index has both',
  },
  'deprecation-headers': {
    group: 'API',
    commands: ['serve'],
    value: 'on|off',
    parse: onOff,
    env: 'STACKS_INDEX_DEPRECATION_HEADERS',
    default: 'on',
    help: 'send a Warning header from routes that are deprecated upstream',
  },
  'log-slow-ms': {
    group: 'Logs and metrics',
    commands: ['serve'],
    value: 'MS|off',
    parse: orOff(wholeNumber(0, 3_600_000)),
    env: 'STACKS_INDEX_LOG_SLOW_MS',
    default: 'off',
    help: 'log requests to the API that take at least this long, each with its database statements; 0 logs every request; measuring takes some CPU time',
  },
  'server-timing': {
    group: 'Logs and metrics',
    commands: ['serve'],
    value: 'on|off',
    parse: onOff,
    env: 'STACKS_INDEX_SERVER_TIMING',
    default: 'off',
    help: 'send the header Server-Timing: the time of each response and of its database statements; anyone can see it',
  },
} as const satisfies Record<string, OptionSpec>;

/**
 * A replica has the schemas of the primary, so it is enough to name the schema once, in `database`.
 * @throws UsageError
 */
export function replicasOf(urls: readonly string[], database: string | undefined): readonly string[] {
  if (urls.length > 0 && database === undefined)
    throw new UsageError('--read-database needs --database: the server that the index is written to', 'serve');
  return urls.map(url => inSameSchema(url, database ?? ''));
}

function inSameSchema(url: string, database: string): string {
  const schema = URL.canParse(database) ? new URL(database).searchParams.get('schema') : null;
  const read = new URL(url);
  if (schema !== null && !read.searchParams.has('schema')) read.searchParams.set('schema', schema);
  return read.href;
}
