import { AppError } from '../../base/lib/app-error.ts';
import { type Compression, compressionOf } from '../../ingest/node/archive/decompress.ts';
import { type ArchiveFile, type ArchivePlace, readPlace } from '../../ingest/node/archive/places.ts';
import type { ReadArchiveOptions } from '../../ingest/node/archive/read.ts';
import { ArchiveError, type ArchiveRow } from '../../ingest/node/archive/row.ts';
import { cpuSecondsOf } from './scratch.ts';

/** An archive whose parts can be read. */
export interface SampledFile extends ArchiveFile {
  /** Known once a byte was read; 0 if the server does not name it. */
  readonly bytesTotal: () => number;
  /** Whether reading can begin at any byte; else `from` reads only from the start. */
  readonly hasParts: () => Promise<boolean>;
}

/** Rows of one place, and the part of the archive that they represent. */
export interface SampledPart {
  readonly rows: readonly ArchiveRow[];
  /** As text. */
  readonly rowBytes: number;
  /** Estimated bytes of the archive, as text, that these rows represent. */
  readonly weightBytes: number;
  /** CPU seconds that it takes to fetch, decompress and divide these rows. */
  readonly readSeconds: number;
}

/** The source of the rows. */
export type SampledFrom =
  /** All rows of the archive. */
  | 'whole'
  /** Places all over the archive. */
  | 'throughout'
  /** Only the start, because reading cannot begin elsewhere. */
  | 'start';

export interface Sample {
  readonly from: SampledFrom;
  readonly fileBytes: number;
  /** Uncompressed. */
  readonly textBytes: number;
  /** The rows up to the first block and some more, which represent only themselves: a genesis block is like no other. */
  readonly head: SampledPart;
  readonly parts: readonly SampledPart[];
}

interface SamplingOptions extends ReadArchiveOptions {
  readonly places: number;
  /** Text of each place. */
  readonly sampleBytes: number;
  readonly signal: AbortSignal;
  /** @param share of the sample, 0 to 1 */
  readonly onProgress: (share: number) => void;
}

/** An archive with up to this many times the text of a sample is read completely. */
const READ_WHOLE = 1.5;
/** The head ends after this many bytes even without a block. */
const LONGEST_HEAD = 256 * 1024 * 1024;

/** A server does not name the length of an archive, so nothing can be concluded from a part of it. */
class LengthUnknown extends AppError {
  override readonly name = 'LengthUnknown';
  override readonly kind = 'operator';

  constructor(name: string) {
    super(`the server of ${name} does not name its length`, {
      hint: 'Fetch the archive, and name the file in place of the URL.',
    });
  }
}

/**
 * Takes rows of an archive: from places at equal distances in the file, or all of a small one, or from the start.
 * @returns undefined when the signal came
 * @throws ArchiveError, LengthUnknown, and what `file.from` throws
 */
