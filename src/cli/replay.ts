import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { networkOf } from '../chain/network.ts';
import type { IndexState } from '../indexer/index-state.ts';
import { Indexer, type IndexerInput } from '../indexer/indexer.ts';
import { lockStorage } from '../indexer/locks.ts';
import { openStorage } from '../indexer/storage.ts';
import { type Delivery, Journal } from '../journal/journal.ts';
import { openMetadataDb } from '../metadata/open.ts';
import { readArchive } from '../node/archive/read.ts';
import type { ArchiveRow } from '../node/archive/row.ts';
import { parseEvent } from '../node/events/parse.ts';
import { retrying } from '../store/retry.ts';
import type { Options } from './options.ts';
import { ProgressBar } from './progress.ts';

/** Some lines were left out: they are named on stderr, the rest is loaded. */
const EXIT_INCOMPLETE = 3;
const CHUNK_ROWS = 400;
/** Larger chunks need fewer commits, but what is decoded of them outlives the young generation of the heap. */
const CHUNK_BYTES = 4 * 1024 * 1024;
const SHOWN_BAD_LINES = 20;
/** How long the database may be away; the same command can also be run again later. */
const PATIENCE_MS = 10 * 60_000;

interface BadLine {
  readonly line: number;
  readonly reason: string;
}

interface Counts {
  read: number;
  added: number;
  readonly bad: BadLine[];
}

/**
 * How much the heap may grow before it is collected, in percent of what is in use. Little of what a chunk makes stays in
 * use, and V8 would let the rest lie where the machine has memory: this holds a fifth less, for 5 % of the time.
 */
const HEAP_GROWTH_PERCENT = 100;

/** `stacks-index replay FILE...` @returns the exit code */
export async function replay(options: Options, logger: Logger, signal: AbortSignal): Promise<number> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const unlock = lockStorage(options);
  const storage = await openStorage(options);
  // Processes that only answer make nothing, and read what was fetched of tokens too.
  await (await openMetadataDb(options)).close();
  try {
    const journal = new Journal(storage.journalDb);
    const indexer = new Indexer({ db: storage.indexDb, journal, network: networkOf(options.chainId), logger });
    await patiently(() => indexer.catchUp(undefined, signal), { signal });
    let worst = 0;
    for (const file of options.operands) {
      if (signal.aborted) break;
      worst = Math.max(worst, await replayFile(file, { journal, indexer, options, signal }));
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

async function replayFile(file: string, { journal, indexer, options, signal }: Replay): Promise<number> {
  const progress = { bytesRead: 0, bytesTotal: 0 };
  const bar = new ProgressBar(basename(file));
  const counts: Counts = { read: 0, added: 0, bad: [] };
  let state = await patiently(() => indexer.state(), { signal });
  for await (const rows of chunks(readArchive(file, { progress, maxLineBytes: options.maxEventBytes * 1.2 }))) {
    state = (await addRows(rows, { journal, indexer, options, signal }, counts)) ?? state;
    bar.update(progress.bytesRead / Math.max(progress.bytesTotal, 1), describe(counts, state, bar));
    if (options.strict && counts.bad.length > 0) break;
    if (signal.aborted) {
      process.stderr.write(`\nStopped. Run the same command again to go on.\n`);
      return 0;
    }
  }
  bar.finish(describe(counts, state, bar));
  return reportBadLines(file, counts.bad, options.strict);
}

function describe({ read, added }: Counts, { tip }: IndexState, bar: ProgressBar): string {
  const rate = Math.round(read / Math.max(bar.seconds, 0.001));
  return `height ${tip?.height ?? 0} · ${read} events, ${added} new · ${rate}/s`;
}

/** Journals what is new in these rows and applies it. */
async function addRows(rows: readonly ArchiveRow[], replay: Replay, counts: Counts): Promise<IndexState | undefined> {
  const { journal, options } = replay;
  counts.read += rows.length;
  const events = rows.filter(row => row.kind === 'event');
  for (const row of rows) if (row.kind === 'bad') counts.bad.push(row);
  const fresh = await patiently(() => journal.onlyNew(events), replay);
  const deliveries: (Delivery & Pick<IndexerInput, 'event'>)[] = [];
  for (const { line, path, receivedAt, body } of fresh) {
    const event = parseEvent(path, body, { maxBodyBytes: options.maxEventBytes, maxNesting: options.maxEventNesting });
    if (!event.ok) counts.bad.push({ line, reason: event.error.message });
    else if (event.value.path !== 'acknowledged') deliveries.push({ path, receivedAt, body, event: event.value });
  }
  if (deliveries.length === 0 || (options.strict && counts.bad.length > 0)) return undefined;
  const before = await patiently(() => journal.length(), replay);
  const state = await store(deliveries, replay);
  counts.added += (await patiently(() => journal.length(), replay)) - before;
  return state;
}

/** Journals and applies; when that was cut off, what has become of it is in the database. */
async function store(deliveries: readonly Omit<IndexerInput, 'seq'>[], replay: Replay): Promise<IndexState> {
  const { journal, indexer, signal } = replay;
  let cutOff = false;
  return patiently(async () => {
    if (cutOff) {
      await journal.append(deliveries);
      return indexer.catchUp(undefined, signal);
    }
    cutOff = true;
    const entries = await journal.append(deliveries);
    return entries.length > 0 ? indexer.apply(entries) : indexer.state();
  }, replay);
}

/** Waits while the database is away or full. */
function patiently<T>(work: () => Promise<T>, { signal }: Pick<Replay, 'signal'>): Promise<T> {
  return retrying(work, {
    signal,
    patienceMs: PATIENCE_MS,
    onFailure: ({ message, hint }) => process.stderr.write(`\nTrying again: ${message}\n${hint}\n`),
  });
}

async function* chunks(rows: AsyncIterable<ArchiveRow>): AsyncIterable<ArchiveRow[]> {
  let chunk: ArchiveRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    chunk.push(row);
    bytes += row.kind === 'event' ? row.body.length : 0;
    if (chunk.length < CHUNK_ROWS && bytes < CHUNK_BYTES) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}

function reportBadLines(file: string, bad: readonly BadLine[], strict: boolean): number {
  if (bad.length === 0) return 0;
  for (const { line, reason } of bad.slice(0, SHOWN_BAD_LINES)) process.stderr.write(`${file}:${line}: ${reason}\n`);
  const more = bad.length > SHOWN_BAD_LINES ? ` (the first ${SHOWN_BAD_LINES} are shown)` : '';
  process.stderr.write(
    strict
      ? `Stopped: ${bad.length} line(s) cannot be read${more}. Without --strict they are left out and the rest is loaded.\n`
      : `${bad.length} line(s) were left out${more}; the rest is loaded.\n`,
  );
  return strict ? 1 : EXIT_INCOMPLETE;
}
