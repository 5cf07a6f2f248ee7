/** Every file and route that a page names exists. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['bench', 'deploy', 'docs', 'test'];

const pages = [
  ...readdirSync(ROOT),
  ...FOLDERS.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(name => join(folder, name)),
  ),
].filter(path => path.endsWith('.md'));

/** A page without its blocks of code. */
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');

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
  const routes = new Set(Array.from(textOf('docs/api.md').matchAll(/\| (\w+) \| \[/g), ([, name = '']) => name));
  assert.ok(routes.size > 20, `only ${routes.size} routes`);
  for (const page of pages)
    for (const [name] of readFileSync(join(ROOT, page), 'utf8').matchAll(/\b(?:get[A-Z]\w+|searchById)\b/g))
      assert.ok(routes.has(name), `${page}: ${name}`);
});
