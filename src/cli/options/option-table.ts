import { BLOCK_NAME_FORMS } from '../../base/lib/block-name.ts';
import { fail, ok } from '../../base/lib/result.ts';
import { DEFAULT_BURN_FORK_DEPTH } from '../../ingest/chain/burn-chain.ts';
import { MAINNET_CHAIN_ID } from '../../ingest/chain/network.ts';
import { MAX_GAPS } from '../../ingest/indexer/gaps.ts';
import { EXPORT_FORMATS, EXPORTED_LIST_NAMES, TRANSACTIONS_IN_PART } from '../../operate/export/names.ts';
import { FAUCET_OPTIONS } from './faucet-options.ts';
import { METADATA_OPTIONS } from './metadata-options.ts';
import { NODE_OPTIONS } from './node-options.ts';
import {
  anyText,
  archives,
  blockName,
  choice,
  choices,
  decimalNumber,
  list,
  matching,
  minisignKey,
  port,
  webUrl,
  wholeNumber,
} from './option-parsers.ts';
import type { Environment, OptionSpec, Parse, ValuesOf } from './option-spec.ts';
import { REPAIR_OPTIONS } from './repair-options.ts';
import { SERVING_OPTIONS } from './serving-options.ts';
import { WEBHOOK_OPTIONS } from './webhook-options.ts';

/** Commands that work on the journal and the index of one place. */
const ON_AN_INDEX = [
  'serve',
  'replay',
  'verify',
  'reindex',
  'drop-old',
  'set-aside',
  'gaps',
  'export',
  'snapshot',
  'compare',
  'hooks',
  'journal',
] as const;

/**
 * Every option of every command, by its flag. The command line, the environment, the help and docs/configuration.md follow from
 * this table.
 */
