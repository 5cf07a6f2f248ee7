import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexState } from '../../ingest/indexer/index-state.ts';
import { freeBytes } from '../../ingest/journal/disk-floor.ts';
import type { ArchiveProgress } from '../../ingest/node/archive/decompress.ts';
import type { ProgressBar } from '../progress.ts';
import type { Counts } from './rows.ts';

/** Milliseconds between two measurements of a directory. */
const MEASURE_MS = 5000;
/** From a smaller share the expected size cannot be computed well. */
const LEAST_SHARE = 0.02;

/** What a load takes of the disk of its directory: files that grow, and what they are expected to have at the end. */
export class DiskUse {
  readonly #data: string | undefined;
  readonly #before: number;
  #measuredAt = 0;
  #warned = false;
  #grown = 0;
  #expected: number | undefined;

  /** @param data undefined on PostgreSQL, whose disk may be another machine's */
  constructor(data: string | undefined) {
    this.#data = data;
    this.#before = data === undefined ? 0 : bytesIn(data);
  }

  /**
   * @param share of the archive that was read, 0 to 1
   * @returns a warning, once, when the disk will not suffice
   */
  async measure(share: number, now = performance.now()): Promise<string | undefined> {
    if (this.#data === undefined || now - this.#measuredAt < MEASURE_MS) return undefined;
    this.#measuredAt = now;
    this.#grown = bytesIn(this.#data) - this.#before;
    if (share < LEAST_SHARE || this.#grown <= 0) return undefined;
    this.#expected = this.#grown / share;
    const free = await freeBytes(this.#data);
    if (this.#warned || this.#expected - this.#grown <= free) return undefined;
    this.#warned = true;
    const [needed, left] = [this.#expected - this.#grown, free].map(bytes => bytesText(bytes));
    return `The disk of ${this.#data} may not suffice: this load needs some ${needed} more, and ${left} are free. Replay goes on until --min-free-space is reached; you can then free space and run the same command again.`;
  }

  get text(): string {
    if (this.#data === undefined || this.#grown <= 0) return '';
    return ` · disk ${bytesText(this.#grown)}${this.#expected === undefined ? '' : ` of about ${bytesText(this.#expected)}`}`;
  }
}

/** Bytes of the files in a directory and below it. */
function bytesIn(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

export function describe(
  { read, added }: Counts,
  { tip, mempool }: IndexState,
  { bytesRead, bytesTotal }: ArchiveProgress,
  { disk, bar }: { readonly disk: DiskUse; readonly bar: ProgressBar },
): string {
  const rate = Math.round(read / Math.max(bar.seconds, 0.001));
  const size = bytesTotal === 0 ? bytesText(bytesRead) : `${bytesText(bytesRead)} of ${bytesText(bytesTotal)}`;
  const date = mempool.clock ? ` (${new Date(mempool.clock.time * 1000).toISOString().slice(0, 10)})` : '';
  return `height ${tip?.height ?? 0}${date} · ${read} events, ${added} new · ${rate}/s · ${size}${disk.text}`;
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes as people read them: `25.3 GB`. */
export function bytesText(bytes: number): string {
  const power = Math.min(Math.max(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 0), UNITS.length - 1);
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${UNITS[power]}`;
}
