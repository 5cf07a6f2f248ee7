import { parseArgs } from 'node:util';
import { MAINNET_CHAIN_ID } from '../chain/network.ts';
import type { MetadataOptions } from '../metadata/settings.ts';
import { METADATA_OPTIONS, readMetadataOptions } from './metadata-options.ts';
import { type Environment, type OptionSpec, UsageError } from './option-spec.ts';
import { readServingOptions, SERVING_OPTIONS, type ServingOptions } from './serving-options.ts';

export { UsageError } from './option-spec.ts';

/** Every option of every command: the help and the table in the README are this list. */
export const OPTIONS = {
  data: {
    value: 'DIR',
    env: 'STACKS_INDEX_DATA',
    standard: './stacks-index-data',
    doc: 'directory of the journal and the index (SQLite)',
  },
  database: {
    value: 'URL',
    env: 'STACKS_INDEX_DATABASE',
    doc: 'postgres:// URL, in place of --data; PG_HOST, PG_PORT, PG_USER, PG_PASSWORD, PG_DATABASE and PG_SCHEMA work too',
  },
  'chain-id': {
    value: 'ID',
    env: 'STACKS_CHAIN_ID',
    standard: '0x00000001',
    doc: 'chain id of the network: 0x00000001 mainnet, 0x80000000 testnet',
  },
  ...SERVING_OPTIONS,
  host: {
    value: 'HOST',
    env: 'STACKS_BLOCKCHAIN_API_HOST',
    standard: '127.0.0.1',
    doc: 'address the API listens on; 0.0.0.0 for all',
  },
  port: { value: 'PORT', env: 'STACKS_BLOCKCHAIN_API_PORT', standard: '3999', doc: 'port of the API' },
  'event-host': {
    value: 'HOST',
    env: 'STACKS_CORE_EVENT_HOST',
    standard: '127.0.0.1',
    doc: 'address the event server listens on',
  },
  'event-port': {
    value: 'PORT',
    env: 'STACKS_CORE_EVENT_PORT',
    standard: '3700',
    doc: 'port of the event server; 0 serves without one',
  },
  'event-secret': {
    value: 'TEXT',
    env: 'STACKS_INDEX_EVENT_SECRET',
    doc: 'what senders of events must show: endpoint = "host:port/TEXT" in the configuration of the node; better given by the environment, as others see command lines',
  },
  'max-event-bytes': {
    value: 'BYTES',
    env: 'STACKS_INDEX_MAX_EVENT_BYTES',
    standard: '500000000',
    doc: 'largest event body accepted',
  },
  'max-event-nesting': {
    value: 'LEVELS',
    env: 'STACKS_INDEX_MAX_EVENT_NESTING',
    standard: '512',
    doc: 'deepest JSON accepted in an event',
  },
  'metrics-host': {
    value: 'HOST',
    env: 'STACKS_INDEX_METRICS_HOST',
    standard: '127.0.0.1',
    doc: 'address the metrics are served on',
  },
  'metrics-port': {
    value: 'PORT',
    env: 'STACKS_INDEX_METRICS_PORT',
    standard: '0',
    doc: 'port of GET /metrics for Prometheus; 0 serves none',
  },
  'max-connections': {
    value: 'COUNT',
    env: 'STACKS_INDEX_MAX_CONNECTIONS',
    standard: '10000',
    doc: 'connections to the API at once; further ones are closed',
  },
  'max-unanswered': {
    value: 'COUNT',
    env: 'STACKS_INDEX_MAX_UNANSWERED',
    standard: '1000',
    doc: 'requests in progress at once; further ones are answered 503',
  },
  'max-answer-bytes': {
    value: 'BYTES',
    env: 'STACKS_INDEX_MAX_ANSWER_BYTES',
    standard: '67108864',
    doc: 'largest answer sent; a request for more is answered 400',
  },
  ...METADATA_OPTIONS,
  'log-level': {
    value: 'LEVEL',
    env: 'STACKS_INDEX_LOG_LEVEL',
    standard: 'info',
    doc: 'trace, debug, info, warn, error, fatal or silent',
  },
  from: { value: 'PLACE', doc: 'copy: the directory or postgres:// URL (?schema=NAME) that is copied' },
  to: {
    value: 'PLACE',
    doc: 'copy: the directory or postgres:// URL that is filled; it must be empty, or an unfinished copy',
  },
  strict: { doc: 'replay: stop at the first line that cannot be read' },
  help: { doc: 'show this text' },
  version: { doc: 'show the version' },
} as const satisfies Record<string, OptionSpec>;

export type OptionName = keyof typeof OPTIONS;

