/**
 * Every link of a page names a file of the repository, and a heading that it has; every file and route that a page
 * names exists.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['bench', 'deploy', 'docs', 'test'];

const pages = [
  ...readdirSync(ROOT),
  ...FOLDERS.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(name => join(folder, name)),
  ),
].filter(path => path.endsWith('.md'));

/** A page without its code, in which a link is no link. */
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');

/** The name by which a heading is linked, as code hosts make it. */
const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const headingsOf = (page: string): Set<string> =>
  new Set(Array.from(textOf(page).matchAll(/^#+ (.*)$/gm), ([, heading = '']) => slug(heading)));

test('every link in a page leads to a file and a heading that exist', () => {
  const broken: string[] = [];
  let followed = 0;
  for (const page of pages) {
    for (const [link, target = ''] of textOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      followed++;
      const [file = '', heading] = target.split('#');
      const path = file === '' ? page : normalize(join(dirname(page), file));
      const found = existsSync(join(ROOT, path)) && (heading === undefined || headingsOf(path).has(heading));
      if (!found) broken.push(`${page}: ${link.slice(1)}`);
    }
  }
  assert.ok(followed > 100, `only ${followed} links`);
  assert.deepEqual(broken, []);
});

/** A file of the source, or a folder of the root. */
const FILE = /`([\w.-]+(?:\/[\w.-]+)*\/[\w.-]+\.(?:ts|mjs)|(?:bench|deploy|docs|src|test|tools)\/(?:[\w.-]+\/)*)`/g;

test('every source file and folder that a page names exists, from the root, from src or from the page', () => {
  const missing: string[] = [];
  let looked = 0;
  for (const page of pages) {
    // What was measured once keeps the names of its time.
    if (page.startsWith('bench/notes')) continue;
    for (const [, path = ''] of textOf(page).matchAll(FILE)) {
      looked++;
      if (!['', 'src', dirname(page)].some(base => existsSync(join(ROOT, base, path))))
        missing.push(`${page}: ${path}`);
    }
  }
  assert.ok(looked > 100, `only ${looked} files`);
  assert.deepEqual(missing, []);
});

test('every route that a page names is in docs/api.md', () => {
  const routes = new Set(
    Array.from(textOf('docs/api.md').matchAll(/\| (\w+)(?: \(internal\))? \| \[/g), ([, name = '']) => name),
  );
  assert.ok(routes.size > 20, `only ${routes.size} routes`);
  for (const page of pages) {
    // Functions of clients have names of their own.
    if (page === 'docs/clients.md') continue;
    // Releases and measurements of before name the routes as they were called then.
    if (page === 'CHANGELOG.md' || /^bench\/(notes|results)\//.test(page)) continue;
    for (const [name] of readFileSync(join(ROOT, page), 'utf8').matchAll(/\b(?:get[A-Z]\w+|search(?:ById)?V\d)\b/g))
      assert.ok(routes.has(name), `${page}: ${name}`);
  }
});
