import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Compression, decompressed } from './decompress.ts';
import { splitLines } from './lines.ts';
import { type ReadArchiveOptions, readRow, reportingFailure } from './read.ts';
import type { ArchiveRow } from './row.ts';

/** An archive that can be read from any offset on. */
export interface ArchiveFile {
  /** For messages. */
  readonly name: string;
  /** Its stored bytes from an offset on. */
  readonly from: (start: number) => AsyncIterable<Buffer>;
}

/** Rows that follow each other somewhere in an archive. */
export interface ArchivePlace {
  readonly rows: readonly ArchiveRow[];
  /** Bytes of each row as text, with its line end. */
  readonly lengths: readonly number[];
  /** Bytes of all of them. */
  readonly rowBytes: number;
  /** Bytes read of the file, and their uncompressed size, including partial rows at both ends. */
  readonly storedBytes: number;
  readonly textBytes: number;
  /** Whether the archive ends here. */
  readonly isAtEnd: boolean;
}

interface PlaceOptions extends ReadArchiveOptions {
  readonly compression: Compression;
  /** Whether these rows suffice. */
  readonly suffices: (rows: { readonly bytes: number; readonly last: ArchiveRow }) => boolean;
  readonly signal: AbortSignal;
}

/** Most bytes to search for the beginning of a frame or member: those of parallel compressors are shorter. */
const MOST_SEARCHED_BYTES = 16 * 1024 * 1024;
/** Small, so that little more is decompressed than the rows that suffice. */
const FED_BYTES = 64 * 1024;

/**
 * Reads rows from an offset on: from the first whole row behind it, or, in a compressed archive, behind the beginning of the next frame or member.
 * @returns undefined if no frame or member begins within 16 MiB
 * @throws ArchiveError, and what `file.from` throws
 */
export async function readPlace(
  file: ArchiveFile,
  start: number,
  { compression, suffices, signal, maxLineBytes = Number.POSITIVE_INFINITY, ...limits }: PlaceOptions,
): Promise<ArchivePlace | undefined> {
  let storedBytes = 0;
  let textBytes = 0;
  let isEnough = false;
  let isAtEnd = false;
  let isFound = false;
  async function* fed() {
    const chunks = file.from(start);
    for await (const chunk of start === 0 ? chunks : fromBeginning(chunks, BEGINNINGS[compression])) {
      isFound = true;
      for (let at = 0; at < chunk.length; at += FED_BYTES) {
        // Lets the decoder finish its input first: else it would decode the whole chunk before the reader sees the rows of its first part.
        await nextTurn();
        if (isEnough || signal.aborted) return;
        const part = chunk.subarray(at, at + FED_BYTES);
        storedBytes += part.length;
        yield part;
      }
    }
    isAtEnd = true;
  }
  async function* text() {
    for await (const chunk of decompressed(fed(), `.${SUFFIXES[compression]}`, { ...limits, mayEndEarly: true })) {
      textBytes += chunk.length;
      yield chunk;
    }
  }
  const rows: ArchiveRow[] = [];
  const lengths: number[] = [];
  let rowBytes = 0;
  let lastLine = 0;
  for await (const line of reportingFailure(splitLines(text(), maxLineBytes), file.name, () => lastLine)) {
    lastLine = line.line;
    // The first line may lack its beginning if reading began in the middle, and the last line its end.
    if ((start > 0 && line.line === 1) || !line.ended) continue;
    const last = readRow(line);
    if (last === undefined) continue;
    const length = (line.bytes?.length ?? 0) + 1;
    rows.push(last);
    lengths.push(length);
    rowBytes += length;
    isEnough ||= suffices({ bytes: rowBytes, last });
  }
  return isFound ? { rows, lengths, rowBytes, storedBytes, textBytes, isAtEnd } : undefined;
}

const SUFFIXES = { gzip: 'gz', zstd: 'zst', none: 'tsv' } as const satisfies Record<Compression, string>;

/** The first bytes of a compressed frame or member. */
interface Beginning {
  readonly magic: Buffer;
  /** Bytes that `isMeant` reads. */
  readonly length: number;
  readonly isMeant: (header: Buffer) => boolean;
}

/**
 * A frame of zstd (RFC 8878), and a member of gzip (RFC 1952): deflate, no reserved flags, and the levels and systems that compressors name. In compressed
 * bytes such a sequence occurs by chance once in 4 GB.
 */
const BEGINNINGS: Readonly<Record<Compression, Beginning | undefined>> = {
  zstd: { magic: Buffer.of(0x28, 0xb5, 0x2f, 0xfd), length: 4, isMeant: () => true },
  gzip: {
    magic: Buffer.of(0x1f, 0x8b, 0x08),
    length: 10,
    isMeant: ({ 3: flags = 0xff, 8: level = 0xff, 9: system = 0xfe }) =>
      flags <= 0x1f && [0, 2, 4].includes(level) && (system <= 13 || system === 0xff),
  },
  none: undefined,
};

/** The chunks from the first beginning on; empty if there is no beginning. */
async function* fromBeginning(chunks: AsyncIterable<Buffer>, beginning: Beginning | undefined): AsyncGenerator<Buffer> {
  let isBehind = beginning === undefined;
  let searched = 0;
  let kept: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (isBehind || beginning === undefined) {
      yield chunk;
      continue;
    }
    const joined = Buffer.concat([kept, chunk]);
    const at = beginningIn(joined, beginning);
    if (at >= 0) {
      isBehind = true;
      yield joined.subarray(at);
      continue;
    }
    searched += chunk.length;
    if (searched > MOST_SEARCHED_BYTES) return;
    kept = joined.subarray(-(beginning.length - 1));
  }
}

/** @returns -1 where nothing begins */
function beginningIn(bytes: Buffer, { magic, length, isMeant }: Beginning): number {
  for (let at = bytes.indexOf(magic); at >= 0; at = bytes.indexOf(magic, at + 1))
    if (at + length <= bytes.length && isMeant(bytes.subarray(at, at + length))) return at;
  return -1;
}
