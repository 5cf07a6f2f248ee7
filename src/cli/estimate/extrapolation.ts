import { type ArchiveContents, addedContents } from '../../ingest/chain/archive-contents.ts';
import type { SampledFrom } from './sampling.ts';
import type { Use } from './scratch.ts';

/** What loading rows of a sample took, and what they represent. */
export interface MeasuredPart {
  readonly use: Use;
  readonly contents: ArchiveContents;
  readonly rowBytes: number;
  /** Bytes of the archive, as text, that are like these rows. */
  readonly weightBytes: number;
}

/** An estimate, and between which figures the truth is expected. */
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
  /** Of an empty index and journal; CPU until everything is compiled. */
  readonly fixed: Use;
  /** Of the index while the samples were loaded, in the mean. */
  readonly measuredAtBytes: number;
  /** Represents nothing else. */
  readonly head: MeasuredPart;
  readonly parts: readonly MeasuredPart[];
}

/** What remains unknown, as a share, when every place is like its surroundings: machines repeat CPU times less well than sizes. */
const UNKNOWN = { bytes: 0.1, cpu: 0.2 } as const;
/** Nothing shows how the rest of an archive differs from its start: mainnet's blocks and transactions differ by this factor. */
const UNSEEN_FACTOR = 2;

/**
 * By how much more CPU time a row takes when the index is e times as large, as a share: less of it is in the caches of SQLite and of the processor
 * (measured: docs/scaling.md#estimate-of-an-archive).
 */
const GROWTH = 0.05;

/** How many times the CPU time of a sample a row takes, in the mean of a load that ends with an index of so many bytes. */
export function growthOf(indexBytes: number, measuredAtBytes: number): number {
  const times = indexBytes / measuredAtBytes;
  return times > 1 ? 1 + GROWTH * (Math.log(times) - 1 + 1 / times) : 1;
}

/** Scales what a sample took to its archive: each place represents its surroundings, by bytes. */
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

/** Of a total: places that follow each other differ by chance, and by how the archive changes between them. */
function standardError(rates: readonly number[], parts: readonly MeasuredPart[]): number {
  if (rates.length < 2) return 0;
  const steps = rates.slice(1).map((rate, i) => (rate - (rates[i] ?? rate)) ** 2);
  const variance = steps.reduce((sum, step) => sum + step, 0) / (2 * steps.length);
  return Math.sqrt(variance * parts.reduce((sum, { weightBytes }) => sum + weightBytes ** 2, 0));
}
