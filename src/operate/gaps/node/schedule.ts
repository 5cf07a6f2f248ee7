import type { BlockToRebuild } from './repair.ts';

/** Attempts for one missing block. Afterwards it stays missing until the program starts again or another process takes over. */
const MOST_ATTEMPTS = 10;
const LONGEST_PAUSE_MS = 3_600_000;
/** Most blocks that are remembered as refused. */
const MOST_REFUSED = 1_000;

/** The moment of a round of repairs. */
interface Instant {
  /** Time of a monotonic clock, in ms. */
  readonly now: number;
  /** Entries of the journal, and how many of them the index has applied. */
  readonly journaled: number;
  readonly indexed: number;
}

interface Watched {
  readonly attempts: number;
  /** In ms, like `now`. */
  readonly dueAt: number;
  /** Entries that the index must have applied before the next attempt: the missing block may be among them. */
  readonly position: number;
}

/**
 * Decides which missing blocks are rebuilt and when. Example with a delay of 60 s: a gap is seen at 0:00 and due at 1:00; after failures, attempts follow after
 * 2, 4, 8 ... minutes, at most an hour apart.
 */
export class RepairSchedule {
  readonly #delayMs: number;
  #watched: ReadonlyMap<string, Watched> = new Map();
  readonly #refused = new Set<string>();

  /** @param delayMs how long a gap must have lasted, in ms */
  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  /** Takes the current list of missing blocks, and forgets others. @returns the blocks to rebuild now, in the order given */
  due(missing: readonly BlockToRebuild[], { now, journaled, indexed }: Instant): BlockToRebuild[] {
    const first: Watched = { attempts: 0, dueAt: now + this.#delayMs, position: journaled };
    this.#watched = new Map(missing.map(({ indexBlockHash: hash }) => [hash, this.#watched.get(hash) ?? first]));
    return missing.filter(({ indexBlockHash: hash }) => {
      const { attempts, dueAt, position } = this.#watched.get(hash) ?? first;
      return !this.#refused.has(hash) && attempts < MOST_ATTEMPTS && dueAt <= now && position <= indexed;
    });
  }

  /**
   * Notes an attempt, whatever its outcome: a rebuilt block disappears from the list when the index has applied it.
   * @param journaled entries of the journal after it
   * @returns how many attempts are left
   */
  attempted({ indexBlockHash: hash }: BlockToRebuild, { now, journaled }: Omit<Instant, 'indexed'>): number {
    const attempts = (this.#watched.get(hash)?.attempts ?? 0) + 1;
    const dueAt = now + Math.min(this.#delayMs * 2 ** attempts, LONGEST_PAUSE_MS);
    this.#watched = new Map([...this.#watched, [hash, { attempts, dueAt, position: journaled }]]);
    return MOST_ATTEMPTS - attempts;
  }

  /** Ends the attempts for a block that the node cannot supply. */
  refuse(indexBlockHash: string): void {
    this.#refused.add(indexBlockHash);
    const [oldest] = this.#refused;
    if (this.#refused.size > MOST_REFUSED && oldest !== undefined) this.#refused.delete(oldest);
  }
}
