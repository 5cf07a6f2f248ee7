/** Comments, help and documents are plain technical English: the words of words.txt are rare, and become rarer. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

/** Most lines that may match. It only shrinks: lower it in the commit that rewrites lines. */
const ALLOWANCE = 8;
/** The allowance must follow the count this closely, so that removed lines cannot come back. */
const SLACK = 5;

const ROOT = join(import.meta.dirname, '..');
const HELP = 'src/cli/options/';

/** One line of text written for people. */
interface ProseLine {
  readonly path: string;
  readonly number: number;
  readonly text: string;
}

/** A line that matches the list, with the first word that does. */
interface Hit extends ProseLine {
  readonly word: string;
}

/** Reads a list: one regular expression a line; # begins a comment. */
function parseWords(list: string): RegExp {
  const words = list.split('\n').filter(line => line.trim() !== '' && !line.startsWith('#'));
  return new RegExp(`\\b(?:${words.map(word => `(?:${word.trim()})`).join('|')})\\b`, 'i');
}

const withoutCode = (text: string): string => text.replaceAll(/`[^`]*`/g, '`');

/** Comments of a program; of the options also the strings, which are help. Biome's format lets a line decide what a comment is. */
function proseOfCode(path: string, source: string): ProseLine[] {
  return source.split('\n').flatMap((line, i) => {
    const comment = /^\s*(?:\/\*\*?|\*(?!\/)|\/\/)\s?(.*)$/.exec(line) ?? /\s\/\/ (.*)$/.exec(line);
    const strings = path.startsWith(HELP) && !path.endsWith('.test.ts') ? (line.match(/'(?:[^'\\]|\\.)*'/g) ?? []) : [];
    const text = [comment?.[1], ...strings].filter(part => part !== undefined).join(' ');
    return text === '' ? [] : [{ path, number: i + 1, text: withoutCode(text) }];
  });
}

/** Sentences of a page: no blocks of code, no inline code, no targets of links. */
function proseOfPage(path: string, page: string): ProseLine[] {
  const blanked = page.replaceAll(/^( *)```[\s\S]*?^\1```/gm, block => block.replaceAll(/[^\n]/g, ''));
  return blanked.split('\n').map((line, i) => ({
    path,
    number: i + 1,
    text: withoutCode(line).replaceAll(/\]\([^)]*\)/g, ']'),
  }));
}

function hitsOf(lines: readonly ProseLine[], words: RegExp): Hit[] {
  return lines.flatMap(line => {
    const word = words.exec(line.text)?.[0];
    return word === undefined ? [] : [{ ...line, word }];
  });
}

/** What to change when the count does not fit the allowance; undefined when it fits. */
function problemOf(hits: readonly Hit[], allowance: number): string | undefined {
  if (hits.length > allowance) {
    const places = hits.slice(0, 20).map(hit => `  ${hit.path}:${hit.number}: "${hit.word}": ${hit.text.trim()}`);
    return [
      `${hits.length} lines use a word of test/words.txt, ${allowance} are allowed (${countsByRoom(hits)}).`,
      'Write the sentences that you added anew: who does what, when, and why. The first lines:',
      ...places,
    ].join('\n');
  }
  if (hits.length < allowance - SLACK)
    return `only ${hits.length} lines use a word of test/words.txt: lower ALLOWANCE in test/words.test.ts from ${allowance} to ${hits.length}`;
  return undefined;
}

const roomOf = (path: string): string => /^(?:src\/)?[^/]+/.exec(path)?.[0] ?? path;

function countsByRoom(hits: readonly Hit[]): string {
  const counts = Object.groupBy(hits, hit => roomOf(hit.path));
  return Object.entries(counts)
    .map(([room, of]) => `${room} ${of?.length}`)
    .join(', ');
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const code = globSync('src/**/*.{ts,mjs}', { cwd: ROOT }).toSorted();
const pages = globSync(['docs/*.md', 'docs/spec/*.md', '*.md', 'test/README.md'], { cwd: ROOT }).toSorted();
const prose = (): ProseLine[] => [
  ...pages.flatMap(path => proseOfPage(path, read(path))),
  ...code.flatMap(path => proseOfCode(path, read(path))),
];

test('comments, help and documents use the words of words.txt no more often than is allowed', t => {
  const lines = prose();
  assert.ok(lines.length > 5000, `only ${lines.length} lines of prose`);
  const hits = hitsOf(lines, parseWords(read('test/words.txt')));
  t.diagnostic(countsByRoom(hits));
  const problem = problemOf(hits, ALLOWANCE);
  if (problem !== undefined) assert.fail(problem);
});

const SAMPLE = parseWords('# Speech.\n\ntells?\nof old\nask(s|ed)?\n');

test('a word is found in comments and help, as a whole word, and neither in code nor in names', () => {
  const source = [
    '/** Tells the client. */',
    'const told = ask(tell); // as clients of old',
    '// a task; `ask` is a name',
    "const url = 'http://ask';",
    "  help: 'what is asked',",
  ].join('\n');
  const numbers = (path: string): number[] => hitsOf(proseOfCode(path, source), SAMPLE).map(hit => hit.number);
  assert.deepEqual(numbers('src/base/sample.ts'), [1, 2]);
  assert.deepEqual(numbers(`${HELP}sample.ts`), [1, 2, 4, 5]);
});

test('a word is found in the sentences of a page, and neither in its code nor in the targets of its links', () => {
  const page = 'Nodes tell it.\n```\nask\n```\nSee `ask` and [this](#ask).\nIt is ASKED.';
  const found = hitsOf(proseOfPage('README.md', page), SAMPLE);
  assert.deepEqual(
    found.map(hit => [hit.number, hit.word]),
    [
      [1, 'tell'],
      [6, 'ASKED'],
    ],
  );
});

test('too many lines fail with their places, and so does an allowance that was not lowered', () => {
  const hits = Array.from({ length: 30 }, (_, i) => ({
    path: 'src/base/a.ts',
    number: i + 1,
    text: 'it asks',
    word: 'asks',
  }));
  const tooMany = problemOf(hits, 29) ?? '';
  assert.match(tooMany, /^30 lines .* 29 are allowed \(src\/base 30\)/);
  assert.match(tooMany, /src\/base\/a\.ts:20: "asks": it asks$/);
  assert.equal(problemOf(hits, 30), undefined);
  assert.equal(problemOf(hits, 30 + SLACK), undefined);
  assert.match(problemOf(hits, 31 + SLACK) ?? '', /lower ALLOWANCE .* to 30$/);
});
