import { AppError } from '../../../base/lib/app-error.ts';
import { defaultEventLimits, parseJson } from '../events/json.ts';
import { cutAtTabs, unescapeCopyText } from './copy-text.ts';
import { type ArchiveProgress, type DecompressOptions, decompressed, fileChunks } from './decompress.ts';
import { DumpReader, type RowColumns } from './dump.ts';
import { EndlessLine, type Line, splitLines } from './lines.ts';
import { ArchiveError, type ArchiveRow } from './row.ts';
import { parseTimestamp } from './timestamp.ts';

/** Where the bytes of an archive come from. */
export interface ArchiveStream {
  /** For messages. */
  readonly name: string;
  /** The stored bytes. Called once for each reading. */
  readonly chunks: () => AsyncIterable<Buffer>;
  /** Whether a row whose id is below that of the previous row ends the reading, as the order of arrival is unknown then. */
  readonly isOrderUnknown?: boolean;
}

export interface ReadArchiveOptions extends DecompressOptions {
  /** Filled and updated while reading a file. */
  readonly progress?: ArchiveProgress;
  /** A longer line becomes a bad row. */
  readonly maxLineBytes?: number;
  /** Set for a stream that may begin in the middle of its file. */
  readonly restarts?: ArchiveRestarts | undefined;
}

interface ArchiveRestarts {
  /** Where the stream begins in its file, in bytes; known with its first byte. */
  readonly start: () => number;
  /** Least number of bytes between two points at which a later reading may begin. */
  readonly apart: number;
}

/** Enough for a body of 500 MB and its escaping. */
const defaultMaxLineBytes = 600_000_000;

const carriageReturn = 0x0d;
const backslash = 0x5c;

/**
 * The rows of an event archive (docs/spec/ingestion.md#archives): gzip, zstd, or plain text; also of a dump of PostgreSQL as text (dump.ts). Streams;
 * holds one line at a time. An unreadable row is returned as bad, and reading continues. Throws ArchiveError when the file itself fails, or when the order
 * of rows, which decides forks, is lost.
 * @param source the path of a file, or a stream
 */
export async function* readArchive(
  source: string | ArchiveStream,
  options: ReadArchiveOptions = {},
): AsyncGenerator<ArchiveRow> {
  const progress = options.progress ?? { bytesRead: 0, bytesTotal: 0 };
  const stream = typeof source === 'string' ? { name: source, chunks: () => fileChunks(source, progress) } : source;
  const { name } = stream;
  let lastLine = 0;
  const { restarts } = options;
  let point: number | undefined;
  const points = restarts && {
    apart: restarts.apart,
    onPoint: (offset: number) => {
      point = restarts.start() + offset;
    },
  };
  const bytes = decompressed(stream.chunks(), name, { ...options, points });
  const lines = splitLines(bytes, options.maxLineBytes ?? defaultMaxLineBytes);
  const dump = new DumpReader();
  let lastId = -1;
  for await (const line of reportingFailure(lines, name, () => lastLine)) {
    // A line may cross the point where an earlier reading stopped: its stored rows end behind the first newline.
    if (lastLine === 0 && restarts && restarts.start() > 0) {
      lastLine = line.line;
      continue;
    }
    if (lastLine === 0 && isBinaryDump(line)) throw new ArchiveError('binary_dump', name, 0);
    lastLine = line.line;
    const columns = dump.columnsOf(line);
    const row = columns === 'none' ? undefined : columns === undefined ? readRow(line) : rowOf(columns, line);
    if (row === undefined) continue;
    if (row.kind === 'event') {
      if (row.id < lastId && (stream.isOrderUnknown || dump.isDump))
        throw new ArchiveError('rows_out_of_order', name, line.line);
      lastId = row.id;
      if (point !== undefined && !dump.isDump) {
        const restartAt = point;
        point = undefined;
        yield { ...row, restartAt };
        continue;
      }
    }
    yield row;
  }
  if (dump.isDump && !dump.hasTable) throw new ArchiveError('dump_without_events', name, lastLine);
}

/** `pg_dump --format=custom` writes these bytes first. */
const isBinaryDump = ({ bytes }: Line): boolean => bytes !== undefined && asText(bytes.subarray(0, 5)) === 'PGDMP';

/** A file that begins with this many lines without an event is no archive. */
const MOST_LINES_WITHOUT_EVENT = 10_000;

