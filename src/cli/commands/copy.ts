import { resolve } from 'node:path';
import { RetryableDatabaseError } from '../../base/store/errors.ts';
import type { TableComparison } from '../../operate/copy/compare.ts';
import { copyEverything } from '../../operate/copy/copy.ts';
import type { CopyProgress } from '../../operate/copy/parts.ts';
import type { CopyLocation } from '../../operate/copy/source.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';

const EXIT_UNFINISHED = 1;

/** `stacks-index copy --from PLACE --to PLACE` @returns the exit status: 0 if everything is copied and equal on both sides, else 1 */
export async function copy(options: Options, signal: AbortSignal): Promise<number> {
  const { from, to } = options;
  if (from === undefined || to === undefined) throw new UsageError('copy needs --from and --to', 'copy');
  const places = { from: copyLocationOf(from), to: copyLocationOf(to) };
  if (isSame(places.from, places.to)) throw new UsageError('--from and --to name the same place', 'copy');
  const bar = new ProgressBar('copy');
  const rate = rateSinceFirst(bar);
  let tables = 0;
  try {
    const { differing, imagesLeft } = await copyEverything({
      ...places,
      signal,
      onProgress: progress => {
        const { doing, table, done, total } = progress;
        bar.update(done / Math.max(total, 1), `${doing} ${table} · ${done} of ${total} rows · ${rate(progress)}/s`);
      },
      onCompared: comparison => {
        tables++;
        bar.clear();
        process.stdout.write(describe(comparison));
      },
    });
    if (differing.length > 0) {
      process.stdout.write(`WRONG: ${differing.join(', ')}\n${DIFFERS}`);
      return EXIT_UNFINISHED;
    }
    if (imagesLeft !== undefined) process.stdout.write(imagesStay(imagesLeft));
  } catch (error) {
    if (error instanceof RetryableDatabaseError) process.stderr.write(`\n${GO_ON}\n`);
    if (!signal.aborted) throw error;
    process.stderr.write(`\nStopped. ${GO_ON}\n`);
    return EXIT_UNFINISHED;
  }
  process.stdout.write(`copied: ${tables} tables, equal on both sides, in ${Math.round(bar.seconds)} s\n`);
  return 0;
}

const GO_ON = 'Run the same command again to continue; the source has not changed.';

const copyLocationOf = (place: string): CopyLocation =>
  place.includes('://') ? { data: '', database: place } : { data: resolve(place), database: undefined };

const isSame = (one: CopyLocation, other: CopyLocation): boolean =>
  one.data === other.data && one.database === other.database;

/** Rows per second, without those that an earlier attempt copied. */
function rateSinceFirst(bar: ProgressBar): (progress: CopyProgress) => number {
  let first: number | undefined;
  return ({ done }) => {
    first ??= done;
    return Math.round((done - first) / Math.max(bar.seconds, 0.001));
  };
}

function describe({ table, source, target, same }: TableComparison): string {
  if (same) return `ok    ${table}: ${source.rows} rows, ${source.digest.slice(0, 16)}\n`;
  const of = ({ rows, digest }: typeof source) => `${rows} rows, ${digest.slice(0, 16)}`;
  return `WRONG ${table}: from ${of(source)}; to ${of(target)}\n`;
}

const DIFFERS = `The target differs from the source and stays marked as unfinished. Check the disk of the target, delete its content and copy again.
If the same table differs again, check the source with stacks-index verify.
`;

const imagesStay = (directory: string): string =>
  `Token images are not copied to PostgreSQL; they stay in ${directory}. Copy them to the bucket of --metadata-images-bucket, or let them
be fetched again.
`;
