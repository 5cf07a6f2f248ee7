/**
 * Node's zstd decoder stops without an error at the end of a frame when more bytes follow in the same chunk, and loses these
 * bytes. It continues if the next frame comes in a chunk of its own. So this function cuts chunks where frames end.
 * Frame format: RFC 8878, 3.1.
 */
export async function* cutAtFrameEnds(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const { bytes } of piecesOf(chunks)) yield bytes;
}

interface Piece {
  readonly bytes: Buffer;
  /** Whether a frame ends with its last byte. */
  readonly isEnd: boolean;
}

async function* piecesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  const frames = new FrameWalk();
  for await (const chunk of chunks) {
    let start = 0;
    for (const end of frames.endsIn(chunk)) {
      yield { bytes: chunk.subarray(start, end), isEnd: true };
      start = end;
    }
    if (start < chunk.length) yield { bytes: chunk.subarray(start), isEnd: false };
  }
}

/** Frames that one decoder reads. */
interface FrameGroup {
  /** Offset of its first byte in the stream. */
  readonly start: number;
  /** As cutAtFrameEnds. To be read to its end before the next group. */
  readonly bytes: AsyncGenerator<Buffer>;
}

/**
 * The frames of a stream in groups: a decoder that begins with a group needs nothing of the groups before.
 * @param least bytes of a group, but for the last one
 */
export async function* frameGroups(chunks: AsyncIterable<Buffer>, least: number): AsyncGenerator<FrameGroup> {
  const pieces = piecesOf(chunks);
  let offset = 0;
  try {
    let next = await pieces.next();
    async function* group(start: number): AsyncGenerator<Buffer> {
      while (!next.done) {
        const { bytes, isEnd } = next.value;
        offset += bytes.length;
        yield bytes;
        next = await pieces.next();
        if (isEnd && offset - start >= least) return;
      }
    }
    while (!next.done) yield { start: offset, bytes: group(offset) };
  } finally {
    await pieces.return(undefined);
  }
}

const frameMagic = 0xfd2fb528;
const isSkippableMagic = (magic: number): boolean => magic >>> 4 === 0x184d2a5;

type Part = 'magic' | 'skippable size' | 'descriptor' | 'block header' | 'not zstd';
const sizes: Readonly<Record<Part, number>> = {
  magic: 4,
  'skippable size': 4,
  descriptor: 1,
  'block header': 3,
  'not zstd': Number.POSITIVE_INFINITY,
};

/** Walks over the parts of frames, which may lie across chunks: skips contents, collects the few bytes with their lengths. */
class FrameWalk {
  #part: Part = 'magic';
  #skip = 0;
  #collected = 0;
  #value = 0;
  #hasChecksum = false;
  #endsAfterSkip = false;

  /** Offsets in the chunk right behind the last byte of a frame. */
  *endsIn(chunk: Buffer): Generator<number> {
    let i = 0;
    while (i < chunk.length) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, chunk.length - i);
        this.#skip -= step;
        i += step;
      } else {
        this.#collect(chunk[i++] as number);
      }
      if (this.#endsAfterSkip && this.#skip === 0) {
        this.#endsAfterSkip = false;
        yield i;
      }
    }
  }

  /** Little-endian numbers of at most four bytes. */
  #collect(byte: number): void {
    this.#value = (this.#value | (byte << (8 * (this.#collected % 4)))) >>> 0;
    if (++this.#collected < sizes[this.#part]) return;
    const value = this.#value;
    this.#collected = 0;
    this.#value = 0;
    this.#finish(value);
  }

  #finish(value: number): void {
    switch (this.#part) {
      case 'magic':
        if (value === frameMagic) this.#part = 'descriptor';
        else this.#part = isSkippableMagic(value) ? 'skippable size' : 'not zstd'; // the decoder will report it
        return;
      case 'skippable size':
        this.#endFrameAfter(value);
        return;
      case 'descriptor':
        this.#hasChecksum = (value & 0x04) !== 0;
        this.#skip = headerSize(value);
        this.#part = 'block header';
        return;
      case 'block header': {
        const isRunOfOneByte = ((value >> 1) & 3) === 1;
        const content = isRunOfOneByte ? 1 : value >> 3;
        if ((value & 1) === 1) this.#endFrameAfter(content + (this.#hasChecksum ? 4 : 0));
        else this.#skip = content;
        return;
      }
      case 'not zstd':
        return;
      default:
        this.#part satisfies never;
    }
  }

  #endFrameAfter(bytes: number): void {
    this.#skip = bytes;
    this.#endsAfterSkip = true;
    this.#part = 'magic';
  }
}

/** Bytes between the descriptor of a frame and its first block: window, dictionary id, content size. */
function headerSize(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryId = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return (isSingleSegment ? 0 : 1) + dictionaryId + contentSize;
}
