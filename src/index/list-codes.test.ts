import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { INDEX_SCHEMA } from './index-schema.ts';

test('each kind of list has a code of its own', () => {
  const codes = INDEX_SCHEMA.lists.map(({ code }) => code);
  const next = Math.max(...codes) + 1;
  const isFree = (code: number, i: number) => code > 0 && codes.indexOf(code) === i;
  assert.deepEqual(
    INDEX_SCHEMA.lists.filter(({ code }, i) => !isFree(code, i)).map(({ code, entries }) => `${entries.name}: ${code}`),
    [],
    `an index stores codes, so each is used once; the next free code is ${next}`,
  );
});

test('a projection loads each kind of list, itself or as one of an array of kinds', () => {
  const texts = globSync('*/*.ts', { cwd: import.meta.dirname })
    .filter(file => !file.endsWith('.test.ts'))
    .map(file => readFileSync(join(import.meta.dirname, file), 'utf8'));
  const found = (pattern: RegExp) => texts.flatMap(text => [...text.matchAll(pattern)].map(([, name = '']) => name));
  const loaded = [...found(/loadLists\(\s*(\w+)/g), ...found(/const \w+_LISTS = \[([^\]]*)\]/g)].join(' ').split(/\W+/);
  const declared = found(/export const (\w+) = list\w+\(/g);
  // The workspace loads the lists of past rows with the tables that they are of.
  assert.equal(declared.length, INDEX_SCHEMA.lists.filter(kind => kind.versionsOf === undefined).length);
  assert.deepEqual(
    declared.filter(name => !loaded.includes(name)),
    [],
    'workspace.loadLists in the prepare of a projection reads them',
  );
});
