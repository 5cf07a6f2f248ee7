/** References within the repository resolve: routes have names, and every cited page and heading exists. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['bench', 'bin', 'deploy', 'docs', 'examples', 'src', 'test', 'tools'];
const TEXT = /\.(ts|mjs|js|json|md|sh|sql|ya?ml|txt)$/;
const CODE = /\.(ts|mjs|js)$/;

/** The files of the repository that people read, as paths from its root. */
const paths = [...FOLDERS.flatMap(filesBelow), ...readdirSync(ROOT).filter(name => name.endsWith('.md'))];

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && TEXT.test(entry.name))
    .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))
    .filter(path => !path.split('/').includes('node_modules'));
}

const texts = new Map(paths.map(path => [path, readFileSync(join(ROOT, path), 'utf8')]));

/** Lines of these files, with where they are. */
function* linesOf(isWanted: RegExp): Iterable<{ readonly path: string; readonly at: string; readonly line: string }> {
  for (const [path, text] of texts) {
    if (!isWanted.test(path)) continue;
    for (const [i, line] of text.split('\n').entries()) yield { path, at: `${path}:${i + 1}`, line };
  }
}

/** Where the routes have codes all the same: the comparison tool of the recordings, which is not ours, reports by them. */
const KNOWS_CODES = 'tools/conformance/recording-codes.ts';

test('a route is called by its name, a rule by its words: no private codes', () => {
  const code = /(?<![%\w])[EQ]\d{1,2}\b/; // %E2 is an escape of a URL
  const found = [...linesOf(TEXT)].filter(({ path, line }) => path !== KNOWS_CODES && code.test(line));
  assert.deepEqual(
    found.map(({ at, line }) => `${at}: ${line.trim().slice(0, 120)}`),
    [],
  );
  assert.ok(code.test(`${'E'}14`) && code.test(`(${'Q'}3)`));
});

/** The anchors of a page: its headings as GitHub makes them. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(markdown).matchAll(/^#{1,6} +(.+?)\s*$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

const withoutCode = (markdown: string): string => markdown.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '');

/** What is wrong with a citation; undefined when what it names exists. @param path from the root */
function problemOf(path: string, anchor: string | undefined): string | undefined {
  if (!existsSync(join(ROOT, path))) return 'no such file';
  if (!anchor) return undefined;
  const page = texts.get(path);
  return page !== undefined && anchorsOf(page).has(anchor) ? undefined : 'no such heading';
}

test('the pages and headings that comments and messages cite exist', () => {
  const problems: string[] = [];
  let anchors = 0;
  for (const { at, line } of linesOf(CODE)) {
    for (const [, path = '', anchor] of line.matchAll(/(docs\/[\w./-]*?\.md)(?:#([\w-]+))?/g)) {
      if (anchor) anchors++;
      const problem = problemOf(path, anchor);
      if (problem) problems.push(`${at}: ${path}${anchor ? `#${anchor}` : ''}: ${problem}`);
    }
  }
  assert.deepEqual(problems, []);
  assert.ok(anchors > 100, `${anchors} citations of headings`);
});

test('a comment or a test name cites a page by its path from the root, and a heading by its words', () => {
  const problems: string[] = [];
  for (const { at, line } of linesOf(/\.ts$/)) {
    const comment = /^\s*(?:\/?\*+|\/\/|test\(|describe\()(.*)$/.exec(line)?.[1] ?? / \/\/ (.*)$/.exec(line)?.[1];
    if (comment === undefined) continue;
    for (const [page] of comment.matchAll(/(?:[\w./-]+\/)?[\w-]+\.md\b/g))
      if (!existsSync(join(ROOT, page))) problems.push(`${at}: ${page}`);
    for (const [number] of comment.matchAll(/\.md \d+(\.\d+)*\b|\(\d{1,2}\.\d{1,2}\)|§/g))
      problems.push(`${at}: ${number}`);
  }
  assert.deepEqual(problems, []);
});
