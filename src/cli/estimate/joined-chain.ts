import type { ArchiveRow } from '../../ingest/node/archive/row.ts';

interface Placed {
  readonly indexBlockHash: string;
  readonly height: number;
}

/**
 * Joins places of an archive into one chain, so that an index applies all of their blocks. A block whose parent is between two places gets the highest block
 * before it as its parent, and its height follows from that:
 *
 *     archive   ... 7 8 | 9 ... | 507 508 | 509 ...      places of blocks 7, 8 and 507, 508
 *     joined        7 8             9  10
 */
export class JoinedChain {
  readonly #heights = new Map<string, number>();
  /** Blocks in place of a parent that is between two places; its children are siblings. */
  readonly #substitutes = new Map<string, Placed>();
  #top: Placed | undefined;

  /** Number of blocks of the chain above its first. */
  get height(): number {
    return this.#top?.height ?? 0;
  }

  /** The same row, of a block perhaps with another parent and height. */
  add<R extends ArchiveRow>(row: R): R {
    if (row.kind !== 'event' || row.path !== '/new_block') return row;
    const text = Buffer.from(row.body.buffer, row.body.byteOffset, row.body.length).toString('latin1');
    const [, hash] = HASH.exec(text) ?? [];
    const [, parent] = PARENT.exec(text) ?? [];
    const named = Number(HEIGHT.exec(text)?.[1] ?? Number.NaN);
    if (hash === undefined || parent === undefined || !Number.isSafeInteger(named)) return row;
    const below = this.#heights.get(parent);
    const base = below === undefined ? this.#substituteOf(parent) : { indexBlockHash: parent, height: below };
    const height = base === undefined ? named : base.height + 1;
    this.#heights.set(hash, height);
    if (this.#top === undefined || height > this.#top.height) this.#top = { indexBlockHash: hash, height };
    if (base === undefined || (base.indexBlockHash === parent && height === named)) return row;
    const joined = text
      .replace(PARENT, (all, old: string) => all.replace(old, base.indexBlockHash))
      .replace(HEIGHT, (all, old: string) => all.replace(old, String(height)));
    return { ...row, body: Buffer.from(joined, 'latin1') };
  }

  /** Undefined for the first block of all. */
  #substituteOf(parent: string): Placed | undefined {
    const known = this.#substitutes.get(parent) ?? this.#top;
    if (known) this.#substitutes.set(parent, known);
    return known;
  }
}

const HASH = /"index_block_hash"\s*:\s*"(0x[0-9a-f]{64})"/;
const PARENT = /"parent_index_block_hash"\s*:\s*"(0x[0-9a-f]{64})"/;
const HEIGHT = /"block_height"\s*:\s*(\d{1,15})/;
