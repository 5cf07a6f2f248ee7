import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from './messages.ts';
import { parseSkips, skipLine, unlisted } from './skips.ts';

const skipped = (file: string, name: string, reason: string): Outcome => ({
  file,
  path: ['a suite', name],
  passed: true,
  skipped: reason,
  milliseconds: 0,
  isSuite: false,
});

const LIST = `
# Why it is no loss.
[at length only]
a.test.ts > a suite > long

[not installed: .*]
*
`;

test('a skip is allowed for a test in the section of its reason, and for no other test or reason', () => {
  const outcomes = [
    skipped('a.test.ts', 'long', 'at length only'),
    skipped('a.test.ts', 'other', 'at length only'),
    skipped('a.test.ts', 'long', 'at length only, today'),
    skipped('b.test.ts', 'any', 'not installed: a browser'),
    { file: 'b.test.ts', path: ['ran'], passed: true, milliseconds: 0, isSuite: false },
  ];
  assert.deepEqual(
    unlisted(outcomes, parseSkips(LIST)).map(outcome => [skipLine(outcome), outcome.skipped]),
    [
      ['a.test.ts > a suite > other', 'at length only'],
      ['a.test.ts > a suite > long', 'at length only, today'],
    ],
  );
});

test('a list that names a test before a reason is refused', () => {
  assert.throws(() => parseSkips('a.test.ts > long'), /not in a section/);
});
