/**
 * Loaded into the attacked server (`node --import`). It measures the CPU time of each turn of the event loop, which on a busy machine is more reliable
 * than elapsed time, and the memory after a garbage collection. It writes one JSON object a line to the file in ATTACK_GUARD.
 */
import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { type Guarded, NOTED_TURN_MS } from './guard.ts';

const TICK_MS = 5;
const file = process.env.ATTACK_GUARD;
const note = (line: Guarded) => file && appendFileSync(file, `${JSON.stringify(line)}\n`);

/** CPU time of this thread, in milliseconds. */
function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

if (isMainThread && file !== undefined) {
  let last = spent();
  // A timer runs once in each turn that is longer than its interval.
  setInterval(() => {
    const now = spent();
    if (now - last > NOTED_TURN_MS) note({ kind: 'turn', ms: now - last });
    last = now;
  }, TICK_MS).unref();

  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    collect(); // collects what finalizers released
    const { heapUsed, external } = process.memoryUsage();
    note({ kind: 'memory', heap: heapUsed, external });
    last = spent();
  });
}
