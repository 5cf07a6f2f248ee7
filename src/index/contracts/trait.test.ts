import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { assertLinearTime } from '../../../test/support/linear-time.ts';
import { sampleFunction } from '../../../test/support/sample-contracts.ts';
import { functionsOfTrait, parseTrait } from '../../api/records/contracts/by-trait.ts';
import { reduceFunction } from './trait.ts';

const readTrait = (text: string) => functionsOfTrait(parseTrait(text));

describe('a trait', () => {
  test('is an object with a list of functions, each with a list of arguments', () => {
    const good = ['{"functions":[]}', '{"functions":[{"args":[]}]}', '{"maps":3,"functions":[{"args":[{}]}]}'];
    for (const text of good) assert.ok(readTrait(text), text);
    const bad = [
      ...['', ' ', '{', 'x', '1', '"functions"', 'null', 'true', '[]', '{}', '[{"functions":[]}]'],
      ...['{"functions":null}', '{"functions":{}}', '{"functions":"x"}', '{"functions":[null]}', '{"functions":[1]}'],
      ...['{"functions":[[]]}', '{"functions":[{}]}', '{"functions":[{"args":null}]}', '{"functions":[{"args":{}}]}'],
      ...['{"functions":[{"args":[null]}]}', '{"functions":[{"args":["uint128"]}]}', '{"functions":[]}}'],
    ];
    for (const text of bad) assert.equal(readTrait(text), undefined, text);
  });

  test('names each function once', () => {
    const fn = { name: 'f', args: [] };
    assert.equal(readTrait(JSON.stringify({ functions: [fn, { ...fn, comment: 1 }, fn] }))?.length, 1);
  });

  test('holds no text that a database refuses, also not behind an escape', () => {
    for (const name of ['\\u0000', 'a\\u0000', '\\ud800']) {
      assert.equal(readTrait(`{"functions":[{"name":"${name}","args":[]}]}`), undefined);
    }
  });

  test('of hostile size or nesting is refused in time linear in its size', () => {
    const nested = (open: string, close: string, levels: number) =>
      `{"functions":[{"args":[{"type":${open.repeat(levels)}1${close.repeat(levels)}}]}]}`;
    const texts: readonly ((size: number) => string)[] = [
      size => nested('[', ']', size / 3),
      size => nested('{"a":', '}', size / 7),
      size => '['.repeat(size),
      size => '"'.repeat(size),
      size => `"${'\\"'.repeat(size / 2)}`,
    ];
    for (const text of texts) assertLinearTime(65_000, text, each => assert.equal(readTrait(each), undefined));
    assert.equal(readTrait(`{"functions":[${'{"args":[]},'.repeat(1_000_000)}{"args":[]}]}`), undefined);
    assert.equal(readTrait(`{"functions":[],"x":"${'x'.repeat(10_000_000)}"}`), undefined);
    assert.ok(readTrait(nested('[', ']', 190)));
  });

  test('of any text or JSON is read or refused, never an error', () => {
    fc.assert(fc.property(fc.string(), text => readTrait(text) === undefined || true));
    const almost = fc.record({ name: fc.jsonValue(), args: fc.array(fc.jsonValue()), outputs: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(fc.oneof(almost, fc.jsonValue())), functions => {
        readTrait(JSON.stringify({ functions }));
      }),
    );
  });
});

test('a function is reduced to what is compared', () => {
  const { args, ...rest } = sampleFunction('f', 'uint128');
  assert.deepEqual(reduceFunction({ ...rest, args, more: 1 }), { ...rest, args: [{ type: 'uint128' }] });
  assert.deepEqual(reduceFunction({ args: 'x' }), {});
});
