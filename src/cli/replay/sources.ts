import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { shownUrl } from '../../base/net/http-file-error.ts';
import { followedName } from '../../ingest/journal/followed.ts';
import type { EventTable } from '../../ingest/node/archive/event-tables.ts';
import {
  openObserverDatabase,
  readObserverTable,
  requireObserverTable,
} from '../../ingest/node/archive/observer-table.ts';
import { type ReadArchiveOptions, readArchive, requireArchive } from '../../ingest/node/archive/read.ts';
import { type Options, UsageError } from '../options/options.ts';
import { type ReplaySource, sayRetry } from './source.ts';
import { urlSource } from './url.ts';

/** The operand that means standard input. */
const STANDARD_INPUT = '-';

/** Options for reading archives. */
type SourceOptions = Pick<Options, 'from' | 'operands' | 'maxEventBytes' | 'zstdWindowLog' | 'allowPrivate'>;

/** The tables of events that requireSources has found, by the URLs of their databases. */
type FoundTables = ReadonlyMap<string, EventTable>;

interface SourceParts {
  /** The result of requireSources. */
  readonly tables?: FoundTables;
  /** Called before a request is repeated. */
  readonly onRetry?: typeof sayRetry;
  /** See urlSource. */
  readonly restartBytes?: number | undefined;
}

export function sourcesOf(
  options: SourceOptions,
  signal: AbortSignal,
  { tables = new Map(), onRetry = sayRetry, restartBytes }: SourceParts = {},
): ReplaySource[] {
  const { from, operands } = options;
  if (from !== undefined) return [observerTable(from, tables, options, signal)];
  if (operands.filter(isStandardInput).length > 1) throw new UsageError('- can be given once only', 'replay');
  return operands.map(operand => {
    if (isStandardInput(operand)) return standardInput(options);
    if (isDatabase(operand)) return observerTable(operand, tables, options, signal);
    if (isUrl(operand)) return urlSource(operand, limitsOf(options), options, { signal, onRetry, restartBytes });
    const progress = { bytesRead: 0, bytesTotal: 0 };
    const rows = () => readArchive(operand, { ...limitsOf(options), progress });
    return { name: operand, progress, isReadOnce: isReadOnce(operand), rows };
  });
}

export const isUrl = (operand: string): boolean => /^https?:\/\//i.test(operand);

/** The name of a load: the absolute path of a file, or a URL without parts that may be a key. */
export function loadNameOf(operand: string): string {
  const url = isUrl(operand) ? URL.parse(operand) : null;
  return url ? shownUrl(url) : resolve(operand);
}

const isDatabase = (operand: string): boolean => /^postgres(ql)?:\/\//.test(operand);

const isStandardInput = (operand: string): boolean => operand === STANDARD_INPUT;

function limitsOf({ maxEventBytes, zstdWindowLog }: SourceOptions): ReadArchiveOptions {
  return { maxLineBytes: maxEventBytes * 1.2, zstdWindowLog };
}

function standardInput(options: SourceOptions): ReplaySource {
  const progress = { bytesRead: 0, bytesTotal: 0 };
  async function* chunks() {
    for await (const chunk of process.stdin) {
      progress.bytesRead += chunk.length;
      yield chunk;
    }
  }
  const stream = { name: 'standard input', chunks, isOrderUnknown: true };
  return { name: stream.name, progress, isReadOnce: true, rows: () => readArchive(stream, limitsOf(options)) };
}

/** @throws ArchiveError if a file is no archive, NoObserverTable, UsageError */
export async function requireSources(options: Options, signal: AbortSignal): Promise<FoundTables> {
  const { from, operands } = options;
  const databases = operands.filter(isDatabase);
  for (const file of operands)
    if (!isStandardInput(file) && !isDatabase(file) && !isReadOnce(file)) await requireArchive(file, limitsOf(options));
  const tables = new Map<string, EventTable>();
  for (const url of from === undefined ? databases : [observerUrl(from)]) {
    const database = openObserverDatabase(url, signal);
    try {
      tables.set(url, await requireObserverTable(database, { signal, onFailure: sayRetry }));
    } finally {
      await database.close();
    }
  }
  return tables;
}

/** @throws UsageError if this is no database */
function observerUrl(url: string): string {
  if (isDatabase(url)) return url;
  throw new UsageError('--from must be a URL of the form postgres://user:password@host:5432/name', 'replay');
}

function observerTable(url: string, tables: FoundTables, options: SourceOptions, signal: AbortSignal): ReplaySource {
  const progress = { bytesRead: 0, bytesTotal: 0 };
  const table = tables.get(url);
  async function* rows() {
    const database = openObserverDatabase(url, signal);
    try {
      const { maxEventBytes: maxBodyBytes } = options;
      yield* readObserverTable(database, { table, progress, signal, onFailure: sayRetry, maxBodyBytes });
    } finally {
      await database.close();
    }
  }
  const name = table?.name ?? 'events';
  return { name, progress, isReadOnce: false, rows, ...(table && { followed: followedName(url, table.name) }) };
}

/** Whether it is a URL or a pipe: rows read from it before the load would be missing in the load. */
export const isReadOnce = (operand: string): boolean => {
  if (isUrl(operand)) return true;
  const found = statSync(operand, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
};

/**
 * A start of `serve --replay` searches an archive for its network before it loads it, and a restart reads the archive again.
 * @throws UsageError for a source that can be read only once, such as a pipe
 */
export function requireRepeatable(archives: readonly string[]): void {
  const pipe = archives.find(archive => !isUrl(archive) && isReadOnce(archive));
  if (pipe !== undefined)
    throw new UsageError(
      `--replay takes no pipe, because a restart reads archives again: load ${pipe} with \`stacks-index replay\`, then serve`,
      'serve',
    );
}
