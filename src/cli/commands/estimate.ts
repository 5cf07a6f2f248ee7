import { basename } from 'node:path';
import { type ArchiveContents, addedContents, contentsOf } from '../../ingest/chain/archive-contents.ts';
import { type Witness, WrongNetwork, witnessRefused } from '../../ingest/chain/witness.ts';
import type { ArchiveRow } from '../../ingest/node/archive/row.ts';
import { NoChainYet, witnessOf } from '../../operate/storage/chain-binding.ts';
import { type MeasuredPart, predict } from '../estimate/extrapolation.ts';
import { sampledFile } from '../estimate/files.ts';
import { JoinedChain } from '../estimate/joined-chain.ts';
import { estimateJson, estimateText } from '../estimate/report.ts';
import { type Sample, type SampledPart, sampleArchive } from '../estimate/sampling.ts';
import { cpuSecondsOf, ScratchIndex, type Use } from '../estimate/scratch.ts';
import type { Options } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import { limitHeap, type RowLoad } from '../replay/add-rows.ts';
import { requireOneNetwork } from '../replay/network.ts';
import { bytesText } from '../replay/progress.ts';
import { isUrl } from '../replay/sources.ts';

const EXIT_STOPPED = 1;

/** `stacks-index estimate FILE|URL` @returns the exit status */
export async function estimate(options: Options, signal: AbortSignal): Promise<number> {
  const [operand = ''] = options.operands;
  const { places, sampleBytes, maxEventBytes, zstdWindowLog } = options;
  const file = sampledFile(operand, options, signal);
  const bar = new ProgressBar(basename(file.name));
  try {
    const sample = await sampleArchive(file, {
      ...{ places, sampleBytes, signal, zstdWindowLog, maxLineBytes: maxEventBytes * 1.2 },
      onProgress: share => bar.update(share * READING_SHARE, 'reading samples'),
    });
    const measured = sample && (await measure(sample, options, { signal, bar, readsTwice: !isUrl(operand) }));
    bar.clear();
    if (!sample || !measured || signal.aborted) return stopped(bar);
    const { from, fileBytes, textBytes, head, parts } = sample;
    const result = {
      ...predict({ from, ...measured }),
      ...{ archive: file.name, fileBytes, textBytes, sampledFrom: from, places: parts.length },
      unappliedBlocks: measured.unappliedBlocks,
      sampledBytes: [head, ...parts].reduce((sum, { rowBytes }) => sum + rowBytes, 0),
    };
    process.stdout.write(options.json ? estimateJson(result) : estimateText(result));
    return 0;
  } catch (error) {
    bar.clear();
    if (signal.aborted) return stopped(bar);
    throw error;
  }
}

function stopped(bar: ProgressBar): number {
  bar.clear();
  process.stderr.write('Stopped: there is no estimate.\n');
  return EXIT_STOPPED;
}

/** Share of the progress bar for reading. */
const READING_SHARE = 0.2;

interface Measuring {
  readonly signal: AbortSignal;
  readonly bar: ProgressBar;
  /** Whether a load into an empty directory reads all rows before the first one is stored, for their network. */
  readonly readsTwice: boolean;
}

interface Measured {
  readonly fixed: Use;
  readonly measuredAtBytes: number;
  /** Blocks of the samples that the index did not apply: their parent is missing in the archive, or they are invalid. */
  readonly unappliedBlocks: number;
  readonly head: MeasuredPart;
  readonly parts: readonly MeasuredPart[];
}

