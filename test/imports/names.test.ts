/** An exported name of src has one meaning: it is declared in one file. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const src = join(import.meta.dirname, '../../src');

/** Names that two files may declare, each with the reason. A name that one file declares must leave this list. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map();

/** A declaration at the top of a file, as the formatter writes it. */
const DECLARATION =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:const enum|const|let|function\*?|class|interface|type|enum) (\w+)/gm;
const RE_EXPORT = /^export (?:type )?(?:\{[^}]*\}|\*) from '/gm;

/** The files that declare each name; one file may declare a type and a value of one name. */
function declarations(files: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [file, text] of files)
    for (const [, name = ''] of text.matchAll(DECLARATION)) found.set(name, (found.get(name) ?? new Set()).add(file));
  return found;
}

const homonyms = (files: ReadonlyMap<string, string>) =>
  [...declarations(files)].filter(([, declaring]) => declaring.size > 1);

const texts = new Map(
  globSync('**/*.ts', { cwd: src })
    .filter(file => !file.endsWith('.test.ts'))
    .map(file => [file, readFileSync(join(src, file), 'utf8')]),
);

test('every export is a declaration or a re-export that this test reads', () => {
  const unread = [...texts].filter(
    ([, text]) =>
      (text.match(/^export\b/gm)?.length ?? 0) !==
      (text.match(DECLARATION)?.length ?? 0) + (text.match(RE_EXPORT)?.length ?? 0),
  );
  assert.deepEqual(
    unread.map(([file]) => file),
    [],
  );
});

test('an exported name is declared in one file', () => {
  const found = homonyms(texts).filter(([name]) => !EXCEPTIONS.has(name));
  assert.deepEqual(
    found.map(([name, files]) => `${name}: ${[...files].sort().join(', ')}`),
    [],
  );
});

test('every exception is a name that two files declare', () => {
  const found = new Set(homonyms(texts).map(([name]) => name));
  assert.deepEqual(
    [...EXCEPTIONS.keys()].filter(name => !found.has(name)),
    [],
  );
});

test('a name that two files declare is found, a re-export and a type beside its value are not', () => {
  const files = new Map([
    ['a.ts', 'export const Place = 1;\nexport type Place = number;\nexport type Span = string;\n'],
    ['b.ts', "export { Place } from './a.ts';\nexport async function* read() {}\nexport interface Span {}\n"],
  ]);
  assert.deepEqual(homonyms(files), [['Span', new Set(['a.ts', 'b.ts'])]]);
  assert.deepEqual([...declarations(files).keys()], ['Place', 'Span', 'read']);
});
