import type { Typed } from '../../src/cli/advice.ts';
import { main } from '../../src/cli/main.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export interface Called {
  /** The exit status. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both. */
  readonly output: string;
}

interface CallOptions {
  /** Variables of the environment; none of this process is given. */
  readonly env?: NodeJS.ProcessEnv;
  /** See `main`. */
  readonly typed?: Typed | undefined;
}

let isCalling = false;

/**
 * Runs one command of the program to its end, in this process. A process of its own takes a second or two of CPU time before the command begins, so
 * only tests of what concerns a process (a kill, a second process, an exit) start one (`runProgram` in crash/program.ts). One call at a time, as
 * what this process writes meanwhile is taken for the output of the command; what the log writes is not in it.
 * @param args as on the command line
 */
export async function callProgram(args: readonly string[], { env = {}, typed }: CallOptions = {}): Promise<Called> {
  if (isCalling) throw new Error('one command at a time');
  isCalling = true;
  const listeners = SIGNALS.map(signal => [signal, process.listeners(signal)] as const);
  const [stdout, stderr] = [noted(process.stdout), noted(process.stderr)];
  try {
    const code = await main(args, env, typed);
    return { code, stdout: stdout.text(), stderr: stderr.text(), output: stdout.text() + stderr.text() };
  } finally {
    isCalling = false;
    stdout.restore();
    stderr.restore();
    // A command listens to signals for as long as its process lives.
    for (const [signal, before] of listeners)
      for (const listener of process.listeners(signal))
        if (!before.includes(listener)) process.removeListener(signal, listener);
  }
}

/** Keeps the text that is written to a stream, until it is restored. Bytes pass: as such node:test reports to its parent. */
function noted(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  let text = '';
  const { write } = stream;
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    if (typeof chunk !== 'string') return Reflect.apply(write, stream, [chunk, ...rest]);
    text += chunk;
    const done = rest.at(-1);
    if (typeof done === 'function') process.nextTick(done);
    return true;
  }) as typeof stream.write;
  return {
    text: () => text,
    restore: () => {
      stream.write = write;
    },
  };
}
