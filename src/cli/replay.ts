import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { networkOf } from '../chain/network.ts';
import { INDEX_SCHEMA } from '../index-schema.ts';
import type { IndexerInput } from '../indexer/apply-entries.ts';
import type { IndexState } from '../indexer/index-state.ts';
import { Indexer } from '../indexer/indexer.ts';
import { isOfEntry } from '../indexer/set-aside.ts';
import { Journal } from '../journal/journal.ts';
import { openMetadataDb } from '../metadata/open.ts';
import type { ArchiveProgress } from '../node/archive/decompress.ts';
import { readObserverTable, requireObserverTable } from '../node/archive/observer-table.ts';
import { readArchive, requireArchive } from '../node/archive/read.ts';
import type { ArchiveRow } from '../node/archive/row.ts';
import { parseEvent } from '../node/events/parse.ts';
import { rememberDirectory } from '../storage/fresh-directory.ts';
import { lockStorage } from '../storage/locks.ts';
import { openStorage } from '../storage/storage.ts';
import { openDatabase, parseLocation } from '../store/open.ts';
import { retrying } from '../store/retry.ts';
import { type Options, UsageError } from './options.ts';
import { ProgressBar } from './progress.ts';

/** Some lines were skipped. They are named on stderr, and the rest is loaded. */
const EXIT_INCOMPLETE = 3;

interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** What one transaction of the index contains. Keys in random order touch a page each: the more at once, the fewer writes. */
const CHUNK: BatchLimits = { rows: 4_000, bytes: 8 * 1024 * 1024 };
/** What is decoded at once. Objects that outlive the young generation of the heap cost time. */
const PART: BatchLimits = { rows: 400, bytes: 4 * 1024 * 1024 };
const SHOWN_BAD_LINES = 20;
/** How long to wait for a database that is not available. */
const PATIENCE_MS = 10 * 60_000;

interface Counts {
  read: number;
  added: number;
  /** Why lines could not be read, by line number. */
  readonly bad: Map<number, string>;
}

/**
 * How much the heap may grow before it is collected, in percent of what is in use. Little of what a chunk allocates stays in use,
 * and V8 would not collect the rest on a machine with free memory. This needs a fifth less memory and 5 % more time.
 */
const HEAP_GROWTH_PERCENT = 100;

/** `stacks-index replay FILE...`, or `--from URL` @returns the exit status */
export async function replay(options: Options, logger: Logger, signal: AbortSignal): Promise<number> {
  const hasFiles = options.operands.length > 0;
  if ((options.from !== undefined) === hasFiles)
    throw new UsageError(
      hasFiles ? 'replay takes files or --from, not both' : 'replay needs files, or --from',
      'replay',
    );
  // Before anything is made.
  await requireSources(options, signal);
  const takeBack = rememberDirectory(options);
  try {
    return await replayInto(options, logger, signal);
  } finally {
    takeBack();
  }
}

async function replayInto(options: Options, logger: Logger, signal: AbortSignal): Promise<number> {
  const unlock = lockStorage(options);
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const storage = await openStorage(options);
  // A process with --mode readonly creates nothing, and also reads token metadata.
  await (await openMetadataDb(options)).close();
  try {
    const journal = new Journal(storage.journalDb);
    const indexer = new Indexer({
      db: storage.indexDb,
      journal,
      network: networkOf(options.chainId),
      burnForkDepth: options.burnForkDepth,
      schema: INDEX_SCHEMA,
      logger,
    });
    await patiently(() => indexer.catchUp(undefined, signal), { signal });
    let worst = 0;
    for (const source of sourcesOf(options, signal)) {
      if (signal.aborted) break;
      worst = Math.max(worst, await replaySource(source, { journal, indexer, options, signal }));
    }
    return worst;
  } finally {
    await storage.close();
    unlock();
  }
}

interface Replay {
  readonly journal: Journal;
  readonly indexer: Indexer;
  readonly options: Options;
  readonly signal: AbortSignal;
}

/** Where events come from. */
interface Source {
  readonly name: string;
  /** Filled while it is read. */
  readonly progress: ArchiveProgress;
  readonly rows: AsyncIterable<ArchiveRow>;
}

function sourcesOf({ from, operands, maxEventBytes }: Options, signal: AbortSignal): Source[] {
  if (from !== undefined) return [observerTable(from, signal)];
  return operands.map(file => {
    const progress = { bytesRead: 0, bytesTotal: 0 };
    return { name: file, progress, rows: readArchive(file, { progress, maxLineBytes: maxEventBytes * 1.2 }) };
  });
}

/** @throws ArchiveError where a file is no archive, NoObserverTable, UsageError */
async function requireSources({ from, operands, maxEventBytes }: Options, signal: AbortSignal): Promise<void> {
  for (const file of operands) await requireArchive(file, { maxLineBytes: maxEventBytes * 1.2 });
  if (from === undefined) return;
  const database = openDatabase(parseLocation({ database: observerUrl(from) }));
  try {
    await requireObserverTable(database, { signal, onFailure: sayRetry });
  } finally {
    await database.close();
  }
}

