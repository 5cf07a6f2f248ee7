import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { isDroppedPack, payloadDropped } from './dropped.ts';

/**
 * How payloads are stored. A payload that was appended alone is a frame of zstd. Payloads that were appended together have similar
 * content, so several share a frame: the row of the first has the pack, the rows of the others are empty.
 *
 *     pack: 1, then a frame of: u16 number of payloads, u32 length of each, the payloads
 *
 * Payloads are dropped as a pack: see dropped.ts.
 */
const PACK = 1;

/**
 * Most payloads in a pack. More payloads hardly compress better, and reading one decompresses all. This number may grow, but never
 * shrink: the search for the row of a payload goes back by it.
 */
export const PACKED_TOGETHER = 16;
/** Most bytes in a pack; a payload of that size is alone. */
const PACKED_BYTES = 256 * 1024;

/** Higher levels take longer and make payloads, which are mostly hashes, hardly smaller. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Rows of a stranger's snapshot may expand to any size. No event (ingest/node/events/json.ts) and no pack is larger than this. */
const MOST = { payload: { maxOutputLength: 512 * 1024 * 1024 }, pack: { maxOutputLength: 64 * PACKED_BYTES } };

/** Default size of zlib's buffers, in bytes. */
const SMALL_CHUNK = 64 * 1024;

/** The bytes for the rows of consecutive payloads. */
export function storedPayloads(bodies: readonly Uint8Array[]): Uint8Array[] {
  const stored: Uint8Array[] = [];
  for (let start = 0; start < bodies.length; ) {
    const together = packFrom(bodies, start);
    const [first] = together;
    stored.push(together.length === 1 && first ? zstdCompressSync(first, FAST) : packOf(together));
    for (let i = 1; i < together.length; i++) stored.push(new Uint8Array());
    start += together.length;
  }
  return stored;
}

function packFrom(bodies: readonly Uint8Array[], start: number): readonly Uint8Array[] {
  let bytes = 0;
  let end = start;
  for (; end < bodies.length && end - start < PACKED_TOGETHER; end++) {
    bytes += bodies[end]?.length ?? 0;
    if (bytes > PACKED_BYTES && end > start) break;
  }
  return bodies.slice(start, end);
}

function packOf(bodies: readonly Uint8Array[]): Uint8Array {
  const head = Buffer.alloc(2 + 4 * bodies.length);
  head.writeUInt16BE(bodies.length);
  for (const [i, { length }] of bodies.entries()) head.writeUInt32BE(length, 2 + 4 * i);
  return Buffer.concat([Buffer.of(PACK), zstdCompressSync(Buffer.concat([head, ...bodies]), FAST)]);
}

/** Reads payloads, row after row. The first row must not be one whose payload is in the pack of an earlier row. */
export class StoredPayloads {
  #first = 0;
  #pack: Uint8Array = new Uint8Array();
  /** Decompressed when the first body is read. */
  #bodies: readonly Uint8Array[] | undefined;

  /** Takes the next row. Call it with every row, in order. */
  pass({ seq, payload }: StoredRow): void {
    if (payload.length === 0) return;
    this.#first = seq;
    this.#pack = payload;
    this.#bodies = undefined;
  }

  /** Whether the payload of the last row was dropped. */
  get isDropped(): boolean {
    return isDroppedPack(this.#pack);
  }

  /** The payload of the last row. @throws FatalDatabaseError (PAYLOAD_DROPPED); Error when it is damaged or missing */
  body(seq: number): Uint8Array {
    if (this.isDropped) throw payloadDropped(`the payload of journal entry ${seq} was dropped`);
    this.#bodies ??= unpacked(this.#pack);
    const body = this.#bodies[seq - this.#first];
    if (!body) throw new Error(`journal entry ${seq} has no payload`);
    return body;
  }
}

/** The payload of a row that is alone in its frame, decompressed anew with each call. */
export function payloadAlone({ payload }: Pick<StoredRow, 'payload'>): Uint8Array {
  const [body = new Uint8Array()] = unpacked(payload);
  return body;
}

interface StoredRow {
  readonly seq: number;
  readonly payload: Uint8Array;
}

function unpacked(payload: Uint8Array): readonly Uint8Array[] {
  if (payload[0] !== PACK) return [zstdDecompressSync(payload, { ...MOST.payload, chunkSize: chunkSizeOf(payload) })];
  const all = zstdDecompressSync(payload.subarray(1), MOST.pack);
  const count = all.readUInt16BE();
  const bodies: Uint8Array[] = [];
  let start = 2 + 4 * count;
  for (let i = 0; i < count; i++) {
    const end = start + all.readUInt32BE(2 + 4 * i);
    if (end > all.length) throw new Error('a pack of payloads is cut off');
    bodies.push(all.subarray(start, end));
    start = end;
  }
  return bodies;
}

/**
 * Bytes of the buffer into which a frame is decompressed: the size in its header, so that there are no two copies of 80 MB. Unused parts of
 * the buffer take no memory.
 * Source: RFC 8878, 3.1.1.1, "Frame_Header".
 */
function chunkSizeOf(frame: Uint8Array): number {
  const descriptor = frame[4] ?? 0;
  // A size above 64 kB has flag 2, and takes 4 bytes. No payload has a dictionary.
  const hasSize = descriptor >> 6 === 2 && (descriptor & 3) === 0;
  // The size follows the window byte, which a single-segment frame lacks.
  const at = ((descriptor >> 5) & 1) === 1 ? 5 : 6;
  if (!hasSize || frame.length < at + 4) return SMALL_CHUNK;
  const size = new DataView(frame.buffer, frame.byteOffset).getUint32(at, true);
  return Math.min(Math.max(size, SMALL_CHUNK), MOST.payload.maxOutputLength);
}
