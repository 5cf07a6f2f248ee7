/**
 * Bodies of many megabytes. Several clients may wait for such bodies at once, or read them slowly. So a body stays compressed until it is
 * sent, piece by piece as its client reads. A body of 40 MB takes the memory of its compressed pieces, 2 to 10 MB, and of one piece.
 */
import { Readable } from 'node:stream';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Bytes from which on a body is sent in pieces. */
const LARGE = 1_000_000;
/** Characters of the shortest text that is compressed. */
const LONG_TEXT = 16 * 1024;
/** Approximate bytes that are sent at once; a longer text that was packed in one piece is sent in one piece. */
const PIECE_BYTES = 128 * 1024;

const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** A text of a body, compressed. */
class PackedText {
  /** Length of the text in UTF-8. */
  readonly bytes: number;
  readonly #packed: Uint8Array;

  constructor(text: string) {
    const bytes = Buffer.from(text);
    this.bytes = bytes.length;
    this.#packed = zstdCompressSync(bytes, FAST);
  }

  get packedBytes(): number {
    return this.#packed.length;
  }

  unpacked(): Buffer {
    return zstdDecompressSync(this.#packed, { maxOutputLength: this.bytes });
  }
}

/** A part of a body: a text, compressed if it is long. */
export type BodyPiece = string | PackedText;

/** A piece with this text. Its length bounds the time of the turn that sends it: some 100 kB take a millisecond. */
export const bodyPiece = (text: string): BodyPiece => (text.length < LONG_TEXT ? text : new PackedText(text));

/** The text of a piece. */
export const pieceText = (piece: BodyPiece): string =>
  typeof piece === 'string' ? piece : piece.unpacked().toString();

const sentBytes = (piece: BodyPiece): number => (typeof piece === 'string' ? Buffer.byteLength(piece) : piece.bytes);

/** A body that is encoded as its client reads it, one piece in each turn of the event loop. */
export class LargeBody extends Readable {
  /** Length of the whole body. */
  readonly bytes: number;
  /** Bytes of memory that it takes until it is sent. */
  readonly heldBytes: number;
  readonly #pieces: readonly BodyPiece[];
  #next = 0;
  #turn: NodeJS.Immediate | undefined;

  constructor(pieces: readonly BodyPiece[]) {
    super({ highWaterMark: PIECE_BYTES });
    this.#pieces = pieces;
    this.bytes = pieces.reduce((sum, piece) => sum + sentBytes(piece), 0);
    this.heldBytes = pieces.reduce(
      (sum, piece) => sum + (typeof piece === 'string' ? piece.length : piece.packedBytes),
      0,
    );
  }

  override _read(): void {
    // In a later turn: else a fast client would get all of it in one turn.
    this.#turn = setImmediate(() => this.push(this.#nextBytes()));
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearImmediate(this.#turn);
    done(error);
  }

  /** The next pieces; null at the end. */
  #nextBytes(): Buffer | null {
    const chunks: Buffer[] = [];
    for (let bytes = 0; bytes < PIECE_BYTES && this.#next < this.#pieces.length; this.#next++) {
      const piece = this.#pieces[this.#next] as BodyPiece;
      const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece.unpacked();
      chunks.push(chunk);
      bytes += chunk.length;
    }
    return chunks.length === 0 ? null : Buffer.concat(chunks);
  }
}

/** The body made of these pieces: a text, or a stream if it is large. */
export function bodyOf(pieces: readonly BodyPiece[]): string | LargeBody {
  const isLarge =
    pieces.reduce((sum, piece) => sum + (typeof piece === 'string' ? piece.length : piece.bytes), 0) >= LARGE;
  return isLarge ? new LargeBody(pieces) : pieces.map(pieceText).join('');
}
