import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Scale } from '../test/support/scale.ts';
import { type Outcome, outcomesIn } from './test-outcomes.ts';

/** Files that start programs, and mostly wait for them: a process each lets them wait at the same time. */
const WAITING =
  /^test\/((attack\/attack|crash\/|explorer\/browser|topology\/[opt])|(broadcast|clarinet|command-line|gaps|metadata|moving|reindex|webhooks)\.)/;

/** These share the chains that the simulator makes for them. */
const SIMULATED = /^test\/conformance\/chainsim/;

/** So many of the other files share a process. Loading the program and making its code fast takes longer than most files do. */
const TOGETHER = 50;

/**
 * Which files run in one process. At length each file of `test` has a process of its own, as it takes minutes. The others come first and are dealt
 * out, so that the long ones of a folder come to several processes.
 */
export function processesOf(files: readonly string[], scale: Scale): string[][] {
  const groups = Map.groupBy(files, file => {
    if (scale === 'all') return file.startsWith('test/') ? 'alone' : 'together';
    if (SIMULATED.test(file)) return 'simulated';
    return WAITING.test(file) ? 'alone' : 'together';
  });
  const { together = [], simulated = [], alone = [] } = Object.fromEntries(groups);
  const processes = Math.ceil(together.length / TOGETHER);
  const dealt = Array.from({ length: processes }, (_, n) => together.filter((_, i) => i % processes === n));
  return [...dealt, ...alone.map(file => [file]), simulated].filter(group => group.length > 0);
}

export interface TestOptions {
  /** Of this Node.js, before the files. */
  readonly flags: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds after which a process is ended: it hangs. */
  readonly hangAfter: number;
  /** Ends the process, and what its tests have started. */
  readonly signal: AbortSignal;
}

export interface TestRun {
  readonly files: readonly string[];
  readonly succeeded: boolean;
  /** What it printed for people. */
  readonly output: string;
  readonly outcomes: readonly Outcome[];
}

/** What `node --test` counts at its end: told once, for all processes. */
const COUNTS = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*\n/gm;

/** Runs files in one process. */
export async function runTogether(files: readonly string[], options: TestOptions): Promise<TestRun> {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-tests-'));
  const lines = join(directory, 'outcomes');
  try {
    const child = spawn(
      process.execPath,
      [
        ...options.flags,
        ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
        ...[`--test-reporter=${join(import.meta.dirname, 'test-outcomes.ts')}`, `--test-reporter-destination=${lines}`],
        join(import.meta.dirname, 'test-files.ts'),
        ...files,
      ],
      {
        cwd: options.cwd,
        env: options.env,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: options.hangAfter,
        killSignal: 'SIGKILL',
      },
    );
    // Not by the signal of `spawn`, which would kill it too: the process first ends what its tests have started.
    options.signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const [printed, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    const { outcomes, isWhole } = outcomesIn(existsSync(lines) ? readFileSync(lines, 'utf8') : '');
    return { files, succeeded: code === 0 && isWhole, output: printed.replaceAll(COUNTS, '') + errors, outcomes };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
