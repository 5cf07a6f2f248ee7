import { duration } from '../progress.ts';
import { bytesText } from '../replay/progress.ts';
import type { Prediction, Range } from './extrapolation.ts';
import type { SampledFrom } from './sampling.ts';

interface Estimate extends Prediction {
  /** The name of the archive, without parts that may be a key. */
  readonly archive: string;
  readonly fileBytes: number;
  /** Uncompressed. */
  readonly textBytes: number;
  readonly sampledFrom: SampledFrom;
  readonly places: number;
  /** Uncompressed bytes of all samples. */
  readonly sampledBytes: number;
  /** Blocks of the samples that the index could not apply. */
  readonly unappliedBlocks: number;
}

/** Bytes of a table and its indexes on PostgreSQL, in times those on SQLite (docs/scaling.md#sizes). */
const ON_POSTGRES = { index: 1.45, journal: 1.02 } as const;
/** Uncertainty of the ratios, which depend on the kinds of transactions. */
const POSTGRES_UNKNOWN = 0.1;

/** Journal and index on PostgreSQL, without its WAL. */
function postgresBytes({ indexBytes, journalBytes }: Prediction): Range {
  const at = (end: keyof Range) => ON_POSTGRES.index * indexBytes[end] + ON_POSTGRES.journal * journalBytes[end];
  return {
    estimate: at('estimate'),
    low: at('low') * (1 - POSTGRES_UNKNOWN),
    high: at('high') * (1 + POSTGRES_UNKNOWN),
  };
}

/** The estimate for programs, in bytes and seconds. */
export function estimateJson(estimate: Estimate): string {
  const { contents, indexBytes, journalBytes, totalBytes, cpuSeconds } = estimate;
  const rounded = (range: Range, digits = 0) =>
    Object.fromEntries(Object.entries(range).map(([end, figure]) => [end, Number(figure.toFixed(digits))]));
  const json = {
    archive: estimate.archive,
    file_bytes: estimate.fileBytes,
    text_bytes: Math.round(estimate.textBytes),
    sampled_from: estimate.sampledFrom,
    places: estimate.places,
    sampled_bytes: estimate.sampledBytes,
    unapplied_blocks: estimate.unappliedBlocks,
    contents: {
      rows: Math.round(contents.rows),
      unreadable_rows: Math.round(contents.unreadable),
      json_bytes: Math.round(contents.jsonBytes),
      blocks: Math.round(contents.blocks),
      transactions: Math.round(contents.transactions),
      contract_calls: Math.round(contents.contractCalls),
      events: Math.round(contents.events),
      burn_blocks: Math.round(contents.burnBlocks),
      mempool_transactions: Math.round(contents.mempoolTransactions),
    },
    sqlite: {
      index_bytes: rounded(indexBytes),
      journal_bytes: rounded(journalBytes),
      total_bytes: rounded(totalBytes),
    },
    postgres: { total_bytes: rounded(postgresBytes(estimate)) },
    cpu_seconds: rounded(cpuSeconds, 1),
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

/** The estimate for people. */
export function estimateText(estimate: Estimate): string {
  const { contents: has, indexBytes, journalBytes, totalBytes, cpuSeconds } = estimate;
  const bytes = ({ estimate: middle, low, high }: Range) =>
    `${bytesText(middle)}  (${bytesText(low)} to ${bytesText(high)})`;
  const cpu = ({ estimate: middle, low, high }: Range) =>
    `${duration(middle)} on this machine  (${duration(low)} to ${duration(high)})`;
  const lines: (readonly [name: string, text: string])[] = [
    ['archive', `${estimate.archive}, ${bytesText(estimate.fileBytes)}, uncompressed ${bytesText(estimate.textBytes)}`],
    ['samples', samplesText(estimate)],
    [
      'contents',
      [
        `${number(has.blocks)} blocks`,
        `${number(has.transactions)} transactions (${number(has.contractCalls)} contract calls) with ${number(has.events)} events`,
        `${number(has.burnBlocks)} burn blocks`,
        `${number(has.mempoolTransactions)} pending or dropped transactions`,
      ].join(', '),
    ],
    ['index', bytes(indexBytes)],
    ['journal', bytes(journalBytes)],
    ['together', bytes(totalBytes)],
    ['PostgreSQL', `${bytes(postgresBytes(estimate))}, without its WAL`],
    ['CPU time', cpu(cpuSeconds)],
    ...(estimate.unappliedBlocks > 0 ? [['note', unappliedText(estimate)] as const] : []),
  ];
  return lines.map(([name, text]) => `${name.padEnd(11)} ${text}\n`).join('');
}

const unappliedText = ({ unappliedBlocks }: Estimate): string =>
  `${unappliedBlocks} blocks of the samples could not be applied, so the estimate is too low: the archive may lack blocks (docs/mainnet.md#missing-blocks)`;

function samplesText({ sampledFrom, places, sampledBytes }: Estimate): string {
  switch (sampledFrom) {
    case 'whole':
      return `all of it, ${bytesText(sampledBytes)}`;
    case 'throughout':
      return `${bytesText(sampledBytes)} from ${places} places all over it`;
    case 'start':
      return `${bytesText(sampledBytes)} from its start alone, as reading cannot begin elsewhere: the estimate is of an archive that goes on as it begins`;
    default:
      return sampledFrom satisfies never;
  }
}

/** A number rounded to three digits, as more are not known: `1,230,000`. */
const number = (count: number): string =>
  Number(count.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 0 });
