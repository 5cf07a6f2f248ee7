/**
 * A reporter of `node --test`: each test as a line of JSON, which `outcomesIn` reads; and what `npm test` says at the end about all of
 * them. To be used beside a reporter for people.
 */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** How a test ended. */
export interface Outcome {
  readonly name: string;
  /** Where it is declared, which may be in a function that files share. */
  readonly file: string;
  readonly passed: boolean;
  /** Why it was skipped. */
  readonly skipped?: string;
  readonly milliseconds: number;
  readonly isSuite: boolean;
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, file = '', skip, details } = event.data;
    const skipped = skip === true ? 'no reason given' : skip;
    const outcome: Outcome = {
      name,
      file: relative(process.cwd(), file),
      passed: event.type === 'test:pass' || event.data.todo !== undefined,
      ...(typeof skipped === 'string' && { skipped }),
      milliseconds: details.duration_ms,
      isSuite: details.type === 'suite',
    };
    yield `${JSON.stringify(outcome)}\n`;
  }
  yield END;
}

/** The last line. A process that ends before its tests do leaves it out, whatever its exit code is. */
const END = 'end\n';

/** @param text what the reporter wrote; its last line may be cut off */
export function outcomesIn(text: string): { readonly outcomes: Outcome[]; readonly isWhole: boolean } {
  const isWhole = text.endsWith(END);
  const lines = text.split('\n').slice(0, isWhole ? -2 : -1);
  return { outcomes: lines.map(line => JSON.parse(line) as Outcome), isWhole };
}

const SLOWEST = 8;

/** How many tests passed, which failed or were skipped, and which files took longest. */
export function summaryOf(outcomes: readonly Outcome[]): string {
  const tests = outcomes.filter(({ isSuite }) => !isSuite);
  const failed = tests.filter(({ passed }) => !passed);
  const skipped = outcomes.filter(({ skipped }) => skipped !== undefined);
  const seconds = new Map<string, number>();
  for (const { file, milliseconds } of tests) seconds.set(file, (seconds.get(file) ?? 0) + milliseconds / 1000);
  return [
    ...(failed.length > 0 ? ['✖ failing tests:', ...failed.map(({ name, file }) => `  ${file}: ${name}`), ''] : []),
    'Longest files:',
    ...[...seconds]
      .sort(([, a], [, b]) => b - a)
      .slice(0, SLOWEST)
      .map(([file, took]) => `  ${took.toFixed(1).padStart(6)} s  ${file}`),
    ...[...Map.groupBy(skipped, outcome => outcome.skipped)].flatMap(([reason, alike]) => [
      `SKIPPED (${reason}):`,
      ...alike.map(({ name, file }) => `  ${file}: ${name}`),
    ]),
    '',
    `ℹ tests ${tests.length}`,
    `ℹ fail ${failed.length}`,
    `ℹ skipped ${skipped.length}`,
  ].join('\n');
}
