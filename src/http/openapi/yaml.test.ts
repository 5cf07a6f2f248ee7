import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toYaml } from './yaml.ts';

test('objects and lists are blocks, empty ones are not', () => {
  const value = { a: { b: [1, { c: 'word', d: [[true, null], []] }], e: {} }, f: undefined };
  assert.equal(
    toYaml(value),
    `a:
  b:
    - 1
    - c: word
      d:
        - - true
          - null
        - []
  e: {}
`,
  );
});

test('a text that could be taken for anything else is quoted', () => {
  const texts = [
    '',
    ' a',
    'a ',
    'yes',
    'NULL',
    'on',
    '1',
    '1e3',
    '0x1f',
    '-',
    '- a',
    'a: b',
    'a #b',
    '{',
    '$ref',
    '~',
    '"',
  ];
  for (const text of texts) assert.equal(toYaml(text), `${JSON.stringify(text)}\n`);
  assert.equal(toYaml('a\nb\u0085\u2028'), '"a\\nb\\u0085\\u2028"\n');
  for (const text of ['word', 'two words', '/extended/v2/blocks/{height_or_hash}'])
    assert.equal(toYaml(text), `${text}\n`);
});

test('no text leaves its line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      assert.match(toYaml({ key: text }), /^key: [^\n\r\u0085\u2028\u2029]*\n$/u);
    }),
  );
});
