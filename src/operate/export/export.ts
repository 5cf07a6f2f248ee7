import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { blockNamed } from '../../api/paging/as-of.ts';
import { AppError, systemMessage } from '../../base/lib/app-error.ts';
import { fileSystemError, removeLeftovers } from '../../base/lib/partial-file.ts';
import { lengthOf } from '../../base/lib/span.ts';
import type { Database, Queries } from '../../base/store/database.ts';
import { DirectoryInUse } from '../storage/directory-in-use.ts';
import { tryLock } from '../storage/locks.ts';
import { ExportRefused } from './export-refused.ts';
import { EXPORTED_LISTS } from './lists.ts';
import {
  fileOfPart,
  MANIFEST,
  type ManifestPart,
  manifestPart,
  OTHER_DIRECTORY,
  readManifest,
  termsOf,
  UNFINISHED,
  writeManifest,
} from './manifest.ts';
import type { ExportedListName, ExportFormat } from './names.ts';
import { writePartFile } from './part-file.ts';
import { type PartSpan, partSpans, wholeSpan } from './parts.ts';
import { type Pin, pinnedReads } from './pinned-reads.ts';

interface ListExport {
  readonly db: Database;
  readonly list: ExportedListName;
  readonly format: ExportFormat;
  readonly pin: Pin;
  /** The directory of all lists; this one gets a directory of its own there. */
  readonly to: string;
  /** Transactions of a part. */
  readonly size: number;
  /** Version of this program. */
  readonly program: string;
  readonly signal: AbortSignal;
  /** @param share of the export that is written, 0 to 1 @param rows written so far */
  readonly onProgress: (share: number, rows: number) => void;
}

/** The result of an export. */
interface ExportedParts {
  readonly written: number;
  /** Parts of an earlier export that are still right. */
  readonly kept: number;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Writes a list as of a block: files of whole blocks, and a manifest. It keeps files of an earlier export whose blocks have not changed, and writes the
 * others anew, so an export costs only the blocks that were added or that a fork replaced. After a stop it can be called again.
 * @throws the reason of the signal; ApiError (NOT_CANONICAL) when a fork replaces the block meanwhile; ExportRefused, DirectoryInUse, the two database errors
 */
export async function exportList(options: ListExport): Promise<ExportedParts> {
  const folder = join(options.to, options.list);
  try {
    await mkdir(folder, { recursive: true });
    const release = tryLock(folder, '.lock');
    if (!release) throw new DirectoryInUse(folder);
    try {
      return await exportInto(folder, options);
    } finally {
      release();
    }
  } catch (error) {
    const failure = fileSystemError(error);
    if (!failure) throw error;
    throw new ExportRefused(
      `${folder} cannot be written: ${systemMessage(failure)}`,
      'Name a directory with --to where there is room for the list.',
      { cause: failure },
    );
  }
}

async function exportInto(folder: string, options: ListExport): Promise<ExportedParts> {
  const { db, pin, size, program, signal, onProgress } = options;
  const { columns, pages, isWhole } = EXPORTED_LISTS[options.list];
  const terms = termsOf(options, columns, pin);
  const read = pinnedReads(db, pin);
  const before = await partsBefore(folder, terms, options);
  const spans = isWhole ? [wholeSpan(pin)] : await partSpans(read, pin, size);
  const kept = new Map<number, ManifestPart>();
  for (const span of spans) {
    const part = before.find(({ number }) => number === span.number);
    if (part && isRight(part, span, pin) && (await hasFile(folder, terms, part)))
      kept.set(span.number, { ...part, file: fileOfPart(terms, span) }); // whatever an edited manifest has there
  }
  await removeLeftovers(folder, name => name.startsWith(`${options.list}-`) || name.endsWith('.json'));

  const done = new Map(kept);
  const parts = () => [...done.values()].sort((a, b) => a.number - b.number);
  const note = (name: string) => writeManifest(join(folder, name), terms, { program, pin, parts: parts() });
  // From here on no manifest names a file that may be replaced.
  await note(UNFINISHED);
  await rm(join(folder, MANIFEST), { force: true });
  const missing = spans.filter(({ number }) => !kept.has(number));
  const total = Math.max(
    1,
    missing.reduce((sum, span) => sum + weightOf(span), 0),
  );
  let [weight, rows] = [0, 0];
  for (const span of missing) {
    const onPage = (share: number, ofPart: number) =>
      onProgress((weight + share * weightOf(span)) / total, rows + ofPart);
    const file = { path: join(folder, fileOfPart(terms, span)), format: options.format, columns, signal, onPage };
    const written = await writePartFile({ ...file, program: `stacks-index ${program}` }, pages(read, span));
    done.set(span.number, manifestPart(terms, span, pin, written));
    await note(UNFINISHED);
    weight += weightOf(span);
    rows += written.rows;
  }
  await removeOthers(folder, options, parts());
  await note(MANIFEST);
  await rm(join(folder, UNFINISHED), { force: true });
  const all = parts();
  return {
    written: missing.length,
    kept: kept.size,
    rows: all.reduce((sum, part) => sum + part.rows, 0),
    bytes: all.reduce((sum, part) => sum + part.bytes, 0),
  };
}

/** Removes files of parts that the list no longer has. */
async function removeOthers(
  folder: string,
  { list, format }: ListExport,
  parts: readonly ManifestPart[],
): Promise<void> {
  const names = new Set(parts.map(({ file }) => file));
  for (const name of await readdir(folder))
    if (name.startsWith(`${list}-`) && name.endsWith(`.${format}`) && !names.has(name)) await rm(join(folder, name));
}

/** Estimate of the time for a part, in relative units. */
const weightOf = ({ transactions }: PartSpan): number => lengthOf(transactions) + 1;

/** The parts of earlier exports. @throws ExportRefused if this export would remove rows that the chain still has */
async function partsBefore(
  folder: string,
  terms: ReturnType<typeof termsOf>,
  { db, pin }: ListExport,
): Promise<readonly ManifestPart[]> {
  const unfinished = await readManifest(join(folder, UNFINISHED), terms);
  const finished = await readManifest(join(folder, MANIFEST), terms);
  const last = finished ?? unfinished;
  if (last && last.block.height > pin.height) {
    const { height, index_block_hash: hash } = last.block;
    if (!(await db.read(queries => isReplaced(queries, hash))))
      throw new ExportRefused(
        `${folder} has the list as of block ${height}, which is above block ${pin.height}`,
        OTHER_DIRECTORY,
      );
  }
  return (unfinished ?? finished)?.parts ?? [];
}

/** Whether a fork has replaced a block. An unknown one may be above what this index has. */
async function isReplaced(queries: Queries, indexBlockHash: string): Promise<boolean> {
  try {
    await blockNamed(queries, indexBlockHash);
    return false;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'response') return error.code === 'NOT_CANONICAL';
    throw error;
  }
}

/** Whether an earlier file has the rows of a part. */
const isRight = (part: ManifestPart, span: PartSpan, { revision }: Pin): boolean =>
  part.first_block_height === span.firstHeight &&
  part.last_block_height === span.lastHeight &&
  part.last_index_block_hash === span.lastIndexBlockHash &&
  part.revision === revision;

/** Whether the file exists with the length that was written. */
async function hasFile(folder: string, terms: ReturnType<typeof termsOf>, part: ManifestPart): Promise<boolean> {
  const found = await stat(join(folder, fileOfPart(terms, part))).catch(() => undefined);
  return found?.size === part.bytes;
}
