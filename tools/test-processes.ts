import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Scale } from '../test/support/scale.ts';
import { type Outcome, outcomesIn } from './test-outcomes.ts';

/**
 * Folders of `test` whose files share a process in the short form, as all files of a folder of `src` do. Loading the program and making its code fast
 * takes longer than most tests. The others start programs and mostly wait for them: a process each lets them wait at the same time.
 */
const SHARED = ['clients', 'conformance', 'model', 'properties'];

/** Files of `test` itself that share a process too: they ask an index in their own process. */
const SHARED_FILES =
  /^test\/(api-table|burn-views|deploy|document|enforced|examples|mutations|principals|schemas|walks)/;

/**
 * Which files run in one process. Those of `test` first: they take longest. At length each of these has a process of its own, as it takes
 * minutes.
 */
export function processesOf(files: readonly string[], scale: Scale): string[][] {
  const groups = Map.groupBy(files, file => {
    const [top = '', folder = ''] = file.split('/');
    if (top !== 'test') return `${top}/${folder}`;
    if (scale === 'all') return file;
    if (SHARED.includes(folder)) return `${top}/${folder}`;
    return SHARED_FILES.test(file) ? top : file;
  });
  return [...groups].sort(([a], [b]) => (a < b ? 1 : -1)).map(([, group]) => group);
}

export interface TestOptions {
  /** Of this Node.js, before the files. */
  readonly flags: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds after which a process is ended: it hangs. */
  readonly hangAfter: number;
  /** Ends the process. */
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
        signal: options.signal,
      },
    );
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
