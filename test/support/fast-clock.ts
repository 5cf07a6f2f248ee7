import { createRequire } from 'node:module';
import type { TestContext } from 'node:test';

interface Timer {
  due: number;
  readonly period: number;
  readonly repeats: boolean;
  readonly run: () => void;
}

/** What Node gives for a timer, as far as libraries use it. */
interface TimerHandle {
  refresh(): TimerHandle;
  ref(): TimerHandle;
  unref(): TimerHandle;
}

const timers = createRequire(import.meta.url)('node:timers') as Record<string, unknown>;

/**
 * Time that passes when a test says so, until the test ends: for intervals, `performance.now`, and the time-outs of libraries that take them
 * from `node:timers`, as engine.io does. Other time-outs are those of the machine.
 */
export class FastClock {
  #now = 0;
  readonly #timers = new Map<TimerHandle, Timer>();

  constructor(t: TestContext) {
    const end = (handle: TimerHandle) => void this.#timers.delete(handle);
    const once = (run: () => void, ms: number) => this.#add(run, ms, false);
    const originals = { setTimeout: timers.setTimeout, clearTimeout: timers.clearTimeout };
    Object.assign(timers, { setTimeout: once, clearTimeout: end });
    t.after(() => void Object.assign(timers, originals));
    t.mock.method(globalThis, 'setInterval', (run: () => void, ms: number) => this.#add(run, ms, true));
    t.mock.method(globalThis, 'clearInterval', end);
    t.mock.method(performance, 'now', () => this.#now);
  }

  /** Milliseconds. */
  get now(): number {
    return this.#now;
  }

  /** Lets so many milliseconds pass, and runs what is due, in order. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(([, { due }]) => due <= end).sort(([, a], [, b]) => a.due - b.due);
      if (!next) break;
      const [handle, timer] = next;
      this.#now = Math.max(this.#now, timer.due);
      if (timer.repeats) timer.due += timer.period;
      else this.#timers.delete(handle);
      timer.run();
    }
    this.#now = end;
  }

  #add(run: () => void, period: number, repeats: boolean): TimerHandle {
    const timer: Timer = { due: this.#now + period, period, repeats, run };
    const handle: TimerHandle = {
      refresh: () => {
        timer.due = this.#now + period;
        this.#timers.set(handle, timer);
        return handle;
      },
      ref: () => handle,
      unref: () => handle,
    };
    this.#timers.set(handle, timer);
    return handle;
  }
}
