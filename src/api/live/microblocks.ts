import { hexBytes } from '../../base/lib/hex.ts';
import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Queries } from '../../base/store/database.ts';
import { canonicalMicroblocks, findMicroblock, newestMicroblocks } from '../records/microblocks/queries.ts';

/** Most canonical microblocks that are remembered: a fork that changes more is followed only from there on. */
const REMEMBERED = 200;
/** Most microblocks of one scan; the next scan has the others. */
const AT_ONCE = 500;

type Placed = Awaited<ReturnType<typeof newestMicroblocks>>[number];

/**
 * Finds canonical microblocks that were not canonical at the last scan (before epoch 2.5 only): those on the tip, and those that a block
 * accepted meanwhile.
 *
 *     last scan   1 2 3 4          by their places in the list
 *     a fork      1 2 5 6 7        4 is not at its place, so the list is read again from 1 on; 5, 6 and 7 are new
 */
export class MicroblockWatch {
  /** The newest microblocks at the last scan, in the order of the chain. */
  #seen: readonly Placed[] | undefined;

  /** Whether no scan has been made yet. */
  get isBlank(): boolean {
    return this.#seen === undefined;
  }

  forget(): void {
    this.#seen = undefined;
  }

  /** JSON texts of the records of new microblocks; empty at the first scan. */
  async look(queries: Queries, pause: Pause): Promise<string[]> {
    const before = this.#seen;
    if (before === undefined) {
      this.#seen = await newestMicroblocks(queries, REMEMBERED);
      return [];
    }
    const found = await this.#readOn(queries, before);
    const [first] = found;
    const kept = first === undefined ? [] : before.filter(({ seq }) => seq < first.seq);
    this.#seen =
      first === undefined ? await newestMicroblocks(queries, REMEMBERED) : [...kept, ...found].slice(-REMEMBERED);
    const known = new Set(before.map(({ hash }) => hash));
    const texts: string[] = [];
    for (const { hash } of found) {
      if (known.has(hash)) continue;
      await pause();
      texts.push(JSON.stringify(await findMicroblock(queries, hexBytes(hash))));
    }
    return texts;
  }

  /** Reads on from the last microblock of the last scan if it is still at its place, else from the first remembered one. */
  async #readOn(queries: Queries, before: readonly Placed[]): Promise<readonly Placed[]> {
    const last = before.at(-1);
    const found = await canonicalMicroblocks(queries, last?.seq ?? 0, AT_ONCE);
    if (last === undefined || found[0]?.hash === last.hash) return found;
    return canonicalMicroblocks(queries, before[0]?.seq ?? 0, REMEMBERED + AT_ONCE);
  }
}
