import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { declarationsOf, EditTargetMissing, locate } from '../tools/mutations/locate.ts';
import { MUTATIONS } from '../tools/mutations/table.ts';

const root = join(import.meta.dirname, '..');

test('every mutation finds the one place that it breaks, changes it, and names tests that exist', () => {
  assert.ok(MUTATIONS.length >= 12);
  assert.equal(new Set(MUTATIONS.map(({ name }) => name)).size, MUTATIONS.length);
  for (const { name, edits, tests } of MUTATIONS) {
    for (const edit of edits) {
      assert.doesNotThrow(() => locate(root, edit), name);
      assert.notEqual(edit.replace, edit.find, name);
    }
    for (const file of tests) assert.ok(existsSync(join(root, file)), `${name}: ${file}`);
  }
});

const SOURCE = `
export class Box {
  readonly #size = 1;

  open(): void {
    if (this.#size > 0) {
      lid();
    }
  }

  async close(
    how: string,
  ): Promise<void> {
    lid(how);
  }
}

const lid = (how = 'wide') =>
  how.length;

export function lids(): number {
  return 2;
}
`;

const textOf = (symbol: string) =>
  declarationsOf(SOURCE, symbol).map(({ start, end }) => SOURCE.slice(start, end).trim());

test('a declaration goes from its first line to its last', () => {
  assert.deepEqual(textOf('Box.open'), ['open(): void {\n    if (this.#size > 0) {\n      lid();\n    }\n  }']);
  assert.deepEqual(textOf('Box.close'), ['async close(\n    how: string,\n  ): Promise<void> {\n    lid(how);\n  }']);
  assert.deepEqual(textOf('Box.#size'), ['readonly #size = 1;']);
  assert.deepEqual(textOf('lid'), ["const lid = (how = 'wide') =>\n  how.length;"]);
  assert.equal(textOf('Box').length, 1);
  assert.deepEqual([textOf('Box.lid'), textOf('open'), textOf('li')], [[], [], []]);
});

test('a text is found however it is laid out, and a place that is gone is named', () => {
  const symbol = 'locate';
  assert.throws(() => locate(root, { symbol, find: 'x', replace: '' }), EditTargetMissing);
  const [edit] = MUTATIONS[0]?.edits ?? [];
  assert.ok(edit);
  const place = locate(root, edit);
  assert.deepEqual(locate(root, { ...edit, find: edit.find.replaceAll(' ', '\n      ') }), place);
  assert.throws(
    () => locate(root, { ...edit, find: 'nothing like this' }),
    /^EditTargetMissing: 0 times within \S+ of \S+\.ts: nothing/,
  );
});
