import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest turn that the tests allow, as `turnsDuring` measures it. Loops without pauses take more than a second, or a multiple of this. */
export const LONGEST_TURN = 100;

/** Turns of the event loop while a test ran something. */
export interface TurnsMeasured {
  readonly count: number;
  /** CPU milliseconds of this thread in the longest of them, as an idle machine of 2026 would take. */
  readonly longest: number;
}

/** Milliseconds of CPU that this thread has used: how busy the machine is does not change them. */
export const threadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** CPU milliseconds of the reference work on an idle machine of 2026. */
const REFERENCE_MS = 40;
/** The CPU time of a turn is exact to 4 ms, and a turn below this is short on any machine. */
const SHORT_MS = 40;

/** How much more CPU time this machine takes now than an idle one: its processor may be slow, or share its caches with other work. */
function slowness(): number {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ index, amount: String(index), memo: null }));
  const began = threadCpuMs();
  for (let round = 0; round < 5; round++) JSON.parse(JSON.stringify(rows));
  return Math.max(1, (threadCpuMs() - began) / REFERENCE_MS);
}

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
    return { count, longest: longest > SHORT_MS ? longest / slowness() : longest };
  };
  const measured = measure();
  try {
    await work();
  } finally {
    isOver = true;
  }
  return measured;
}
