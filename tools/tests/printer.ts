import type { Outcome, Report } from './messages.ts';
import type { FileRun } from './test-process.ts';

/** How often a line says what the run is doing. Milliseconds. */
const PROGRESS_MS = 10_000;
const LONGEST = 8;

export interface PrinterOptions {
  readonly files: number;
  /** Prints every test and what the files print, not only what fails. */
  readonly isVerbose: boolean;
  readonly print: (text: string) => void;
}

/** Shows a run as it goes on. */
export interface Printer {
  onReport(report: Report, file: string): void;
  onFile(run: FileRun): void;
  /** Ends the lines of progress. */
  stop(): void;
}

/** A file that runs, since when, and the test in it. */
interface Current {
  readonly since: number;
  readonly test: readonly string[];
}

export function startPrinter({ files, isVerbose, print }: PrinterOptions): Printer {
  const began = performance.now();
  const current = new Map<string, Current>();
  const counts = { files: 0, passed: 0, failed: 0, skipped: 0 };

  const progress = () => {
    const now = [...current].map(([file, { since, test }]) =>
      [`${file} (${Math.round((performance.now() - since) / 1000)} s)`, ...test.slice(-1)].join(' > '),
    );
    print(
      `${clock(performance.now() - began)}  ${counts.files} of ${files} files, ${files - counts.files} remain; ${countsText(counts)}; now:`,
    );
    for (const line of now) print(`        ${line.slice(0, 160)}`);
  };
  const timer = setInterval(progress, PROGRESS_MS);

  return {
    onReport(report, file) {
      if (report.kind === 'started') current.set(file, { since: performance.now(), test: [] });
      if (report.kind === 'test')
        current.set(file, { since: current.get(file)?.since ?? performance.now(), test: report.path });
      if (report.kind === 'open')
        current.set(file, {
          since: current.get(file)?.since ?? performance.now(),
          test: [`its tests have ended and left open: ${report.resources.join(', ')}`],
        });
      if (report.kind === 'error') print(`✖ ${file}: an error that belongs to no test\n${indented(report.text)}`);
      if (report.kind !== 'outcome') return;
      const { outcome } = report;
      count(counts, outcome);
      if (outcome.failure !== undefined) print(failureText(outcome));
      else if (isVerbose && !outcome.isSuite) print(outcomeLine(outcome));
    },
    onFile(run) {
      counts.files++;
      current.delete(run.file);
      const isWrong = hasFailed(run);
      if ((isWrong || isVerbose) && run.output.trim() !== '') print(`${run.file} printed:\n${indented(run.output)}`);
      for (const error of run.errors) print(`✖ ${run.file}: ${error}`);
    },
    stop: () => clearInterval(timer),
  };
}

/** Whether a test of the file has failed, or the file itself. */
export const hasFailed = ({ outcomes, errors }: FileRun): boolean =>
  errors.length > 0 || outcomes.some(({ passed }) => !passed);

/** How many tests passed, failed and were skipped; which failed, and how to run each again; which files took most CPU time and longest. */
export function summaryOf(runs: readonly FileRun[]): string {
  const outcomes = runs.flatMap(run => run.outcomes);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const outcome of outcomes) count(counts, outcome);
  const failures = runs.flatMap(run => [
    ...run.outcomes
      .filter(({ failure }) => failure !== undefined)
      .map(outcome => `  ${nameOf(outcome)}\n    ${rerun(outcome)}`),
    ...run.errors.map(error => `  ${run.file}: ${error.split('\n', 1)[0]}\n    npm test -- ${run.file}`),
  ]);
  // A file that fails as a whole has no test that did.
  const whole = runs.filter(run => run.errors.length > 0).length;
  const reasons = Map.groupBy(
    outcomes.filter(({ skipped }) => skipped !== undefined),
    ({ skipped }) => skipped,
  );
  const costliest = [...runs].sort((a, b) => b.cpuSeconds - a.cpuSeconds).slice(0, LONGEST);
  const longest = [...runs].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, LONGEST);
  const line = (seconds: number, file: string) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`;
  return [
    'Files with the most CPU time, without PostgreSQL:',
    ...costliest.map(({ file, cpuSeconds }) => line(cpuSeconds, file)),
    'Longest files:',
    ...longest.map(({ file, milliseconds }) => line(milliseconds / 1000, file)),
    ...[...reasons].map(([reason, alike]) => `Skipped, ${alike.length}: ${reason}`),
    ...(failures.length > 0 ? ['', '✖ Failed, with the command that runs it alone:', ...failures] : []),
    '',
    countsText({ ...counts, failed: counts.failed + whole }),
  ].join('\n');
}

/** What each file took: CPU seconds, seconds and its name in columns, the most CPU time first. */
export const costsOf = (runs: readonly FileRun[]): string =>
  [...runs]
    .sort((a, b) => b.cpuSeconds - a.cpuSeconds)
    .map(run => `${run.cpuSeconds.toFixed(2)}\t${(run.milliseconds / 1000).toFixed(1)}\t${run.file}\n`)
    .join('');

type Counts = Record<'passed' | 'failed' | 'skipped', number>;

/** A suite counts only where it was skipped, or failed, as a whole. */
function count(counts: Counts, { skipped, failure, isSuite, passed }: Outcome): void {
  if (skipped !== undefined) counts.skipped++;
  else if (failure !== undefined) counts.failed++;
  else if (passed && !isSuite) counts.passed++;
}

const countsText = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

const nameOf = ({ file, path }: Outcome): string => [file, ...path].join(' > ');

const failureText = (outcome: Outcome): string =>
  `✖ ${nameOf(outcome)} (${Math.round(outcome.milliseconds)} ms)\n${indented(outcome.failure ?? '')}\n    ${rerun(outcome)}`;

const outcomeLine = (outcome: Outcome): string =>
  `${outcome.skipped === undefined ? '✔' : '﹣'} ${nameOf(outcome)} (${Math.round(outcome.milliseconds)} ms)${outcome.skipped === undefined ? '' : ` # ${outcome.skipped}`}`;

/** The command that runs a test alone. */
const rerun = ({ file, path }: Outcome): string =>
  path.length === 0 ? `npm test -- ${file}` : `npm test -- ${file} --test-name-pattern=${quoted(patternOf(path))}`;

const patternOf = (path: readonly string[]): string =>
  `^${(path.at(-1) ?? '').replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`;

/** A word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const indented = (text: string): string => text.trimEnd().replace(/^/gm, '    ');

/** Minutes and seconds. */
const clock = (milliseconds: number): string => {
  const seconds = Math.round(milliseconds / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}`;
};