/**
 * Reads an archive up to its first event.
 * @throws ArchiveError: `not_an_archive` if the file ends, or has 10,000 lines, before an event; errors of readArchive
 */
export async function requireArchive(
  source: string | ArchiveStream,
  options: Omit<ReadArchiveOptions, 'progress'> = {},
): Promise<void> {
  let line = 0;
  let first = 'the file is empty';
  for await (const row of readArchive(source, options)) {
    if (row.kind === 'event') return;
    if (line === 0) first = `line ${row.line}: ${row.reason}`;
    line = row.line;
    if (line >= MOST_LINES_WITHOUT_EVENT) break;
  }
  throw new ArchiveError('not_an_archive', typeof source === 'string' ? source : source.name, line, first);
}

/** The same lines. @throws ArchiveError in place of errors of the stream below */
export async function* reportingFailure(
  lines: AsyncIterable<Line>,
  file: string,
  lastLine: () => number,
): AsyncGenerator<Line> {
  try {
    yield* lines;
  } catch (error) {
    if (error instanceof AppError && !(error instanceof EndlessLine)) throw error;
    const code = String((error as NodeJS.ErrnoException).code);
    const isDamage = code.startsWith('Z_') || code.startsWith('ZSTD_') || error instanceof EndlessLine;
    const isWindow = code === 'ZSTD_error_frameParameter_windowTooLarge';
    throw new ArchiveError(
      isWindow ? 'zstd_window' : isDamage ? 'archive_damaged' : 'archive_unreadable',
      file,
      lastLine(),
      error,
    );
  }
}

/** A line of an archive: four columns, id, time, path, payload. Undefined for an empty line. */
export function readRow(line: Line): ArchiveRow | undefined {
  const { bytes, ended } = line;
  if (bytes === undefined) return badRow(line, 'the line is too long');
  const text = bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
  if (text.length === 0) return undefined;
  const { found, rest } = cutAtTabs(text, 3);
  const [id, time, path] = found;
  if (!id || !time || !path)
    return badRow(line, `${ended ? '' : 'the last line is cut off: '}expected 4 columns, found ${found.length + 1}`);
  return rowOf({ id, time, path, payload: rest }, line);
}

const badRow = ({ line }: Line, reason: string): ArchiveRow => ({ kind: 'bad', line, reason });

function rowOf(columns: RowColumns, line: Line): ArchiveRow {
  const bad = (reason: string) => badRow(line, reason);
  if ('reason' in columns) return bad(columns.reason);
  if (columns.id.length + columns.time.length + columns.path.length > 1000)
    return bad('the first three columns are too long');
  const idText = asText(columns.id);
  const timeText = asText(columns.time);
  const path = asText(unescapedOrSame(columns.path));
  const { payload } = columns;

  const id = /^\d{1,16}$/.test(idText) ? Number(idText) : Number.NaN;
  if (!Number.isSafeInteger(id)) return bad(`not an id: ${JSON.stringify(idText)}`);
  const receivedAt = parseTimestamp(timeText);
  if (receivedAt === undefined) return bad(`not a time: ${JSON.stringify(timeText)}`);
  if (!path.startsWith('/')) return bad(`not an event path: ${JSON.stringify(path)}`);
  if (asText(payload.subarray(0, 3)) === '\\N') return bad('the payload is NULL');
  const body = columns.mayBeQuoted ? withoutQuotes(bodyOf(payload)) : bodyOf(payload);
  if (!line.ended && !isJson(body)) return bad('the last line is cut off');
  return { kind: 'event', line: line.line, id, receivedAt, path, body };
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

const quote = 0x22;

/** The publisher's table `messages` holds some early events as a JSON text within a JSON string. No event is a string. */
function withoutQuotes(body: Uint8Array): Uint8Array {
  if (body[0] !== quote || body.length > MOST_TEXT) return body;
  const text = parseJson(body, defaultEventLimits);
  return text.ok && typeof text.value === 'string' ? Buffer.from(text.value) : body;
}

/** Longest text in V8. */
const MOST_TEXT = 500_000_000;

const isJson = (bytes: Uint8Array): boolean => parseJson(bytes, defaultEventLimits).ok;

function unescapedOrSame(bytes: Uint8Array): Uint8Array {
  return unescapeCopyText(bytes) ?? bytes;
}

function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
