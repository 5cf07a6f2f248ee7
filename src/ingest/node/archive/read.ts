import { defaultEventLimits, parseJson } from '../events/json.ts';
import { unescapeCopyText } from './copy-text.ts';
import { type ArchiveProgress, decompressedChunks } from './decompress.ts';
import { type Line, splitLines } from './lines.ts';
import { ArchiveError, type ArchiveRow } from './row.ts';
import { parseTimestamp } from './timestamp.ts';

interface ReadArchiveOptions {
  /** Filled and updated while reading. */
  readonly progress?: ArchiveProgress;
  /** A longer line becomes a bad row. */
  readonly maxLineBytes?: number;
}

/** A body of 500 MB and its escaping. */
const defaultMaxLineBytes = 600_000_000;

const tab = 0x09;
const carriageReturn = 0x0d;
const backslash = 0x5c;

/**
 * The rows of an event archive (docs/spec/ingestion.md#archives): `.gz`, `.zst`, or plain text. Streams; holds one line at a time.
 * A row that cannot be read is given as bad and reading goes on. Throws ArchiveError when the file itself fails.
 */
export async function* readArchive(file: string, options: ReadArchiveOptions = {}): AsyncGenerator<ArchiveRow> {
  const progress = options.progress ?? { bytesRead: 0, bytesTotal: 0 };
  const chunks = reportingFailure(decompressedChunks(file, progress), file, () => lastLine);
  let lastLine = 0;
  for await (const line of splitLines(chunks, options.maxLineBytes ?? defaultMaxLineBytes)) {
    lastLine = line.line;
    const row = readRow(line);
    if (row !== undefined) yield row;
  }
}

/** So many lines without an event at the beginning of a file, and it is no archive. */
const MOST_LINES_WITHOUT_EVENT = 10_000;

/**
 * Reads a file up to its first event.
 * @throws ArchiveError: `not_an_archive` where the file ends, or has 10,000 lines, before one; what readArchive throws
 */
export async function requireArchive(file: string, options: Omit<ReadArchiveOptions, 'progress'> = {}): Promise<void> {
  let line = 0;
  let first = 'the file is empty';
  for await (const row of readArchive(file, options)) {
    if (row.kind === 'event') return;
    if (line === 0) first = `line ${row.line}: ${row.reason}`;
    line = row.line;
    if (line >= MOST_LINES_WITHOUT_EVENT) break;
  }
  throw new ArchiveError('not_an_archive', file, line, first);
}

async function* reportingFailure(
  chunks: AsyncIterable<Buffer>,
  file: string,
  lastLine: () => number,
): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    const isDamage = code.startsWith('Z_') || code.startsWith('ZSTD_');
    throw new ArchiveError(isDamage ? 'archive_damaged' : 'archive_unreadable', file, lastLine(), error);
  }
}

/** A line of an archive: four columns, id, time, path, payload. Undefined for an empty line. */
export function readRow({ line, bytes, ended }: Line): ArchiveRow | undefined {
  const bad = (reason: string): ArchiveRow => ({ kind: 'bad', line, reason });
  if (bytes === undefined) return bad('the line is too long');
  const text = bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
  if (text.length === 0) return undefined;

  const tabs = firstTabs(text, 3);
  const [afterId, afterTime, afterPath] = tabs;
  if (afterId === undefined || afterTime === undefined || afterPath === undefined) {
    return bad(`${ended ? '' : 'the last line is cut off: '}expected 4 columns, found ${tabs.length + 1}`);
  }
  if (afterPath > 1000) return bad('the first three columns are too long');
  const idText = asText(text.subarray(0, afterId));
  const timeText = asText(text.subarray(afterId + 1, afterTime));
  const path = asText(unescapedOrSame(text.subarray(afterTime + 1, afterPath)));
  const payload = text.subarray(afterPath + 1);

  const id = /^\d{1,16}$/.test(idText) ? Number(idText) : Number.NaN;
  if (!Number.isSafeInteger(id)) return bad(`not an id: ${JSON.stringify(idText)}`);
  const receivedAt = parseTimestamp(timeText);
  if (receivedAt === undefined) return bad(`not a time: ${JSON.stringify(timeText)}`);
  if (!path.startsWith('/')) return bad(`not an event path: ${JSON.stringify(path)}`);
  if (asText(payload.subarray(0, 3)) === '\\N') return bad('the payload is NULL');
  const body = bodyOf(payload);
  if (!ended && !isJson(body)) return bad('the last line is cut off');
  return { kind: 'event', line, id, receivedAt, path, body };
}

/**
 * The JSON text of column 4. COPY escapes it; some tools write it as it is. Tried in this order, and unescaped if neither is
 * JSON: the caller parses it and reports the error.
 */
function bodyOf(payload: Uint8Array): Uint8Array {
  if (!payload.includes(backslash)) return payload;
  const unescaped = unescapeCopyText(payload);
  if (unescaped === undefined) return payload;
  return isJson(unescaped) || !isJson(payload) ? unescaped : payload;
}

const isJson = (bytes: Uint8Array): boolean => parseJson(bytes, defaultEventLimits).ok;

function unescapedOrSame(bytes: Uint8Array): Uint8Array {
  return unescapeCopyText(bytes) ?? bytes;
}

function firstTabs(text: Uint8Array, count: number): number[] {
  const tabs: number[] = [];
  for (let at = text.indexOf(tab); at !== -1 && tabs.length < count; at = text.indexOf(tab, at + 1)) tabs.push(at);
  return tabs;
}

function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
