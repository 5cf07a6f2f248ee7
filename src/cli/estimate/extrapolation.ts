import { type ArchiveContents, addedContents } from '../../ingest/chain/archive-contents.ts';
import type { SampledFrom } from './sampling.ts';
import type { Use } from './scratch.ts';

/** The measured load of a sample's rows, and the part of the archive that they represent. */
export interface MeasuredPart {
  readonly use: Use;
  readonly contents: ArchiveContents;
  readonly rowBytes: number;
  /** Bytes of the archive, as text, that these rows represent. */
  readonly weightBytes: number;
}

/** An estimate with its expected range. */
export interface Range {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

export interface Prediction {
  readonly contents: ArchiveContents;
  readonly indexBytes: Range;
  readonly journalBytes: Range;
  readonly totalBytes: Range;
  readonly cpuSeconds: Range;
}

interface Measurements {
  readonly from: SampledFrom;
  /** Size of an empty index and journal; CPU time until everything is compiled. */
  readonly fixed: Use;
  /** Mean size of the index while the samples were loaded. */
  readonly measuredAtBytes: number;
  /** The head represents only itself. */
  readonly head: MeasuredPart;
  readonly parts: readonly MeasuredPart[];
}

/** Relative uncertainty even if every place is like its surroundings: CPU times are less repeatable than sizes. */
const UNKNOWN = { bytes: 0.1, cpu: 0.2 } as const;
/** Uncertainty if only the start of an archive was sampled: mainnet's blocks and transactions differ by this factor. */
const UNSEEN_FACTOR = 2;

/**
 * A row takes more CPU time as the index grows: the pages that it changes are no longer in SQLite's page cache, so each is read, written twice
 * and copied. Up to `fromBytes` the time is that of a small index; for each time that the index becomes e times as large it grows by `share` of that.
 * Measured with blocks of two transactions, up to 6 GB: docs/scaling.md#estimate-of-an-archive.
 */
const GROWTH = { fromBytes: 300e6, share: 0.4 } as const;

/** @returns the CPU time of a row at this size of the index, in that of a row in a small one */
const costAt = (indexBytes: number): number => 1 + GROWTH.share * Math.log(Math.max(indexBytes / GROWTH.fromBytes, 1));

/** @returns the mean of `costAt` while an index grows from nothing to so many bytes */
function meanCost(indexBytes: number): number {
  const times = indexBytes / GROWTH.fromBytes;
  return times > 1 ? 1 + GROWTH.share * (Math.log(times) - 1 + 1 / times) : 1;
}

/** @returns the mean CPU time of a row during a load that ends with an index of so many bytes, in that of a row of the sample */
export function growthOf(indexBytes: number, measuredAtBytes: number): number {
  return Math.max(meanCost(indexBytes) / costAt(measuredAtBytes), 1);
}

/** Scales the measurements of a sample to its archive: each place represents its surroundings, by bytes. */
export function predict({ from, fixed, measuredAtBytes, head, parts }: Measurements): Prediction {
  const scaled = (figure: (use: Use) => number, unknown: number): Range => {
    const rates = parts.map(({ use, rowBytes }) => figure(use) / rowBytes);
    const estimate =
      figure(fixed) +
      figure(head.use) +
      parts.reduce((sum, { weightBytes }, i) => sum + weightBytes * (rates[i] ?? 0), 0);
    const spread = from === 'whole' ? 0 : 2 * standardError(rates, parts);
    const low = Math.max(estimate * (1 - unknown) - spread, 0);
    const high = estimate * (1 + unknown) + spread;
    return from === 'start'
      ? { estimate, low: low / UNSEEN_FACTOR, high: high * UNSEEN_FACTOR }
      : { estimate, low, high };
  };
  const indexBytes = scaled(use => use.indexBytes, UNKNOWN.bytes);
  const growth = growthOf(indexBytes.estimate, measuredAtBytes);
  return {
    contents: addedContents([
      [1, head.contents],
      ...parts.map(({ contents, weightBytes, rowBytes }) => [weightBytes / rowBytes, contents] as const),
    ]),
    indexBytes,
    journalBytes: scaled(use => use.journalBytes, UNKNOWN.bytes),
    totalBytes: scaled(use => use.indexBytes + use.journalBytes, UNKNOWN.bytes),
    cpuSeconds: scaled(use => use.cpuSeconds * growth, UNKNOWN.cpu),
  };
}

/** Standard error of a total: neighbouring places differ by chance, and by how the archive changes between them. */
function standardError(rates: readonly number[], parts: readonly MeasuredPart[]): number {
  if (rates.length < 2) return 0;
  const steps = rates.slice(1).map((rate, i) => (rate - (rates[i] ?? rate)) ** 2);
  const variance = steps.reduce((sum, step) => sum + step, 0) / (2 * steps.length);
  return Math.sqrt(variance * parts.reduce((sum, { weightBytes }) => sum + weightBytes ** 2, 0));
}
