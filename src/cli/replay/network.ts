import { basename } from 'node:path';
import { chainIdText, otherNetwork, type Witness, WrongNetwork, witnessRefused } from '../../ingest/chain/witness.ts';
import { ArchiveError, type ArchiveRow } from '../../ingest/node/archive/row.ts';
import { parseEvent } from '../../ingest/node/events/parse.ts';
import { REBUILT_PATH } from '../../ingest/node/events/rebuilt.ts';
import { witnessOf } from '../../operate/storage/chain-binding.ts';
import { UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import type { ReplaySource } from './source.ts';

/** Checks that take no longer show no progress. */
const SILENT_S = 2;

/** Sources with what was found in their beginning. */
interface LookedAt {
  /** The same sources; what was read of one that can be read only once comes again. */
  readonly sources: readonly ReplaySource[];
  readonly witness: PlacedWitness | undefined;
}

/** A witness with the place of its event, as `file:line`. */
interface PlacedWitness extends Witness {
  readonly place: string;
}

/**
 * The first witness in what is to be loaded (ingest/chain/witness.ts).
 * @throws UsageError where a source that can be read only once has none in its beginning, ArchiveError where that has no event, WrongNetwork where its witness is
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
    // With a named network requireOneNetwork reads all of the file.
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

/** What is kept in memory of a source before its first witness: genesis of mainnet has 80 MB, and the block after it a witness. */
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
  // The source is closed then: a pipe that stays open takes what its writer has for the next reader.
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
 * Reads all that can be read twice for events of another network, with less work than loading it takes. Other sources are checked while they are loaded.
 * @throws WrongNetwork at the first one
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

/** What precedes the bytes of a transaction in the JSON of an event. */
const BEFORE_BYTES = [
  ['/new_block', '"raw_tx"\\s*:\\s*"'],
  [REBUILT_PATH, '"raw_tx"\\s*:\\s*"'],
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