export interface Options extends ServingOptions {
  readonly command: string | undefined;
  readonly operands: readonly string[];
  readonly help: boolean;
  readonly version: boolean;
  readonly strict: boolean;
  /** Directory or URL; only of `copy`. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly data: string;
  /** Set when PostgreSQL is meant. */
  readonly database: string | undefined;
  readonly chainId: number;
  readonly host: string;
  readonly port: number;
  readonly eventHost: string;
  readonly eventPort: number;
  /** Undefined: senders of events need none. */
  readonly eventSecret: string | undefined;
  readonly metricsHost: string;
  /** 0: no metrics are served. */
  readonly metricsPort: number;
  readonly maxConnections: number;
  readonly maxUnanswered: number;
  readonly maxAnswerBytes: number;
  readonly maxEventBytes: number;
  readonly maxEventNesting: number;
  readonly metadata: MetadataOptions;
  readonly logLevel: string;
}

/**
 * Reads the command line; what it leaves out comes from the environment, then from the defaults.
 * @throws UsageError
 */
export function readOptions(args: readonly string[], env: Environment): Options {
  const { values, positionals } = parse(args);
  const text = (name: OptionName): string | undefined => {
    const spec: OptionSpec = OPTIONS[name];
    const given = values[name];
    // An empty variable is an unset one: Compose and Kubernetes pass those for what was left out.
    return (typeof given === 'string' ? given : undefined) ?? ((spec.env && env[spec.env]) || spec.standard);
  };
  const required = (name: OptionName): string => text(name) ?? '';
  const count = (name: OptionName, least: number, most: number) => countOf(name, required(name), least, most);
  const database = values.data === undefined ? (text('database') ?? databaseOfEnvironment(env)) : undefined;
  const [command, ...operands] = positionals;
  return {
    command,
    operands,
    help: values.help === true,
    version: values.version === true,
    strict: values.strict === true,
    from: text('from'),
    to: text('to'),
    data: required('data'),
    database,
    chainId: chainIdOf(required('chain-id')),
    host: required('host'),
    port: portOf('port', required('port')),
    eventHost: required('event-host'),
    eventPort: portOf('event-port', required('event-port')),
    eventSecret: secretOf(text('event-secret')),
    metricsHost: required('metrics-host'),
    metricsPort: portOf('metrics-port', required('metrics-port')),
    maxConnections: count('max-connections', 1, 1_000_000),
    maxUnanswered: count('max-unanswered', 1, 1_000_000),
    maxAnswerBytes: count('max-answer-bytes', 100_000, 512 * 1024 * 1024),
    maxEventBytes: count('max-event-bytes', 1024, 512 * 1024 * 1024),
    maxEventNesting: count('max-event-nesting', 16, 10_000),
    metadata: readMetadataOptions({ text, count }, env, required('data')),
    ...readServingOptions({ text, count }, database),
    logLevel: logLevelOf(required('log-level')),
  };
}

function parse(args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, spec]) => [
      name,
      { type: 'value' in spec ? ('string' as const) : ('boolean' as const) },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function chainIdOf(text: string): number {
  const id = /^(0x[0-9a-fA-F]{1,8}|\d{1,10})$/.test(text) ? Number(text) : Number.NaN;
  if (!(id >= 0 && id <= 0xffffffff))
    throw new UsageError(
      `--chain-id ${text} is not a chain id; mainnet is 0x${MAINNET_CHAIN_ID.toString(16).padStart(8, '0')}, testnet 0x80000000`,
    );
  return id;
}

/** It can stand in a path as it is. */
function secretOf(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[\w.~-]{8,200}$/.test(text))
    throw new UsageError('--event-secret: 8 to 200 letters, digits, or any of - . _ ~ are expected');
  return text;
}

const portOf = (name: OptionName, text: string): number => countOf(name, text, 0, 65535);

function countOf(name: OptionName, text: string, least: number, most: number): number {
  const count = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count >= least && count <= most))
    throw new UsageError(`--${name} ${text}: a number from ${least} to ${most} is expected`);
  return count;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

function logLevelOf(text: string): string {
  if (!LOG_LEVELS.includes(text))
    throw new UsageError(`--log-level ${text}: one of ${LOG_LEVELS.join(', ')} is expected`);
  return text;
}

/** The environment names operators already have for PostgreSQL. */
function databaseOfEnvironment(env: Environment): string | undefined {
  if (env.PG_CONNECTION_URI) return env.PG_CONNECTION_URI;
  const host = env.PG_HOST;
  if (!host) return undefined;
  const url = new URL(
    `postgres://${host}:${env.PG_PORT ?? '5432'}/${encodeURIComponent(env.PG_DATABASE ?? 'stacks_index')}`,
  );
  url.username = encodeURIComponent(env.PG_USER ?? 'postgres');
  url.password = encodeURIComponent(env.PG_PASSWORD ?? '');
  if (env.PG_SCHEMA) url.searchParams.set('schema', env.PG_SCHEMA);
  return url.href;
}