/** Loads the samples into an index and measures time and space. @returns undefined when the signal came */
async function measure(sample: Sample, options: Options, measuring: Measuring): Promise<Measured | undefined> {
  const { signal, bar } = measuring;
  const chainId = chainOf(sample, options);
  const loadOptions = { ...options, strict: false, chainId };
  limitHeap();
  const chain = new JoinedChain();
  const [headRows = [], ...partRows] = [sample.head, ...sample.parts].map(({ rows }) =>
    rows.map(row => chain.add(row)),
  );
  const total = partRows.length + 2;
  // V8 compiles hot functions during the first load, which takes longer; a real load has this cost once.
  const first = await inScratch(loadOptions, signal, scratch => scratch.load([...headRows, ...(partRows[0] ?? [])]));
  return inScratch(loadOptions, signal, async scratch => {
    const empty = await scratch.bytes();
    const loadSeconds: number[] = [];
    const load = async (part: SampledPart, rows: readonly ArchiveRow[], i: number): Promise<MeasuredPart> => {
      bar.update(
        READING_SHARE + ((1 - READING_SHARE) * (i + 1)) / total,
        `loading ${bytesText(part.rowBytes)} of sample ${i + 1} of ${total - 1}`,
      );
      const use = await scratch.load(rows);
      loadSeconds.push(use.cpuSeconds);
      const reading = await readingSeconds(part, rows, chainId, measuring);
      const { rowBytes, weightBytes } = part;
      return {
        ...{ use: { ...use, cpuSeconds: use.cpuSeconds + reading }, rowBytes, weightBytes },
        contents: contentsOfAll(rows, options),
      };
    };
    const head = await load(sample.head, headRows, 0);
    const parts: MeasuredPart[] = [];
    for (const [i, part] of sample.parts.entries()) {
      if (signal.aborted) return undefined;
      parts.push(await load(part, partRows[i] ?? [], i + 1));
    }
    const again = (loadSeconds[0] ?? 0) + (loadSeconds[1] ?? 0);
    const fixed = {
      ...{ indexBytes: empty.index, journalBytes: empty.journal },
      cpuSeconds: Math.max(first.cpuSeconds - again, 0),
    };
    if (signal.aborted) return undefined;
    const unappliedBlocks = Math.max(chain.height - (await scratch.height()), 0);
    return { fixed, measuredAtBytes: (await scratch.bytes()).index / 2, unappliedBlocks, head, parts };
  });
}

async function inScratch<T>(
  options: RowLoad['options'],
  signal: AbortSignal,
  work: (scratch: ScratchIndex) => Promise<T>,
): Promise<T> {
  const scratch = await ScratchIndex.open(options, signal);
  try {
    return await work(scratch);
  } finally {
    await scratch.close();
  }
}

async function readingSeconds(
  { readSeconds }: SampledPart,
  rows: readonly ArchiveRow[],
  chainId: number,
  { signal, readsTwice }: Measuring,
): Promise<number> {
  if (!readsTwice) return readSeconds;
  const progress = { bytesRead: 0, bytesTotal: 0 };
  const source = { name: 'sample', progress, isReadOnce: false, rows: () => iterated(rows) };
  return 2 * readSeconds + (await cpuSecondsOf(() => requireOneNetwork([source], chainId, signal)));
}

async function* iterated<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

/** The network of the archive. @throws NoChainYet, WrongNetwork */
function chainOf({ head, parts }: Sample, { chainId }: Options): number {
  const witness = firstWitnessIn([head, ...parts]);
  if (witness && chainId !== undefined && witness.chainId !== chainId)
    throw new WrongNetwork(witnessRefused(witness, chainId));
  const found = chainId ?? witness?.chainId;
  if (found === undefined) throw new NoChainYet();
  return found;
}

function firstWitnessIn(parts: readonly SampledPart[]): Witness | undefined {
  for (const { rows } of parts)
    for (const row of rows) {
      const witness = row.kind === 'event' ? witnessOf(row) : undefined;
      if (witness) return witness;
    }
  return undefined;
}

function contentsOfAll(rows: readonly ArchiveRow[], options: Options): ArchiveContents {
  const limits = { maxBodyBytes: options.maxEventBytes, maxNesting: options.maxEventNesting };
  return addedContents(rows.map(row => [1, contentsOf(row, limits)] as const));
}
