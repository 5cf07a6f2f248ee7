import type { Outcome } from './messages.ts';

/** Tests that may be skipped for one reason. */
export interface AllowedSkips {
  /** Matches the reason that the test gives. */
  readonly reason: RegExp;
  /** As `skipLine` writes them, or `*` for all. */
  readonly tests: ReadonlySet<string>;
}

/**
 * Reads a list of tests that may be skipped. A line `[pattern]` begins a section: its tests may be skipped for a reason that the regular expression
 * matches as a whole. Lines that begin with # say why that is no loss.
 * @throws when a line stands before the first section
 */
export function parseSkips(text: string): AllowedSkips[] {
  const sections: { reason: RegExp; tests: Set<string> }[] = [];
  for (const line of text.split('\n').map(each => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [, pattern] = /^\[(.*)\]$/.exec(line) ?? [];
    if (pattern !== undefined) sections.push({ reason: new RegExp(`^(${pattern})$`), tests: new Set() });
    else if (sections.length === 0) throw new Error(`not in a section: ${line}`);
    else sections.at(-1)?.tests.add(line);
  }
  return sections;
}

/** A test as a line of that list. */
export const skipLine = ({ file, path }: Pick<Outcome, 'file' | 'path'>): string => [file, ...path].join(' > ');

/** Tests that were skipped and stand in no section for their reason. */
export const unlisted = (outcomes: readonly Outcome[], allowed: readonly AllowedSkips[]): Outcome[] =>
  outcomes.filter(
    outcome =>
      outcome.skipped !== undefined &&
      !allowed.some(
        ({ reason, tests }) => reason.test(outcome.skipped ?? '') && (tests.has('*') || tests.has(skipLine(outcome))),
      ),
  );
