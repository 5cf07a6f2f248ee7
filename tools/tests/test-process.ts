import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Order, Outcome, Report } from './messages.ts';

export interface ProcessOptions {
  /** Of Node.js, before the program. */
  readonly flags: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /**
   * Starts to wait, until `restart` is called: then it waits anew. Without a call for as long as a test may take it calls `fire`, once.
   * A process that cannot say anything any more, as it loops, is found only in this way.
   */
  readonly watchdog: (fire: () => void) => Watchdog;
  /** Ends the process, and what its tests have started. */
  readonly signal: AbortSignal;
  readonly onReport?: (report: Report, file: string) => void;
}

export interface Watchdog {
  /** A test has begun or ended. */
  restart(): void;
  stop(): void;
}

/** What became of a file. */
export interface FileRun {
  readonly file: string;
  readonly outcomes: readonly Outcome[];
  /** What belongs to no test: an error, a process that ended, something left open. Empty when all is well. */
  readonly errors: readonly string[];
  /** What its process printed meanwhile. */
  readonly output: string;
  readonly milliseconds: number;
  /** Of its process and of the programs that it started and that have ended; of PostgreSQL, which all files share, nothing. */
  readonly cpuSeconds: number;
}

/** A process that runs files, one at a time. */
export interface TestProcess {
  /** Runs a file to its end. Afterwards `isUsable` says whether the process can run another one. */
  run(file: string): Promise<FileRun>;
  isUsable(): boolean;
  /** Lets the process end. @returns what is wrong with that, if anything */
  end(): Promise<string | undefined>;
}

/** A process that holds more gives way to a new one. Bytes. */
const MOST_RESIDENT = 1_500_000_000;
/** Of the output of a file. Characters. */
const MOST_OUTPUT = 200_000;

/** The file that runs, and what is known of it so far. */
interface Running {
  readonly file: string;
  readonly outcomes: Outcome[];
  readonly errors: string[];
  readonly began: number;
  readonly done: (run: FileRun) => void;
  output: string;
  test: readonly string[];
  open: readonly string[];
}

export function startTestProcess(options: ProcessOptions): TestProcess {
  const { flags, cwd, env, watchdog: createWatchdog, signal, onReport = () => {} } = options;
  const child = spawn(
    process.execPath,
    [
      ...flags,
      `--import=${join(import.meta.dirname, 'untracked-promises.ts')}`,
      `--test-reporter=${join(import.meta.dirname, 'reporter.ts')}`,
      '--test-reporter-destination=stdout',
      join(import.meta.dirname, 'worker.ts'),
    ],
    // A group of its own, so that programs which its tests have started can be killed with it.
    { cwd, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true },
  );
  let running: Running | undefined;
  let residentBytes = 0;
  let isGone = false;
  let killed: string | undefined;

  const watchdog = createWatchdog(() => {
    killed = 'no test ended in the time that the watchdog allows';
    killGroup(child);
  });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });

  const finish = (cpuSeconds: number, ...errors: string[]): void => {
    if (!running) return;
    const { file, outcomes, output, began, done } = running;
    const milliseconds = performance.now() - began;
    const all = [...running.errors, ...errors];
    running = undefined;
    watchdog.stop();
    done({ file, outcomes, errors: all, output, milliseconds, cpuSeconds });
  };

  const exited = new Promise<string | undefined>(resolve => {
    child.once('error', error => {
      isGone = true;
      resolve(`the process could not be started: ${error.message}`);
      finish(0, error.message);
    });
    // Not 'exit': what was sent before it is read first.
    child.once('close', (code, name) => {
      isGone = true;
      watchdog.stop();
      signal.removeEventListener('abort', stop);
      const how = killed ?? (name === null ? `the process ended with status ${code}` : `${name} ended the process`);
      resolve(killed !== undefined || name !== null ? how : undefined);
      if (running) finish(0, describe(how, running));
    });
  });

  child.on('message', (report: Report) => {
    if (!running) return;
    onReport(report, running.file);
    switch (report.kind) {
      case 'started':
      case 'test':
        watchdog.restart();
        running.test = report.kind === 'test' ? report.path : [];
        return;
      case 'outcome':
        watchdog.restart();
        running.outcomes.push(report.outcome);
        return;
      case 'error':
        running.errors.push(report.text);
        return;
      case 'open':
        running.open = report.resources;
        return;
      case 'ended':
        residentBytes = report.residentBytes;
        return finish(report.cpuSeconds);
      default:
        report satisfies never;
    }
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      if (running && running.output.length < MOST_OUTPUT) running.output += text;
    });

  return {
    run: file =>
      new Promise(done => {
        running = { file, outcomes: [], errors: [], began: performance.now(), done, output: '', test: [], open: [] };
        if (isGone) return finish(0, 'the process had ended before the file began');
        watchdog.restart();
        child.send({ kind: 'run', file } satisfies Order);
      }),
    isUsable: () => !isGone && residentBytes < MOST_RESIDENT,
    async end() {
      if (isGone) return undefined;
      watchdog.restart();
      child.send({ kind: 'end' } satisfies Order);
      return exited;
    },
  };
}

/** How a process ended, and what it was doing then. */
function describe(how: string, { test, open, outcomes, file }: Running): string {
  const isOver = outcomes.some(outcome => outcome.file === file && outcome.path.length === 0);
  if (isOver && open.length > 0) return `${how}. Its tests had ended, and left open: ${open.join(', ')}`;
  return test.length > 0 ? `${how}, in the test: ${test.join(' > ')}` : how;
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
