/**
 * A reporter of `node --test` that says at the end what was skipped, each reason once, and which files took longest. To be used
 * beside another one that tells of failures.
 */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const SLOWEST = 8;

export default async function* summary(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const skipped = new Map<string, string[]>();
  const files = new Map<string, number>();
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, file = '', skip, details } = event.data;
    // A suite is where it is declared, which may be in a function that files share.
    if (details.type !== 'suite') files.set(file, (files.get(file) ?? 0) + details.duration_ms);
    if (skip === undefined || skip === false) continue;
    const reason = skip === true ? 'no reason given' : skip;
    skipped.set(reason, [...(skipped.get(reason) ?? []), `${relative(process.cwd(), file)}: ${name}`]);
  }
  yield '\n\nLongest files:\n';
  for (const [file, duration] of [...files].sort(([, a], [, b]) => b - a).slice(0, SLOWEST))
    yield `  ${(duration / 1000).toFixed(1).padStart(6)} s  ${relative(process.cwd(), file)}\n`;
  if (skipped.size === 0) yield 'Nothing was skipped.\n';
  for (const [reason, names] of skipped) yield `SKIPPED (${reason}):\n${names.map(name => `  ${name}\n`).join('')}`;
}
