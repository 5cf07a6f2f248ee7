import assert from 'node:assert/strict';
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
