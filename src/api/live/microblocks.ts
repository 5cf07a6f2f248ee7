import { hexBytes } from '../../base/lib/hex.ts';
import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Queries } from '../../base/store/database.ts';
import { canonicalMicroblocks, findMicroblock, newestMicroblocks } from '../records/microblocks/queries.ts';

/** Canonical microblocks that are remembered: a fork that changes more of them is followed only from there on. */
const REMEMBERED = 200;
/** Microblocks of one look; others come with the next one. */
const AT_ONCE = 500;

type Placed = Awaited<ReturnType<typeof newestMicroblocks>>[number];

/**
 * Finds canonical microblocks that were not canonical at the last look (before epoch 2.5 only): those on the tip, and those that a block
 * accepted meanwhile.
 *
 *     last look   1 2 3 4          by their places in the list
 *     a fork      1 2 5 6 7        4 is not in its place, so the list is read again from 1 on; 5, 6 and 7 are new
 */
export class MicroblockWatch {
  /** The last ones at the last look, in the order of the chain. */
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

  /** From the last one of the last look on if it is in its place, else from the first one that is remembered. */
  async #readOn(queries: Queries, before: readonly Placed[]): Promise<readonly Placed[]> {
    const last = before.at(-1);
    const found = await canonicalMicroblocks(queries, last?.seq ?? 0, AT_ONCE);
    if (last === undefined || found[0]?.hash === last.hash) return found;
    return canonicalMicroblocks(queries, before[0]?.seq ?? 0, REMEMBERED + AT_ONCE);
  }
}
