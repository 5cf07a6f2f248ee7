import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { shownUrl } from '../../base/net/http-file.ts';
import { openDatabase, parseLocation } from '../../base/store/open.ts';
import { OBSERVER_RESULTS, readObserverTable, requireObserverTable } from '../../ingest/node/archive/observer-table.ts';
import { type ReadArchiveOptions, readArchive, requireArchive } from '../../ingest/node/archive/read.ts';
import { type Options, UsageError } from '../options/options.ts';
import { type ReplaySource, sayRetry } from './source.ts';
import { urlSource } from './url.ts';

/** The operand that means standard input. */
const STANDARD_INPUT = '-';

/** What reading archives takes. */
type SourceOptions = Pick<Options, 'from' | 'operands' | 'maxEventBytes' | 'zstdWindowLog' | 'allowPrivate'>;

/** @param onRetry called before a request is repeated */
export function sourcesOf(
  options: SourceOptions,
  signal: AbortSignal,
  onRetry: typeof sayRetry = sayRetry,
): ReplaySource[] {
  const { from, operands } = options;
  if (from !== undefined) return [observerTable(from, options.maxEventBytes, signal)];
  if (operands.filter(isStandardInput).length > 1) throw new UsageError('- can be given once only', 'replay');
  return operands.map(operand => {
    if (isStandardInput(operand)) return standardInput(options);
    if (isDatabase(operand)) return observerTable(operand, options.maxEventBytes, signal);
    if (isUrl(operand)) return urlSource(operand, limitsOf(options), options, { signal, onRetry });
    const progress = { bytesRead: 0, bytesTotal: 0 };
    const rows = () => readArchive(operand, { ...limitsOf(options), progress });
    return { name: operand, progress, isReadOnce: isReadOnce(operand), rows };
  });
}

const isUrl = (operand: string): boolean => /^https?:\/\//i.test(operand);

/** What a load of an archive is known by: the absolute path of a file; a URL without what may be a key. */
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

/** @throws ArchiveError where a file is no archive, NoObserverTable, UsageError */
export async function requireSources(options: Options, signal: AbortSignal): Promise<void> {
  const { from, operands } = options;
  const databases = operands.filter(isDatabase);
  for (const file of operands)
    if (!isStandardInput(file) && !isDatabase(file) && !isReadOnce(file)) await requireArchive(file, limitsOf(options));
  for (const url of from === undefined ? databases : [observerUrl(from)]) {
    const database = openObserverDatabase(url);
    try {
      await requireObserverTable(database, { signal, onFailure: sayRetry });
    } finally {
      await database.close();
    }
  }
}

/** @throws UsageError if this is no database */
function observerUrl(url: string): string {
  if (isDatabase(url)) return url;
  throw new UsageError('--from must be a URL of the form postgres://user:password@host:5432/name', 'replay');
}

const openObserverDatabase = (url: string) =>
  openDatabase(parseLocation({ database: url }), { results: OBSERVER_RESULTS });

function observerTable(url: string, maxBodyBytes: number, signal: AbortSignal): ReplaySource {
  const progress = { bytesRead: 0, bytesTotal: 0 };
  async function* rows() {
    const database = openObserverDatabase(url);
    try {
      yield* readObserverTable(database, { progress, signal, onFailure: sayRetry, maxBodyBytes });
    } finally {
      await database.close();
    }
  }
  return { name: 'event_observer_requests', progress, isReadOnce: false, rows };
}

/** A URL, or a pipe: what is read of it before it is loaded would be missing then. */
const isReadOnce = (operand: string): boolean => {
  if (isUrl(operand)) return true;
  const found = statSync(operand, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
};
