import { setImmediate as nextTurn } from 'node:timers/promises';

/** Turns of the event loop while a test ran something. */
export interface TurnsMeasured {
  readonly count: number;
  /** CPU milliseconds of this thread in the longest of them. */
  readonly longest: number;
}

/** Milliseconds of CPU that this thread has used: how busy the machine is does not change them. */
export const threadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Measures every turn of the event loop, whatever runs in it, until the work is done. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<TurnsMeasured> {
  let isOver = false;
  const measure = async (): Promise<TurnsMeasured> => {
    let [count, longest, last] = [0, 0, threadCpuMs()];
    while (!isOver) {
      await nextTurn();
      const now = threadCpuMs();
      longest = Math.max(longest, now - last);
      last = now;
      count++;
    }
    return { count, longest };
  };
  const measured = measure();
  try {
    await work();
  } finally {
    isOver = true;
  }
  return measured;
}
