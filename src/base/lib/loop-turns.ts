/**
 * Divides the work of a thread into turns of the event loop, so that no work keeps other clients, probes and events waiting.
 *
 *     turn 1     a request of client A (8 ms), a request of B (3 ms)   the budget is spent: what comes now waits
 *     turn 2     the next request of A (1 ms), the next request of B (9 ms)
 *     turn 3     a piece of a loop (4 ms), as requests had 10 ms since the last piece, the next request of A ...
 *     turn 4     nothing: two requests wait for a database, so the next piece of the loop comes 10 ms after its last one
 *
 * Whatever arrives on sockets between two turns is read there, and timers run there. A loop that awaits promises alone stays in one
 * turn, however long it runs: it must call `pause`.
 */

import { FairQueue } from './fair-queue.ts';

/** Milliseconds of one turn. Work that comes later in the turn begins in a later one. */
const TURN_MS = 10;
/** Most pieces of waiting work that begin in one turn. Few turns are cheaper: between two of them all sockets are read, which takes as long as a short request. */
const MOST_IN_TURN = 8;
/** Milliseconds after which a loop pauses. */
const LOOP_MS = 4;
/**
 * Pause between two pieces of loops while requests wait, for their turn or for a database; it leaves loops a quarter of the time or more. Without it, a page
 * with four round trips to a database would wait for a piece of a loop after each, and the database for a core.
 */
const BETWEEN_LOOPS_MS = 10;
/** A turn that lasted longer is reported. */
const HOLD_MS = 50;

export interface LoopTurnsOptions {
  /** Milliseconds of a monotonic clock by default. Tests pass the CPU time of the thread. */
  readonly now?: () => number;
  /** Called after a turn of more than 50 ms, with the work in it that took most of the time. */
  readonly onHold?: (by: string, milliseconds: number) => void;
  /** Whether work in progress waits for something else, such as results of a database. */
  readonly isAwaited?: () => boolean;
}

/** `LoopTurns.pause` of one loop: to be awaited in each of its rounds. It may throw, to end the loop. */
export type Pause = () => Promise<void> | undefined;

interface Section {
  readonly by: string;
  readonly began: number;
}

export class LoopTurns {
  /** Milliseconds of its clock. */
  readonly now: () => number;
  readonly #onHold: LoopTurnsOptions['onHold'];
  readonly #isAwaited: () => boolean;
  /** Work of each client that begins in a later turn. The clients take turns. */
  readonly #work = new FairQueue<string, () => void>();
  /** Loops that have paused, in the order of their pauses. */
  readonly #loops: { readonly by: string; readonly resume: () => void }[] = [];
  /** Named work of the current turn, in order; empty before the first. */
  #sections: Section[] = [];
  #isPumping = false;
  #lastLoop = Number.NEGATIVE_INFINITY;
  /** Fires when loops may continue, while no other work waits. */
  #timer: NodeJS.Timeout | undefined;

  constructor({ now = () => performance.now(), onHold, isAwaited = () => false }: LoopTurnsOptions = {}) {
    this.now = now;
    this.#onHold = onHold;
    this.#isAwaited = isAwaited;
  }

  /** Begins named work in the current turn. @param began the time now @returns milliseconds that this turn has lasted, 0 for its first work */
  note(by: string, began = this.now()): number {
    if (this.#sections.length === 0) setImmediate(() => this.#endTurn());
    this.#sections.push({ by, began });
    return began - (this.#sections[0]?.began ?? began);
  }

  /**
   * Begins short work: now if the turn has time left and nothing waits, else in a later turn. Clients take turns, whatever each of
   * them has waiting.
   * @param work its parameter is the time at which it begins @param now the time now, for a caller that has just read it
   */
  begin(by: string, client: string, work: (at: number) => void, mayBeginNow = true, now = this.now()): void {
    if (mayBeginNow && this.#work.isEmpty && this.#spent(now) < TURN_MS) {
      this.note(by, now);
      work(now);
      return;
    }
    this.#work.push(client, () => {
      const at = this.now();
      this.note(by, at);
      work(at);
    });
    this.#pump();
  }

  /**
   * To be awaited in each round of a loop that may be long. @param by names the loop in reports
   * @returns undefined while the loop may go on; else resolves in the turn in which it may
   */
  pause(by: string): Promise<void> | undefined {
    if (this.#sections.length === 0) this.note(by);
    else if (this.#spent() >= LOOP_MS) return this.#later(by);
    return undefined;
  }

  #later(by: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#loops.push({ by, resume: resolve });
    this.#pump();
    return promise;
  }

  #spent(now = this.now()): number {
    const [first] = this.#sections;
    return first === undefined ? 0 : now - first.began;
  }

  /** Begins waiting work in the next turn, and again while any is left. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    // One callback each, so that the microtasks of a piece count before the next piece begins.
    for (let left = MOST_IN_TURN; left > 0; left--) setImmediate(() => this.#piece(left === MOST_IN_TURN, left === 1));
  }

  #piece(isFirst: boolean, isLast: boolean): void {
    if (isFirst || this.#spent() < TURN_MS) this.#next();
    if (!isLast) return;
    this.#isPumping = false;
    if (!this.#work.isEmpty) this.#pump();
    else if (this.#loops.length > 0) this.#pumpAfter(this.#untilLoops(this.now()));
  }

  #pumpAfter(ms: number): void {
    if (ms <= 0) this.#pump();
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#pump();
      }, ms);
  }

  /** Milliseconds until a loop may continue; 0 or less if it may now. */
  #untilLoops(now: number): number {
    if (this.#work.isEmpty && !this.#isAwaited()) return 0;
    return this.#lastLoop + LOOP_MS + BETWEEN_LOOPS_MS - now;
  }

  #next(): void {
    const now = this.now();
    const loop = this.#untilLoops(now) <= 0 ? this.#loops.shift() : undefined;
    if (loop === undefined) {
      this.#work.shift()?.();
      return;
    }
    this.#lastLoop = now;
    this.note(loop.by);
    loop.resume();
  }

  #endTurn(): void {
    const sections = this.#sections;
    this.#sections = [];
    const [first] = sections;
    const end = this.now();
    if (first === undefined || end - first.began <= HOLD_MS || this.#onHold === undefined) return;
    const took = ({ began }: Section, at: number) => (sections[at + 1]?.began ?? end) - began;
    const longest = sections.reduce((most, section, at) => Math.max(most, took(section, at)), 0);
    const by = sections.find((section, at) => took(section, at) === longest)?.by ?? first.by;
    this.#onHold(by, end - first.began);
  }
}
