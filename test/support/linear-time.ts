import assert from 'node:assert/strict';

const PARTS = 16;
/** Quadratic work takes 16 times as long in one piece as in 16; linear work equally long, but for caches and collections of garbage. */
const MOST = 5;
const TRIES = 10;
/** Microseconds. */
const ENOUGH = 20_000;

/**
 * Asserts that work takes time linear in the size of its input: one input of this size takes about as long as 16 inputs of a
 * 16th of it. Compares CPU times of this thread, each the least of some tries, so that it does not matter what else the machine does.
 */
export function assertLinearTime<T>(size: number, makeInput: (size: number) => T, work: (input: T) => void): void {
  const large = makeInput(size);
  const small = makeInput(Math.floor(size / PARTS));
  const inOnePiece = () => work(large);
  const inParts = () => {
    for (let i = 0; i < PARTS; i++) work(small);
  };
  inParts(); // the first run is slow: the code is not compiled yet
  let one = Number.POSITIVE_INFINITY;
  let parts = Number.POSITIVE_INFINITY;
  for (let tries = 1; tries <= TRIES; tries++) {
    parts = Math.min(parts, cpuTime(inParts));
    one = Math.min(one, cpuTime(inOnePiece));
    if (tries > 1 && one <= MOST * parts) return;
  }
  assert.fail(`a size of ${size} takes ${(one / parts).toFixed(1)} times as long as ${PARTS} parts of it`);
}

/** In microseconds. Of several runs: some systems count CPU time in steps of 10 ms. */
function cpuTime(work: () => void): number {
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    work();
    const { user, system } = process.threadCpuUsage(before);
    if (user + system >= ENOUGH) return (user + system) / runs;
  }
}
