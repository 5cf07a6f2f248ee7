import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { canonicalJson } from './canonical-json.ts';

test('all ways to write a value have one canonical text, and integers keep their digits', () => {
  const same = [
    ['{ "b": 1.0, "a": ["\\u00e9"] }', '{"a":["é"],"b":1}'],
    ['{"10":1,"2":2,"a":null}', '{"a":null,"2":2,"10":1}'],
    ['[1e2, -0, 0.50]', '[100,0,0.5]'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['"\\ud83d\\ude00"', '"😀"'],
  ];
  for (const [one = '', other = ''] of same) assert.equal(canonicalJson(one), canonicalJson(other));
  assert.equal(
    canonicalJson('{"a":340282366920938463463374607431768211455}'),
    '{"a":340282366920938463463374607431768211455}',
  );
  assert.notEqual(canonicalJson('9007199254740993'), canonicalJson('9007199254740992'));
  assert.equal(canonicalJson('{"__proto__":{"b":1,"a":2}}'), '{"__proto__":{"a":2,"b":1}}');
  assert.throws(() => canonicalJson('{'), SyntaxError);
});

test('the canonical text has the value, whatever the order of members', () => {
  fc.assert(
    fc.property(fc.json(), text => {
      const value: unknown = JSON.parse(text);
      assert.deepEqual(JSON.parse(canonicalJson(text)), JSON.parse(JSON.stringify(value)));
      assert.equal(canonicalJson(JSON.stringify(value, null, 1)), canonicalJson(text));
    }),
  );
});
