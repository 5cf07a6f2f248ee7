import { basename } from 'node:path';
import { chainIdText, otherNetwork, type Witness, WrongNetwork, witnessRefused } from '../../ingest/chain/witness.ts';
import { ArchiveError, type ArchiveRow } from '../../ingest/node/archive/row.ts';
import { parseEvent } from '../../ingest/node/events/parse.ts';
import { REBUILT_PATH } from '../../ingest/node/events/rebuilt.ts';
import { witnessOf } from '../../operate/storage/chain-binding.ts';
import { UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import type { ReplaySource } from './source.ts';

/** Checks up to this many seconds show no progress. */
const SILENT_S = 2;

/** Sources, and the witness found at their beginning. */
interface LookedAt {
  /** The same sources; rows that were read of one that can be read only once come again. */
  readonly sources: readonly ReplaySource[];
  readonly witness: PlacedWitness | undefined;
}

/** A witness with the place of its event, as `file:line`. */
interface PlacedWitness extends Witness {
  readonly place: string;
}

/**
 * The first witness in the sources (ingest/chain/witness.ts).
 * @throws UsageError if a source that can be read only once has none at its beginning, ArchiveError if that has no event, WrongNetwork if its witness is
 *   not of the named network
 */
export async function firstWitnessOf(
  sources: readonly ReplaySource[],
  { signal, named }: { readonly signal: AbortSignal; readonly named: number | undefined },
): Promise<LookedAt> {
  for (const [i, source] of sources.entries()) {
    if (source.isReadOnce) {
      const { witness, again } = await lookAhead(source, named, signal);
      return { sources: sources.with(i, again), witness };
    }
    // With a named network, requireOneNetwork reads the whole file.
    const witness = named === undefined ? await firstIn(source, signal) : undefined;
    if (witness || named !== undefined || signal.aborted) return { sources, witness };
  }
  return { sources, witness: undefined };
}

async function firstIn({ name, rows }: ReplaySource, signal: AbortSignal): Promise<PlacedWitness | undefined> {
  for await (const event of eventsIn(rows(), signal)) {
    const witness = witnessOf(event);
    if (witness) return { ...witness, place: `${name}:${event.line}` };
  }
  return undefined;
}

/** Most bytes of a source to keep in memory before its first witness: mainnet's genesis has 80 MB, and the block after it has a witness. */
const MOST_AHEAD_BYTES = 256 * 1024 * 1024;
const MOST_AHEAD_ROWS = 10_000;

async function lookAhead(
  source: ReplaySource,
  named: number | undefined,
  signal: AbortSignal,
): Promise<{ readonly witness: PlacedWitness | undefined; readonly again: ReplaySource }> {
  const rows = source.rows()[Symbol.asyncIterator]();
  const ahead: ArchiveRow[] = [];
  let bytes = 0;
  let witness: PlacedWitness | undefined;
  let isWhole = false;
  while (witness === undefined && bytes < MOST_AHEAD_BYTES && ahead.length < MOST_AHEAD_ROWS && !signal.aborted) {
    const { value: row, done } = await rows.next();
    if (done) {
      isWhole = true;
      break;
    }
    ahead.push(row);
    if (row.kind !== 'event') continue;
    bytes += row.body.length;
    const found = witnessOf(row);
    if (found) witness = { ...found, place: `${source.name}:${row.line}` };
  }
  const [first] = ahead;
  if (!ahead.some(row => row.kind === 'event') && !signal.aborted) {
    await rows.return?.();
    const why = first?.kind === 'bad' ? `line ${first.line}: ${first.reason}` : 'it is empty';
    throw new ArchiveError('not_an_archive', source.name, ahead.at(-1)?.line ?? 0, why);
  }
  if (witness === undefined && named === undefined && !isWhole && !signal.aborted) {
    await rows.return?.();
    throw new UsageError(
      `the beginning of ${source.name} does not identify its network: name it with --chain-id`,
      'replay',
    );
  }
  // Closes the source: an open pipe would consume data that its writer has for the next reader.
  if (named !== undefined && witness && witness.chainId !== named) {
    await rows.return?.();
    throw new WrongNetwork(witnessRefused(witness, named), witness.place);
  }
  async function* again() {
    try {
      while (ahead.length > 0) yield ahead.shift() as ArchiveRow;
      yield* { [Symbol.asyncIterator]: () => rows };
    } finally {
      await rows.return?.();
    }
  }
  return { witness, again: { ...source, rows: again } };
}

/**
 * Searches all sources that can be read twice for events of another network, with less work than loading. Other sources are checked while they are loaded.
 * @throws WrongNetwork at the first such event
 */
export async function requireOneNetwork(
  sources: readonly ReplaySource[],
  chainId: number,
  signal: AbortSignal,
): Promise<void> {
  const traces = tracesOfOthers(chainId);
  for (const { name, progress, rows, isReadOnce } of sources) {
    if (isReadOnce) continue;
    const bar = new ProgressBar(basename(name));
    for await (const { line, path, body } of eventsIn(rows(), signal)) {
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

/** Texts that precede the bytes of a transaction in the JSON of an event. */
const BEFORE_BYTES = [
  ['/new_block', '"raw_tx"\\s*:\\s*"'],
  [REBUILT_PATH, '"raw_tx"\\s*:\\s*"'],
  ['/new_mempool_tx', '"'],
] as const;

/** Escaped ASCII in JSON, which may spell the searched text. */
const ESCAPED = '\\\\u00[2-7]';

/** Patterns, by path, of the JSON of an event with a transaction of another chain: few other events match and must be parsed. */
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