/** @throws UsageError if this is no database */
function observerUrl(url: string): string {
  if (/^postgres(ql)?:\/\//.test(url)) return url;
  throw new UsageError('--from must be a URL of the form postgres://user:password@host:5432/name', 'replay');
}

function observerTable(url: string, signal: AbortSignal): Source {
  const progress = { bytesRead: 0, bytesTotal: 0 };
  async function* rows() {
    const database = openDatabase(parseLocation({ database: url }));
    try {
      yield* readObserverTable(database, { progress, signal, onFailure: sayRetry });
    } finally {
      await database.close();
    }
  }
  return { name: 'event_observer_requests', progress, rows: rows() };
}

async function replaySource(
  { name, progress, rows: archive }: Source,
  { journal, indexer, options, signal }: Replay,
): Promise<number> {
  const bar = new ProgressBar(basename(name));
  const counts: Counts = { read: 0, added: 0, bad: new Map() };
  let state = await patiently(() => indexer.state(), { signal });
  for await (const rows of batches(archive, CHUNK)) {
    state = (await addRows(rows, { journal, indexer, options, signal }, counts)) ?? state;
    bar.update(progress.bytesRead / Math.max(progress.bytesTotal, 1), describe(counts, state, bar));
    if (options.strict && counts.bad.size > 0) break;
    if (signal.aborted) {
      process.stderr.write(`\nStopped. Run the same command again to continue.\n`);
      return 0;
    }
  }
  bar.finish(describe(counts, state, bar));
  return reportBadLines(name, counts.bad, options.strict);
}

function describe({ read, added }: Counts, { tip }: IndexState, bar: ProgressBar): string {
  const rate = Math.round(read / Math.max(bar.seconds, 0.001));
  return `height ${tip?.height ?? 0} · ${read} events, ${added} new · ${rate}/s`;
}

/** Journals what is new in these rows and applies it, part by part, in one transaction of the index. */
async function addRows(rows: readonly ArchiveRow[], replay: Replay, counts: Counts): Promise<IndexState | undefined> {
  const { journal, indexer, signal } = replay;
  counts.read += rows.length;
  for (const row of rows) if (row.kind === 'bad') counts.bad.set(row.line, row.reason);
  const fresh = await patiently(() => journal.onlyNew(rows.filter(row => row.kind === 'event')), replay);
  if (fresh.length === 0) return undefined;
  const before = await patiently(() => journal.length(), replay);
  async function* journaled() {
    for await (const part of batches(fresh, PART)) yield await journal.append(deliveriesOf(part, replay, counts));
  }
  let cutOff = false;
  const state = await patiently(async () => {
    if (!cutOff) {
      cutOff = true;
      try {
        return await indexer.applyParts(journaled());
      } catch (error) {
        if (!isOfEntry(error)) throw error;
      }
    }
    // The databases have what the first attempt stored. What cannot be applied is set aside.
    for await (const _ of journaled());
    return indexer.catchUp(undefined, signal);
  }, replay);
  counts.added += (await patiently(() => journal.length(), replay)) - before;
  return state;
}

type EventRow = Extract<ArchiveRow, { kind: 'event' }>;

/** The rows that can be read, with their events. With --strict, none if a line cannot be read. */
function deliveriesOf(rows: readonly EventRow[], { options }: Replay, { bad }: Counts): Omit<IndexerInput, 'seq'>[] {
  const limits = { maxBodyBytes: options.maxEventBytes, maxNesting: options.maxEventNesting };
  const deliveries: Omit<IndexerInput, 'seq'>[] = [];
  for (const { line, path, receivedAt, body } of rows) {
    const event = parseEvent(path, body, limits);
    if (!event.ok) bad.set(line, event.error.message);
    else if (event.value.path !== 'acknowledged') deliveries.push({ path, receivedAt, body, event: event.value });
  }
  return options.strict && bad.size > 0 ? [] : deliveries;
}

/** Retries while the database is not available or its disk is full. */
function patiently<T>(work: () => Promise<T>, { signal }: Pick<Replay, 'signal'>): Promise<T> {
  return retrying(work, {
    signal,
    patienceMs: PATIENCE_MS,
    onFailure: sayRetry,
  });
}

function sayRetry({ message, hint }: { readonly message: string; readonly hint: string }): void {
  process.stderr.write(`\nTrying again: ${message}\n${hint}\n`);
}

/** Rows in batches; each batch reaches one of the limits. */
async function* batches<R extends ArchiveRow>(
  rows: AsyncIterable<R> | Iterable<R>,
  limits: BatchLimits,
): AsyncIterable<R[]> {
  let batch: R[] = [];
  let bytes = 0;
  for await (const row of rows) {
    batch.push(row);
    bytes += row.kind === 'event' ? row.body.length : 0;
    if (batch.length < limits.rows && bytes < limits.bytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function reportBadLines(file: string, bad: Counts['bad'], strict: boolean): number {
  if (bad.size === 0) return 0;
  for (const [line, reason] of [...bad].slice(0, SHOWN_BAD_LINES)) process.stderr.write(`${file}:${line}: ${reason}\n`);
  const more = bad.size > SHOWN_BAD_LINES ? ` (the first ${SHOWN_BAD_LINES} are shown)` : '';
  process.stderr.write(
    strict
      ? `Stopped: ${bad.size} line(s) cannot be read${more}. Without --strict they are skipped and the rest is loaded.\n`
      : `${bad.size} line(s) were skipped${more}; the rest is loaded.\n`,
  );
  return strict ? 1 : EXIT_INCOMPLETE;
}
