import type { Random } from '../random.ts';

/** Bytes that are written at an offset, or a new size. */
export type FileChange = { readonly offset: number; readonly bytes: Buffer } | { readonly size: number };

/** Which of the changes that were not synced the disk made all the same. */
export type Kept = 'none' | 'all' | 'some';

/** Disks write sectors whole. */
const SECTOR = 512;

/** A file on a disk that writes at any time, unless it is synced. */
export class FileContent {
  #bytes: Buffer;
  #size: number;
  #unsynced: FileChange[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = Buffer.from(bytes);
    this.#size = bytes.length;
  }

  change(change: FileChange): void {
    this.#unsynced.push(change);
  }

  sync(): void {
    for (const change of this.#unsynced) this.#make(change);
    this.#unsynced = [];
  }

  /** What is read when the power is back. */
  afterLoss(kept: Kept, random: Random): Buffer {
    for (const change of this.#unsynced) {
      if (kept === 'all') this.#make(change);
      if (kept === 'some') for (const part of partsKept(change, random)) this.#make(part);
    }
    this.#unsynced = [];
    return this.#bytes.subarray(0, this.#size);
  }

  #make(change: FileChange): void {
    if ('size' in change) {
      if (change.size < this.#size) this.#bytes.fill(0, change.size, this.#size);
      this.#grow(change.size);
      this.#size = change.size;
      return;
    }
    const end = change.offset + change.bytes.length;
    this.#grow(end);
    change.bytes.copy(this.#bytes, change.offset);
    this.#size = Math.max(this.#size, end);
  }

  #grow(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(size, 2 * this.#bytes.length));
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}

/** All of it, nothing of it, or some of its sectors. */
function partsKept(change: FileChange, random: Random): FileChange[] {
  const luck = random.int(0, 2);
  if (luck === 0) return [];
  if (luck === 1 || 'size' in change) return [change];
  const { offset, bytes } = change;
  const parts: FileChange[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + SECTOR - ((offset + from) % SECTOR));
    if (random.int(0, 1) === 1) parts.push({ offset: offset + from, bytes: bytes.subarray(from, to) });
    from = to;
  }
  return parts;
}