export const OPTIONS = {
  data: {
    group: 'Storage',
    commands: ON_AN_INDEX,
    value: 'DIR',
    parse: anyText,
    env: 'STACKS_INDEX_DATA',
    default: './stacks-index-data',
    help: 'directory of the journal and the index (SQLite)',
  },
  database: {
    group: 'Storage',
    commands: ON_AN_INDEX,
    value: 'URL',
    parse: anyText,
    secret: true,
    env: 'STACKS_INDEX_DATABASE',
    otherEnv: {
      names: ['PG_CONNECTION_URI', 'PG_HOST', 'PG_PORT', 'PG_USER', 'PG_PASSWORD', 'PG_DATABASE', 'PG_SCHEMA'],
      read: postgresOfEnvironment,
    },
    help: 'postgres:// URL, instead of --data; ?schema=NAME selects a schema, ?prepare=false is for a pooler without prepared statements',
  },
  'chain-id': {
    group: 'Storage',
    commands: ['serve', 'replay', 'reindex', 'set-aside', 'gaps', 'compare', 'estimate'],
    ignoredBy: ['verify', 'drop-old', 'export', 'copy', 'snapshot', 'hooks', 'journal'],
    value: 'ID',
    parse: chainId(),
    env: 'STACKS_CHAIN_ID',
    help: 'chain id of the network: 0x00000001 for mainnet, 0x80000000 for testnet. Default: that of the index; in an empty one, that of the first transaction that names one',
  },
  journal: {
    group: 'Storage',
    commands: ['serve', 'replay'],
    value: 'EXTENT',
    parse: choice('full', 'recent'),
    env: 'STACKS_INDEX_JOURNAL',
    default: 'full',
    help: 'full keeps all events as they came; recent drops the payloads of those that no fork within --burn-fork-depth needs: then a reindex needs an archive',
  },
  ...SERVING_OPTIONS,
  'event-host': {
    group: 'Events from the node',
    commands: ['serve'],
    value: 'HOST',
    parse: anyText,
    env: 'STACKS_CORE_EVENT_HOST',
    default: '127.0.0.1',
    help: 'address that the event server listens on',
  },
  'event-port': {
    group: 'Events from the node',
    commands: ['serve'],
    value: 'PORT',
    parse: port,
    env: 'STACKS_CORE_EVENT_PORT',
    default: '3700',
    help: 'port of the event server; 0 turns it off',
  },
  'event-secret': {
    group: 'Events from the node',
    commands: ['serve'],
    value: 'TEXT',
    parse: matching(/^[\w.~-]{8,200}$/, '8 to 200 letters, digits, or any of - . _ ~'), // safe in a URL path
    secret: true,
    env: 'STACKS_INDEX_EVENT_SECRET',
    help: 'secret that the node must send: endpoint = "host:port/TEXT" in its configuration; prefer the variable, as other users can read command lines',
  },
  follow: {
    group: 'Events from the node',
    commands: ['serve'],
    value: 'URL',
    parse: matching(/^postgres(ql)?:\/\/\S+$/, 'a URL of the form postgres://user:password@host:5432/name'),
    secret: true,
    env: 'STACKS_INDEX_FOLLOW',
    help: "database of the hosted API's software or of the event publisher (?schema=NAME selects a schema): serve reads new events from its table once a second, with or without a node",
  },
  'max-event-bytes': {
    group: 'Events from the node',
    commands: ['serve', 'replay', 'gaps', 'reindex', 'estimate'],
    value: 'BYTES',
    parse: wholeNumber(1024, 512 * 1024 * 1024),
    env: 'STACKS_INDEX_MAX_EVENT_BYTES',
    default: '500000000',
    help: 'largest event body accepted; the genesis block of mainnet has 80 MB',
  },
  'max-event-nesting': {
    group: 'Events from the node',
    commands: ['serve', 'replay', 'gaps', 'reindex', 'estimate'],
    value: 'LEVELS',
    parse: wholeNumber(16, 10_000),
    env: 'STACKS_INDEX_MAX_EVENT_NESTING',
    default: '512',
    help: 'deepest JSON accepted in an event',
  },
  'min-free-space': {
    group: 'Events from the node',
    commands: ['serve', 'replay'],
    value: 'BYTES',
    parse: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    env: 'STACKS_INDEX_MIN_FREE_SPACE',
    default: '1073741824',
    help: 'free space on the disk of --data below which events get status 503, and replay stops; 0 for none',
  },
  'max-gaps': {
    group: 'Events from the node',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(1, MAX_GAPS),
    env: 'STACKS_INDEX_MAX_GAPS',
    default: String(MAX_GAPS),
    help: 'without an event secret: largest number of missing parents that blocks may wait for; a block that waits for one more gets status 503',
  },
  replay: {
    group: 'Events from the node',
    commands: ['serve'],
    value: 'ARCHIVES',
    parse: archives,
    secret: true,
    env: 'STACKS_INDEX_REPLAY',
    help: 'event archives to load while serving: files and URLs, separated by commas, in this order; events of the node wait for their end. One that was loaded is not read again; none gives up those that are not complete',
  },
  'max-waiting-bytes': {
    group: 'Events from the node',
    commands: ['serve'],
    value: 'BYTES',
    parse: wholeNumber(1_000_000, Number.MAX_SAFE_INTEGER),
    env: 'STACKS_INDEX_MAX_WAITING_BYTES',
    default: '10737418240',
    help: 'with --replay: stored bytes of events of the node that may wait for the end of an archive; further ones get status 503',
  },
  'burn-fork-depth': {
    group: 'Events from the node',
    commands: ['serve', 'replay', 'reindex', 'set-aside', 'gaps', 'journal'],
    value: 'BLOCKS',
    parse: wholeNumber(1, 1_000_000),
    env: 'STACKS_INDEX_BURN_FORK_DEPTH',
    default: String(DEFAULT_BURN_FORK_DEPTH),
    help: 'burn blocks that a fork of the burn chain may displace at once; a fork that displaces more must be longer than what it displaces',
  },
  ...NODE_OPTIONS,
  ...FAUCET_OPTIONS,
  ...REPAIR_OPTIONS,
  'log-level': {
    group: 'Logs and metrics',
    commands: ['serve', 'replay', 'reindex', 'set-aside', 'gaps', 'compare'],
    ignoredBy: ['verify', 'drop-old', 'export', 'copy', 'snapshot', 'hooks', 'journal', 'estimate'],
    value: 'LEVEL',
    parse: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    env: 'STACKS_INDEX_LOG_LEVEL',
    default: 'info',
    help: 'trace, debug, info, warn, error, fatal or silent; logs are JSON lines on standard output',
  },
  'metrics-host': {
    group: 'Logs and metrics',
    commands: ['serve'],
    value: 'HOST',
    parse: anyText,
    env: 'STACKS_INDEX_METRICS_HOST',
    default: '127.0.0.1',
    help: 'address that serves metrics and probes',
  },
  'metrics-port': {
    group: 'Logs and metrics',
    commands: ['serve'],
    value: 'PORT',
    parse: port,
    env: 'STACKS_INDEX_METRICS_PORT',
    default: '0',
    help: 'port of GET /metrics for Prometheus, /livez and /readyz; 0 turns it off',
  },
  ...METADATA_OPTIONS,
  ...WEBHOOK_OPTIONS,
  from: {
    group: 'Storage',
    commands: ['copy', 'replay'],
    value: 'PLACE',
    parse: anyText,
    requiredBy: ['copy'],
    secret: true,
    help: "directory or postgres:// URL to copy from (?schema=NAME selects a schema); for replay, the database of the hosted API's software or of the event publisher",
  },
  to: {
    group: 'Storage',
    commands: ['copy', 'export'],
    value: 'PLACE',
    parse: anyText,
    requiredBy: ['copy'],
    secret: true,
    help: 'directory or postgres:// URL to copy to; it must be empty, or hold an unfinished copy. For export --list, the directory of the lists',
  },
  list: {
    group: 'Other options',
    commands: ['export'],
    value: 'LISTS',
    parse: choices(...EXPORTED_LIST_NAMES),
    help: `lists of the chain to write in place of an archive, separated by commas: ${EXPORTED_LIST_NAMES.join(', ')}`,
  },
  format: {
    group: 'Other options',
    commands: ['export'],
    value: 'FORMAT',
    parse: choice(...EXPORT_FORMATS),
    help: 'with --list: parquet, ndjson or csv; parquet if not set',
  },
  at: {
    group: 'Other options',
    commands: ['export'],
    value: 'BLOCK',
    parse: blockName,
    help: `with --list: the block as of which the lists are, ${BLOCK_NAME_FORMS}; the tip if not set`,
  },
  'part-transactions': {
    group: 'Other options',
    commands: ['export'],
    value: 'COUNT',
    parse: wholeNumber(1, 10_000_000),
    default: String(TRANSACTIONS_IN_PART),
    help: 'with --list: transactions of a file; a later export into the same directory needs the same number',
  },
  with: {
    group: 'Other options',
    commands: ['compare'],
    value: 'URL',
    parse: webUrl,
    requiredBy: ['compare'],
    help: 'the server to compare with, such as https://api.hiro.so',
  },
  routes: {
    group: 'Other options',
    commands: ['compare'],
    value: 'LIST',
    parse: list,
    help: 'routes to compare, separated by commas: parts of their names or paths; if not set, all but those of token metadata',
  },
  samples: {
    group: 'Other options',
    commands: ['compare'],
    value: 'COUNT',
    parse: wholeNumber(1, 100_000),
    default: '20',
    help: 'requests for each route',
  },
  rate: {
    group: 'Other options',
    commands: ['compare'],
    value: 'NUMBER',
    parse: decimalNumber(0.001, 1000),
    help: 'most requests a second to the other server, such as 0.5; if not set, as many as it answers',
  },
  state: {
    group: 'Other options',
    commands: ['compare'],
    value: 'FILE',
    parse: anyText,
    help: 'file that keeps the progress: the same command continues where it stopped',
  },
  places: {
    group: 'Other options',
    commands: ['estimate'],
    value: 'COUNT',
    parse: wholeNumber(2, 1000),
    default: '16',
    help: 'places of the archive that samples come from, at equal distances',
  },
  'sample-bytes': {
    group: 'Other options',
    commands: ['estimate'],
    value: 'BYTES',
    parse: wholeNumber(10_000, 64 * 1024 * 1024),
    default: '4194304',
    help: 'uncompressed bytes of the sample of each place; all samples are in memory at once',
  },
  json: {
    group: 'Other options',
    commands: ['estimate'],
    help: 'print the estimate as JSON',
  },
  retry: {
    group: 'Other options',
    commands: ['set-aside'],
    help: 'apply the events again that are set aside',
  },
  below: {
    group: 'Other options',
    commands: ['journal'],
    value: 'HEIGHT',
    parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    help: 'journal drop: payloads of blocks of this height and above stay; so do those that a fork within --burn-fork-depth needs',
  },
  archive: {
    group: 'Other options',
    commands: ['reindex'],
    value: 'ARCHIVE',
    parse: anyText,
    secret: true,
    help: 'archive (file, http:// or https:// URL, - or postgres:// URL) that has the payloads that were dropped from the journal',
  },
  'allow-private': {
    group: 'Other options',
    commands: ['serve', 'replay', 'gaps', 'reindex', 'snapshot', 'estimate'],
    help: 'read archives and snapshots also from URLs of addresses that are not public, such as 127.0.0.1',
  },
  snapshot: {
    group: 'Other options',
    commands: ['serve'],
    env: 'STACKS_INDEX_SNAPSHOT',
    value: 'URL',
    parse: webUrl,
    help: 'snapshot to restore before serving if nothing is stored yet; a stopped restore is continued, and later the option does nothing',
  },
  'snapshot-key': {
    group: 'Other options',
    commands: ['serve', 'snapshot'],
    env: 'STACKS_INDEX_SNAPSHOT_KEY',
    value: 'KEY',
    parse: minisignKey,
    help: 'public key of minisign (the line that begins with RW): a snapshot from a URL, and one to publish, must be signed with it',
  },
  insecure: {
    group: 'Other options',
    commands: ['serve', 'snapshot'],
    help: 'take a snapshot from a URL without a signature',
  },
  's3-endpoint': {
    group: 'Other options',
    commands: ['snapshot'],
    env: 'AWS_ENDPOINT_URL_S3',
    value: 'URL',
    parse: webUrl,
    help: 'S3-compatible service of an s3:// target; https://s3.REGION.amazonaws.com if not set',
  },
  's3-region': {
    group: 'Other options',
    commands: ['snapshot'],
    env: 'AWS_REGION',
    value: 'NAME',
    parse: anyText,
    default: 'us-east-1',
    help: 'region of the bucket of an s3:// target',
  },
  's3-access-key': {
    group: 'Other options',
    commands: ['snapshot'],
    value: 'TEXT',
    parse: anyText,
    secret: true,
    environmentOnly: true,
    env: 'AWS_ACCESS_KEY_ID',
    help: 'access key id for the bucket of an s3:// target',
  },
  's3-secret-key': {
    group: 'Other options',
    commands: ['snapshot'],
    value: 'TEXT',
    parse: anyText,
    secret: true,
    environmentOnly: true,
    env: 'AWS_SECRET_ACCESS_KEY',
    help: 'secret access key for the bucket of an s3:// target',
  },
  's3-session-token': {
    group: 'Other options',
    commands: ['snapshot'],
    value: 'TEXT',
    parse: anyText,
    secret: true,
    environmentOnly: true,
    env: 'AWS_SESSION_TOKEN',
    help: 'token of temporary keys for the bucket of an s3:// target',
  },
  'zstd-window-log': {
    group: 'Other options',
    commands: ['serve', 'replay', 'gaps', 'reindex', 'estimate'],
    value: 'POWER',
    parse: wholeNumber(20, 31),
    default: '27',
    help: 'largest window of a zstd archive, as a power of two: the decoder takes so many bytes of memory; 27 are 128 MiB',
  },
  strict: {
    group: 'Other options',
    commands: ['replay'],
    help: 'stop at the first line that cannot be read',
  },
} as const satisfies Record<string, OptionSpec>;

