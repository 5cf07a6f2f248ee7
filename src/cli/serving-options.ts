import { type OptionSpec, UsageError } from './option-spec.ts';

/** Options about what a process of `serve` does, and where it reads: docs/scaling.md. */
export const SERVING_OPTIONS = {
  mode: {
    value: 'MODE',
    env: 'STACKS_API_MODE',
    standard: 'default',
    doc: 'writeonly: takes events and writes the index; readonly: answers the API; default: both',
  },
  workers: {
    value: 'COUNT',
    env: 'STACKS_INDEX_WORKERS',
    standard: '1',
    doc: 'processes that answer the API on one port; with more than 1, beside the one that writes',
  },
  'read-database': {
    value: 'URLS',
    env: 'STACKS_INDEX_READ_DATABASE',
    doc: 'postgres:// URLs of replicas, with commas, that the API reads in turns; --database is read while none of them can be',
  },
  'database-connections': {
    value: 'COUNT',
    env: 'STACKS_INDEX_DATABASE_CONNECTIONS',
    standard: '10',
    doc: 'connections of the API to each PostgreSQL server, for each process; a few more are for other purposes',
  },
  'query-timeout': {
    value: 'MS',
    env: 'STACKS_INDEX_QUERY_TIMEOUT',
    standard: '30000',
    doc: 'time after which PostgreSQL stops a query of the API',
  },
} as const satisfies Record<string, OptionSpec>;

export type Mode = 'default' | 'readonly' | 'writeonly';

export interface ServingOptions {
  readonly mode: Mode;
  readonly workers: number;
  /** Empty: the API reads what is written. */
  readonly readDatabases: readonly string[];
  readonly databaseConnections: number;
  readonly queryTimeoutMs: number;
}

type Name = keyof typeof SERVING_OPTIONS;

/** @throws UsageError */
export function readServingOptions(
  given: {
    readonly text: (name: Name) => string | undefined;
    readonly count: (name: Name, least: number, most: number) => number;
  },
  database: string | undefined,
): ServingOptions {
  return {
    mode: modeOf(given.text('mode') ?? 'default'),
    workers: given.count('workers', 1, 256),
    readDatabases: urlsOf(given.text('read-database') ?? '', database),
    databaseConnections: given.count('database-connections', 1, 1000),
    queryTimeoutMs: given.count('query-timeout', 100, 3_600_000),
  };
}

function modeOf(text: string): Mode {
  if (text === 'default' || text === 'readonly' || text === 'writeonly') return text;
  throw new UsageError(`--mode ${text}: default, readonly or writeonly is expected`);
}

function urlsOf(text: string, database: string | undefined): string[] {
  const urls = text.split(',').filter(url => url !== '');
  if (urls.length > 0 && database === undefined)
    throw new UsageError('--read-database goes with --database, the server that is written');
  return urls.map(url => inSameSchema(url, database ?? ''));
}

/** A replica has the schemas of the server that is written; naming them once is enough. */
function inSameSchema(url: string, database: string): string {
  // The text itself is not shown: it may hold a password.
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError('--read-database: URLs of the form postgres://user:password@host:5432/name are expected');
  const schema = URL.canParse(database) ? new URL(database).searchParams.get('schema') : null;
  const read = new URL(url);
  if (schema !== null && !read.searchParams.has('schema')) read.searchParams.set('schema', schema);
  return read.href;
}
