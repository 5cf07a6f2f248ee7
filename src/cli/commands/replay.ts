import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { retrying } from '../../base/store/retry.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { otherNetwork, WrongNetwork } from '../../ingest/chain/witness.ts';
import type { IndexerInput } from '../../ingest/indexer/apply-entries.ts';
import type { IndexState } from '../../ingest/indexer/index-state.ts';
import { Indexer } from '../../ingest/indexer/indexer.ts';
import { isOfEntry } from '../../ingest/indexer/set-aside.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import type { ArchiveRow } from '../../ingest/node/archive/row.ts';
import type { EventError } from '../../ingest/node/events/json.ts';
import { parseEvent } from '../../ingest/node/events/parse.ts';
import { openMetadataDb } from '../../metadata/open.ts';
import { rememberDirectory } from '../../operate/storage/fresh-directory.ts';
import { storedChain } from '../../operate/storage/known-chain.ts';
import { lockStorage } from '../../operate/storage/locks.ts';
import { openJournal, openStorage } from '../../operate/storage/storage.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import {
  firstWitnessOf,
  type ReplaySource,
  requireOneNetwork,
  requireSources,
  sayRetry,
  sourcesOf,
} from '../replay-sources.ts';

/** Some lines were skipped. They are named on stderr, and the rest is loaded. */
const EXIT_INCOMPLETE = 3;
/** With --strict a line that cannot be read stops the load. */
const EXIT_STRICT = 1;

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
  /** Of the first line that is of another network; what follows it is not read. */
  refused?: { readonly line: number; readonly error: EventError };
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
  let unlock = () => {};
  try {
    unlock = await patiently(async () => lockStorage(options), { signal });
    const chain = await chainOf(options, signal);
    if (signal.aborted) {
      process.stderr.write('Stopped before anything was loaded.\n');
      return 0;
    }
    return await (chain === undefined
      ? journalOnly(options, signal)
      : replayInto({ ...options, ...chain }, logger, signal));
  } finally {
    unlock();
    takeBack();
  }
}

/** The chain of the index that is to be filled, and whether only events identify it. */
interface Chain {
  readonly chainId: number;
  readonly isRecognised: boolean;
}

/**
 * The chain that the operator names, or that of what is stored, or that of the first witness in what is to be loaded; undefined where that has none.
 * While what is stored names no chain, nothing is to be stored of events that are refused: so all of them are read before.
 * @throws WrongNetwork; IndexMismatch when the operator names another chain than that of what is stored
 */
async function chainOf(options: Options, signal: AbortSignal): Promise<Chain | undefined> {
  const stored = await patiently(() => storedChain(options), { signal });
  const chainId = options.chainId ?? stored ?? (await firstWitnessOf(options, signal))?.chainId;
  if (chainId === undefined) return undefined;
  if (stored === undefined) await requireOneNetwork(options, chainId, signal);
  return { chainId, isRecognised: options.chainId === undefined };
}

/** Stores events without an identified network. An event that identifies it, here or at `serve`, has them indexed. */
async function journalOnly(options: Options, signal: AbortSignal): Promise<number> {
  const { journalDb } = await patiently(() => openJournal(options), { signal });
  try {
    const journal = new Journal(journalDb);
    let worst = 0;
    for (const { name, rows } of sourcesOf(options, signal)) {
      const counts: Counts = { read: 0, added: 0, bad: new Map() };
      for await (const batch of batches(rows, CHUNK)) {
        for (const row of batch) if (row.kind === 'bad') counts.bad.set(row.line, row.reason);
        const events = batch.filter(row => row.kind === 'event');
        await patiently(
          async () => {
            const fresh = deliveriesOf(await journal.onlyNew(events), options, counts);
            await journal.append(fresh);
            counts.added += fresh.length;
          },
          { signal },
        );
        if (signal.aborted || (options.strict && counts.bad.size > 0)) break;
      }
      const waiting = counts.added > 0 ? 'The events wait in the journal' : 'Nothing of it was new';
      process.stderr.write(`${name}: no transaction identifies its network. ${waiting}.\n`);
      worst = Math.max(worst, reportBadLines(name, counts.bad, options.strict));
      if (signal.aborted) process.stderr.write('Stopped. Run the same command again to continue.\n');
      if (signal.aborted || worst === EXIT_STRICT) break;
    }
    return worst;
  } finally {
    await journalDb.close();
  }
}

async function replayInto(options: Options & Chain, logger: Logger, signal: AbortSignal): Promise<number> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const storage = await patiently(() => openStorage(options), { signal });
  // A process with --mode readonly creates nothing, and also reads token metadata.
  await patiently(async () => (await openMetadataDb(options)).close(), { signal });
  try {
    const journal = new Journal(storage.journalDb);
    const indexer = new Indexer({
      db: storage.indexDb,
      journal,
      chainId: options.chainId,
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
  }
}

interface Replay {
  readonly journal: Journal;
  readonly indexer: Indexer;
  readonly options: Options & Chain;
  readonly signal: AbortSignal;
}

async function replaySource(
  { name, progress, rows: archive }: ReplaySource,
  { journal, indexer, options, signal }: Replay,
): Promise<number> {
  const bar = new ProgressBar(basename(name));
  const counts: Counts = { read: 0, added: 0, bad: new Map() };
  let state = await patiently(() => indexer.state(), { signal });
  for await (const rows of batches(archive, CHUNK)) {
    state = (await addRows(rows, { journal, indexer, options, signal }, counts)) ?? state;
    if (counts.refused) throw new WrongNetwork(counts.refused.error, `${name}:${counts.refused.line}`);
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
    for await (const part of batches(fresh, PART)) {
      if (counts.refused) return;
      yield await journal.append(deliveriesOf(part, replay.options, counts, replay.options.chainId));
    }
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

/**
 * The rows that can be read, with their events; with --strict, none if a line cannot be read.
 * @param chainId ends them before the first row of another network, which is noted
 */
function deliveriesOf(
  rows: readonly EventRow[],
  { strict, maxEventBytes: maxBodyBytes, maxEventNesting: maxNesting }: Options,
  counts: Counts,
  chainId?: number,
): Omit<IndexerInput, 'seq'>[] {
  const { bad } = counts;
  const deliveries: Omit<IndexerInput, 'seq'>[] = [];
  for (const { line, path, receivedAt, body } of rows) {
    const event = parseEvent(path, body, { maxBodyBytes, maxNesting });
    const error = event.ok && chainId !== undefined ? otherNetwork(event.value, chainId) : undefined;
    if (error) {
      counts.refused = { line, error };
      break;
    }
    if (!event.ok) bad.set(line, event.error.message);
    else if (event.value.path !== 'acknowledged') deliveries.push({ path, receivedAt, body, event: event.value });
  }
  return strict && bad.size > 0 ? [] : deliveries;
}

/** Retries while the database is not available or its disk is full. */
function patiently<T>(work: () => Promise<T>, { signal }: Pick<Replay, 'signal'>): Promise<T> {
  return retrying(work, {
    signal,
    patienceMs: PATIENCE_MS,
    onFailure: sayRetry,
  });
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
  return strict ? EXIT_STRICT : EXIT_INCOMPLETE;
}