/** Every option with its flag, in the order of the help. */
export const ALL_OPTIONS: readonly (readonly [flag: string, spec: OptionSpec])[] = Object.entries(OPTIONS);

export type OptionValues = ValuesOf<typeof OPTIONS>;

function chainId(): Parse<number> {
  const mainnet = `0x${MAINNET_CHAIN_ID.toString(16).padStart(8, '0')}`;
  return value => {
    const id = /^(0x[0-9a-fA-F]{1,8}|\d{1,10})$/.test(value) ? Number(value) : Number.NaN;
    return id > 0 && id <= 0xffffffff ? ok(id) : fail(`a chain id: ${mainnet} for mainnet, 0x80000000 for testnet`);
  };
}

/** The variables that operators of the hosted API's software have set for PostgreSQL. */
function postgresOfEnvironment(env: Environment): string | undefined {
  if (env.PG_CONNECTION_URI) return env.PG_CONNECTION_URI;
  const host = env.PG_HOST;
  if (!host) return undefined;
  const url = new URL(
    `postgres://${host}:${env.PG_PORT || '5432'}/${encodeURIComponent(env.PG_DATABASE || 'stacks_index')}`,
  );
  url.username = encodeURIComponent(env.PG_USER || 'postgres');
  url.password = encodeURIComponent(env.PG_PASSWORD ?? '');
  if (env.PG_SCHEMA) url.searchParams.set('schema', env.PG_SCHEMA);
  return url.href;
}
