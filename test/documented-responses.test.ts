/**
 * Every response shown in README and docs is what the sample chain gives. A shown response is a block
 *
 *     ```console
 *     $ curl -s 'http://127.0.0.1:3999/PATH'
 *     { "shown": "0x1234...", ... }
 *     ```
 *
 * whose JSON is formatted for reading: `...` in an object or list stands for what is left out there, in a text for what is
 * left out of the text. Everything else is compared. A command without a shown response succeeds.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import JSON5 from 'json5';
import { openFreshOf } from './support/engines.ts';
import { replayed } from './support/replayed.ts';
import { openTestIndex } from './support/test-index.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => join('docs', name)),
];

const SHOWN = /^```console\n\$ curl -s '?http:\/\/127\.0\.0\.1:3999(\/[^'\n]*)'?\n([\s\S]*?)^```$/gm;
const COMMAND = /^ {4}curl (?:-I )?'http:\/\/(?:localhost|127\.0\.0\.1):3999(\/[^'\n]*)'$/gm;
const OMITTED = '...';

interface Shown {
  readonly page: string;
  readonly path: string;
  readonly response: unknown;
}

function shownIn(page: string): Shown[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return Array.from(text.matchAll(SHOWN), ([, path = '', json = '']) => ({ page, path, response: parse(json) }));
}

/** The JSON of a page; `...` becomes the entry "...": true of its object, or the item "..." of its list. */
function parse(json: string): unknown {
  const open: string[] = [];
  const strict = json.replace(/"(?:[^"\\]|\\.)*"|[[\]{}]|\.\.\./g, token => {
    if (token === '[' || token === '{') open.push(token);
    if (token === ']' || token === '}') open.pop();
    if (token !== OMITTED) return token;
    return open.at(-1) === '{' ? `"${OMITTED}": true` : `"${OMITTED}"`;
  });
  return JSON5.parse(strict);
}

/** Asserts that `actual` is what is shown, apart from what the page leaves out. @param at where, for the message */
function assertShown(shown: unknown, actual: unknown, at: string): void {
  if (Array.isArray(shown)) {
    assert.ok(Array.isArray(actual), `${at} is no list`);
    const items = shown.filter(item => item !== OMITTED);
    if (items.length === shown.length) assert.equal(actual.length, items.length, `${at} has another length`);
    for (const [index, item] of items.entries()) assertShown(item, actual[index], `${at}[${index}]`);
  } else if (typeof shown === 'object' && shown !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, `${at} is no object`);
    const { [OMITTED]: omits = false, ...members } = shown as Record<string, unknown>;
    if (omits === false) assert.deepEqual(Object.keys(actual), Object.keys(members), `${at} has other members`);
    for (const [name, value] of Object.entries(members))
      assertShown(value, (actual as Record<string, unknown>)[name], `${at}.${name}`);
  } else if (typeof shown === 'string' && shown.includes(OMITTED)) {
    const [start = '', end = ''] = shown.split(OMITTED);
    const text = String(actual);
    assert.ok(text.startsWith(start) && text.endsWith(end), `${at} is ${text}, not ${shown}`);
  } else assert.deepEqual(actual, shown, at);
}

test('the comparison notices a wrong value, a missing member and a missing item', () => {
  const actual = { id: '0x12345678', total: 4, results: [{ a: 1, b: 2 }, {}] };
  assertShown(parse('{ "id": "0x12...78", "total": 4, "results": [{ "a": 1, ... }, ...] }'), actual, 'it');
  for (const wrong of [
    '{ "total": 5, ... }',
    '{ "total": 4 }',
    '{ "none": 1, ... }',
    '{ "id": "0x13...", ... }',
    '{ "results": [{ "a": 1, ... }], ... }',
    '{ "results": [{ "a": 1 }, ...], ... }',
  ])
    assert.throws(() => assertShown(parse(wrong), actual, 'it'), assert.AssertionError, wrong);
});

test('every response shown in README and docs is that of the sample chain', async t => {
  const shown = PAGES.flatMap(shownIn);
  for (const page of ['README.md', 'docs/examples.md'])
    assert.ok(
      shown.some(example => example.page === page),
      `${page} shows no response`,
    );
  const archive = join(ROOT, 'examples/sample-chain.tsv.gz');
  const index = await openTestIndex((await replayed(openFreshOf.sqlite, archive)(t)).database);
  for (const { page, path, response } of shown)
    assertShown(response, (await index.get(path)).body, `${page}: ${path}:`);

  // Commands whose response is not shown. The demo begins with this chain.
  const commands = PAGES.flatMap(page =>
    Array.from(readFileSync(join(ROOT, page), 'utf8').matchAll(COMMAND), ([, path = '']) => ({ page, path })),
  );
  assert.ok(commands.filter(({ page }) => page === 'docs/past.md').length >= 6, 'the past with six commands');
  for (const { page, path } of commands) assert.equal((await index.page(path)).status, 200, `${page}: ${path}`);
});
