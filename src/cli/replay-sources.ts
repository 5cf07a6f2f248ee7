import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { openDatabase, parseLocation } from '../base/store/open.ts';
import { chainIdText, otherNetwork, type Witness, WrongNetwork } from '../ingest/chain/witness.ts';
import type { ArchiveProgress } from '../ingest/node/archive/decompress.ts';
import { OBSERVER_RESULTS, readObserverTable, requireObserverTable } from '../ingest/node/archive/observer-table.ts';
import { readArchive, requireArchive } from '../ingest/node/archive/read.ts';
import type { ArchiveRow } from '../ingest/node/archive/row.ts';
import { parseEvent } from '../ingest/node/events/parse.ts';
import { firstWitness } from '../operate/storage/chain-binding.ts';
import { type Options, UsageError } from './options/options.ts';
import { ProgressBar } from './progress.ts';

/** Checks that take no longer show no progress. */
const SILENT_S = 2;

/** Where events come from. */
export interface ReplaySource {
  readonly name: string;
  /** Filled while it is read. */
  readonly progress: ArchiveProgress;
  readonly rows: AsyncIterable<ArchiveRow>;
}

export function sourcesOf({ from, operands, maxEventBytes }: Options, signal: AbortSignal): ReplaySource[] {
  if (from !== undefined) return [observerTable(from, maxEventBytes, signal)];
  return operands.map(file => {
    const progress = { bytesRead: 0, bytesTotal: 0 };
    return { name: file, progress, rows: readArchive(file, { progress, maxLineBytes: maxEventBytes * 1.2 }) };
  });
}

/** @throws ArchiveError where a file is no archive, NoObserverTable, UsageError */
export async function requireSources({ from, operands, maxEventBytes }: Options, signal: AbortSignal): Promise<void> {
  for (const file of operands) if (!isReadOnce(file)) await requireArchive(file, { maxLineBytes: maxEventBytes * 1.2 });
  if (from === undefined) return;
  const database = openObserverDatabase(observerUrl(from));
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
  return { name: 'event_observer_requests', progress, rows: rows() };
}

/** A pipe, for example. What is read of it before it is loaded would be missing then. */
const isReadOnce = (file: string): boolean => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
};

/** The first witness in what is to be loaded (ingest/chain/witness.ts). @throws UsageError where that can be read only once */
export async function firstWitnessOf(options: Options, signal: AbortSignal): Promise<Witness | undefined> {
  const pipe = options.operands.find(isReadOnce);
  if (pipe !== undefined)
    throw new UsageError(`${pipe} can be read only once: name its network with --chain-id`, 'replay');
  for (const { rows } of sourcesOf(options, signal)) {
    const witness = await firstWitness(eventsIn(rows, signal));
    if (witness || signal.aborted) return witness;
  }
  return undefined;
}

/**
 * Reads all that is to be loaded for events of another network, with less work than loading it takes.
 * @throws WrongNetwork at the first one
 */
export async function requireOneNetwork(options: Options, chainId: number, signal: AbortSignal): Promise<void> {
  const traces = tracesOfOthers(chainId);
  for (const { name, progress, rows } of sourcesOf(options, signal)) {
    if (isReadOnce(name)) continue;
    const bar = new ProgressBar(basename(name));
    for await (const { line, path, body } of eventsIn(rows, signal)) {
      if (bar.seconds > SILENT_S)
        bar.update(progress.bytesRead / Math.max(progress.bytesTotal, 1), 'checking the network');
      const isSuspect = traces
        .get(path)
        ?.test(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'));
      const event = isSuspect ? parseEvent(path, body) : undefined;
      const error = event?.ok ? otherNetwork(event.value, chainId) : undefined;
      if (!error) continue;
      bar.clear();
      throw new WrongNetwork(error, `${name}:${line}`);
    }
    bar.clear();
  }
}

/** What precedes the bytes of a transaction in the JSON of an event. */
const BEFORE_BYTES = [
  ['/new_block', '"raw_tx"\\s*:\\s*"'],
  ['/new_mempool_tx', '"'],
] as const;

/** ASCII that JSON has as an escape may spell what is looked for. */
const ESCAPED = '\\\\u00[2-7]';

/** By path, what occurs in the JSON of an event that has a transaction of another chain: few others need to be parsed. */
const tracesOfOthers = (chainId: number): ReadonlyMap<string, RegExp> =>
  new Map(
    BEFORE_BYTES.map(([path, before]) => [
      path,
      new RegExp(`${before}0x..(?!00000000|${chainIdText(chainId).slice(2)})[0-9a-f]{8}|${ESCAPED}`, 'i'),
    ]),
  );

/** The events of an archive, until the signal. */
async function* eventsIn(rows: AsyncIterable<ArchiveRow>, signal: AbortSignal) {
  for await (const row of rows) {
    if (signal.aborted) return;
    if (row.kind === 'event') yield row;
  }
}

export function sayRetry({ message, hint }: { readonly message: string; readonly hint: string }): void {
  process.stderr.write(`\nTrying again: ${message}\n${hint}\n`);
}
