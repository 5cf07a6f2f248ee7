import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MUTATIONS } from '../tools/mutations/table.ts';

const root = join(import.meta.dirname, '..');

test('every mutation finds the one place that it breaks, changes it, and names tests that exist', () => {
  assert.ok(MUTATIONS.length >= 12);
  assert.equal(new Set(MUTATIONS.map(({ name }) => name)).size, MUTATIONS.length);
  for (const { name, edits, tests } of MUTATIONS) {
    for (const { file, find, replace } of edits) {
      const places = readFileSync(join(root, file), 'utf8').split(find).length - 1;
      assert.equal(places, 1, `${name}: in ${file}`);
      assert.notEqual(replace, find, name);
    }
    for (const file of tests) assert.ok(existsSync(join(root, file)), `${name}: ${file}`);
  }
});
