import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { runProgram } from '../crash/program.ts';

export interface Measured {
  /** Exit status; 255 for a signal. */
  readonly code: number;
  readonly output: string;
  readonly peakMegabytes: number;
  readonly seconds: number;
  /** The time from the signal to the end of the program; 0 if it ended before the signal. */
  readonly endSeconds: number;
}

/** A program that takes more memory or time than this is killed, to protect the machine. */
const MOST_BYTES = 2_500_000_000;
const STUCK_MS = 30_000;

/**
 * Runs a command and measures its memory.
 * @param withinMs how long after `begins` it gets SIGTERM
 */
export async function measured(
  args: readonly string[],
  withinMs: number,
  begins: Promise<unknown> = Promise.resolve(),
): Promise<Measured> {
  const begun = performance.now();
  const program = runProgram(args);
  let peak = 0;
  let signalled: number | undefined;
  const sampling = setInterval(() => {
    peak = Math.max(peak, peakOf(program.pid));
    const isStuck = signalled !== undefined && performance.now() - signalled > STUCK_MS;
    if (peak > MOST_BYTES || isStuck) void program.kill('SIGKILL');
  }, 20);
  const stop = new AbortController();
  const wait = begins.then(() => delay(withinMs, undefined, { signal: stop.signal }));
  void wait.then(
    () => {
      signalled = performance.now();
      void program.kill('SIGTERM');
    },
    () => undefined,
  );
  const { code } = await program.ended;
  stop.abort();
  clearInterval(sampling);
  const now = performance.now();
  return {
    code: code ?? 255,
    output: program.output(),
    peakMegabytes: peak / 1e6,
    seconds: (now - begun) / 1000,
    endSeconds: signalled === undefined ? 0 : (now - signalled) / 1000,
  };
}

/** Whether an output has the stack of an error, which means that the program did not expect it. */
export const hasStack = (output: string): boolean =>
  /^ +at .*[/:]\d+/m.test(output) || /TypeError|RangeError/.test(output);

function peakOf(pid: number | undefined): number {
  try {
    return 1024 * Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0; // it has ended
  }
}