export async function sampleArchive(file: SampledFile, options: SamplingOptions): Promise<Sample | undefined> {
  const { places, sampleBytes, signal, onProgress } = options;
  const compression = compressionOf(file.name, await firstBytes(file));
  const read = (start: number, suffices: Suffices) => measured(file, start, compression, suffices, options);
  const head = await read(0, sufficesAsHead(sampleBytes));
  if (signal.aborted || !head) return undefined;
  requireEvent(file, head.place.rows);
  const fileBytes = file.bytesTotal();
  const { storedBytes: headStored, rowBytes: headRowBytes } = head.place;
  const only = (from: SampledFrom, textBytes: number, parts: readonly SampledPart[]): Sample => ({
    ...{ from, fileBytes, textBytes, parts },
    head: partOf(head, headRowBytes),
  });
  if (head.place.isAtEnd) return only('whole', head.place.textBytes, []);
  if (fileBytes === 0) throw new LengthUnknown(file.name);

  onProgress(1 / (places + 1));
  const budget = places * sampleBytes;
  const ratio = head.place.textBytes / headStored;
  const isSmall = (fileBytes - headStored) * ratio <= READ_WHOLE * budget;
  if (!isSmall && (await file.hasParts())) {
    const stratum = (fileBytes - headStored) / places;
    const found: Measured[] = [];
    for (let i = 0; i < places && !signal.aborted; i++) {
      const place = await read(Math.floor(headStored + (i + 0.5) * stratum), ({ bytes }) => bytes >= sampleBytes);
      if (place && place.place.rowBytes > 0) found.push(place);
      // If the first half of the places finds no frame, the archive has only one or few.
      if (i + 1 >= places / 2 && found.length === 0) break;
      onProgress((i + 2) / (places + 1));
    }
    if (signal.aborted) return undefined;
    if (found.length >= Math.max(places / 4, 1)) {
      // Each represents an equal part of the file: a place without a frame may have any content.
      const stored = (fileBytes - headStored) / found.length;
      const texts = found.map(({ place }) => stored * (place.textBytes / place.storedBytes));
      const rest = texts.reduce((sum, text) => sum + text, 0);
      const textBytes = head.place.textBytes + rest;
      // The head was read a little beyond its last row.
      const scale = (textBytes - headRowBytes) / rest;
      return only(
        'throughout',
        textBytes,
        found.map((place, i) => partOf(place, scale * (texts[i] ?? 0))),
      );
    }
  }
  const most = headRowBytes + budget * (isSmall ? 2 * READ_WHOLE : 1);
  const start = await read(0, ({ bytes }) => bytes >= most);
  if (signal.aborted || !start) return undefined;
  const { place } = start;
  const divided = dividedRows(start, headRowBytes, sampleBytes);
  if (place.isAtEnd) return only('whole', place.textBytes, divided);
  const density = (place.textBytes - head.place.textBytes) / Math.max(place.storedBytes - headStored, 1);
  const textBytes = head.place.textBytes + density * (fileBytes - headStored);
  const restBytes = textBytes - headRowBytes;
  const sampled = divided.reduce((sum, { rowBytes }) => sum + rowBytes, 0);
  const parts = divided.map(part => ({ ...part, weightBytes: (restBytes * part.rowBytes) / sampled }));
  return only('start', textBytes, parts);
}

type Suffices = Parameters<typeof readPlace>[2]['suffices'];

interface Measured {
  readonly place: ArchivePlace;
  readonly seconds: number;
}

async function measured(
  file: ArchiveFile,
  start: number,
  compression: Compression,
  suffices: Suffices,
  options: SamplingOptions,
): Promise<Measured | undefined> {
  let place: ArchivePlace | undefined;
  const seconds = await cpuSecondsOf(async () => {
    try {
      place = await readPlace(file, start, { ...options, compression, suffices });
    } catch (error) {
      // Bytes in the middle that look like the beginning of a frame need not be one.
      if (start === 0 || !(error instanceof ArchiveError && error.code === 'archive_damaged')) throw error;
    }
  });
  return place && { place, seconds };
}

async function firstBytes(file: ArchiveFile): Promise<Buffer> {
  const least = 4;
  let head: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of file.from(0)) {
      head = Buffer.concat([head, chunk]);
      if (head.length >= least) break;
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new ArchiveError('archive_unreadable', file.name, 0, error);
  }
  return head;
}

function sufficesAsHead(sampleBytes: number): Suffices {
  let hasBlock = false;
  return ({ bytes, last }) => {
    hasBlock ||= last.kind === 'event' && last.path === '/new_block';
    return bytes >= sampleBytes && (hasBlock || bytes >= LONGEST_HEAD);
  };
}

function requireEvent({ name }: ArchiveFile, rows: readonly ArchiveRow[]): void {
  const [first] = rows;
  if (rows.some(({ kind }) => kind === 'event')) return;
  const why = first?.kind === 'bad' ? `line ${first.line}: ${first.reason}` : 'it is empty';
  throw new ArchiveError('not_an_archive', name, rows.at(-1)?.line ?? 0, why);
}

const partOf = ({ place, seconds }: Measured, weightBytes: number): SampledPart => ({
  ...{ rows: place.rows, rowBytes: place.rowBytes, weightBytes },
  readSeconds: seconds,
});

/** The rows behind the head in parts of some size, which represent nothing else. */
function dividedRows({ place, seconds }: Measured, headRowBytes: number, sampleBytes: number): SampledPart[] {
  const parts: SampledPart[] = [];
  let rows: ArchiveRow[] = [];
  let [bytes, at] = [0, 0];
  const end = () => {
    if (rows.length === 0) return;
    parts.push({ rows, rowBytes: bytes, weightBytes: bytes, readSeconds: (seconds * bytes) / place.rowBytes });
    rows = [];
    bytes = 0;
  };
  for (const [i, row] of place.rows.entries()) {
    const length = place.lengths[i] ?? 0;
    at += length;
    if (at <= headRowBytes) continue;
    rows.push(row);
    bytes += length;
    if (bytes >= sampleBytes) end();
  }
  end();
  return parts;
}
