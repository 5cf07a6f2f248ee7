import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { complies } from '../../../../test/model/responses/contracts.ts';
import fc from '../../../../test/support/fast-check.ts';
import { sampleFunction } from '../../../../test/support/sample-contracts.ts';
import { admits, implementsFunction } from './compliance.ts';

const nothing = () => {};
const fits = (own: object, wanted: object): boolean => implementsFunction({ ...own }, { ...wanted }, nothing);
const response = (ok: unknown, error: unknown = 'uint128') => ({ response: { ok, error } });
const ascii = (length: number) => ({ 'string-ascii': { length } });
const returning = (type: unknown) => ({ ...sampleFunction('f'), outputs: { type } });

describe('a function does what a trait asks', () => {
  const own = sampleFunction('transfer', 'uint128', 'principal', { optional: { buffer: { length: 34 } } });

  test('whatever the names of its arguments, and whether it is public or read-only', () => {
    const renamed = own.args.map(({ type }, i) => ({ name: `other-${i}`, type }));
    assert.ok(fits(own, { ...own, args: renamed }));
    assert.ok(fits(own, { ...own, access: 'read_only' }));
    assert.ok(!fits({ ...own, access: 'private' }, own));
    assert.ok(!fits(own, { ...own, name: 'Transfer' }));
  });

  test('only with as many arguments, in their order', () => {
    assert.ok(!fits(own, { ...own, args: own.args.slice(1) }));
    assert.ok(!fits(own, { ...own, args: own.args.toReversed() }));
    assert.ok(!fits(own, { ...own, args: [...own.args, ...own.args] }));
    assert.ok(!fits(own, { ...own, args: [{ type: 'uint128' }] }));
    assert.ok(!fits(own, { ...own, args: [] }));
  });

  test('with arguments that take at least what the trait gives', () => {
    const taking = (length: number) => sampleFunction('f', { optional: { buffer: { length } } });
    assert.ok(fits(taking(34), taking(33)));
    assert.ok(!fits(taking(34), taking(35)));
  });

  test('with a result that is at most what the trait expects', () => {
    assert.ok(fits(returning(response(ascii(32))), returning(response(ascii(256)))));
    assert.ok(!fits(returning(response(ascii(257))), returning(response(ascii(256)))));
    assert.ok(!fits(returning(response({ 'string-utf8': { length: 5 } })), returning(response(ascii(256)))));
  });

  test('also where it never fails, or never gives anything', () => {
    assert.ok(fits(returning(response('uint128', 'none')), returning(response('uint128', 'uint128'))));
    assert.ok(fits(returning(response({ optional: 'none' })), returning(response({ optional: ascii(256) }))));
    assert.ok(!fits(returning(response('uint128', 'uint128')), returning(response('uint128', 'none'))));
  });

  test('with tuples of the same fields, and lists that are not longer', () => {
    const tuple = (...names: string[]) => ({ tuple: names.map(name => ({ name, type: 'uint128' })) });
    const list = (length: number, type: unknown = 'bool') => ({ list: { length, type } });
    assert.ok(fits(returning(tuple('a', 'b')), returning(tuple('b', 'a'))));
    assert.ok(!fits(returning(tuple('a', 'b')), returning(tuple('a'))));
    assert.ok(!fits(returning(tuple('a')), returning(tuple('a', 'b'))));
    assert.ok(fits(returning(list(4)), returning(list(5))));
    assert.ok(!fits(returning(list(6)), returning(list(5))));
    assert.ok(fits(returning(list(0, 'none')), returning(list(5, ascii(1)))));
  });

  test('and whatever the trait leaves open', () => {
    assert.ok(fits(own, { args: [{}, {}, {}] }));
    assert.ok(
      fits(returning(response('bool', 'uint128')), { args: [], outputs: { type: { response: { ok: 'bool' } } } }),
    );
  });
});

/** Types of Clarity as interfaces have them. */
const type = fc.letrec(tie => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('uint128', 'int128', 'bool', 'principal', 'none', 'trait_reference'),
    fc
      .tuple(fc.constantFrom('buffer', 'string-ascii', 'string-utf8'), fc.nat(3))
      .map(([kind, length]) => ({ [kind]: { length } })),
    tie('any').map(optional => ({ optional })),
    fc.record({ length: fc.nat(2), type: tie('any') }).map(list => ({ list })),
    fc.record({ ok: tie('any'), error: tie('any') }).map(response => ({ response })),
    fc
      .uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c'), type: tie('any') }), {
        selector: ({ name }) => name,
        minLength: 1,
      })
      .map(tuple => ({ tuple })),
  ),
})).any;

test('the rule is that of the model, for all functions', () => {
  const fn = fc.record({
    name: fc.constantFrom('f', 'g'),
    access: fc.constantFrom('public', 'read_only', 'private'),
    args: fc.array(fc.record({ type }), { maxLength: 2 }),
    outputs: fc.record({ type }),
  });
  fc.assert(fc.property(fn, fn, (own, wanted) => fits(own, wanted) === complies(own, wanted)));
  fc.assert(
    fc.property(
      type,
      type,
      (a, b) =>
        implementsFunction(returning(a) as never, returning(b) as never, nothing) ===
        complies(returning(a), returning(b)),
    ),
  );
});

test('every type admits itself, and no JSON is an error', () => {
  fc.assert(fc.property(type, one => admits(one, one, nothing)));
  fc.assert(fc.property(type, fc.jsonValue(), (wide, narrow) => typeof admits(wide, narrow, nothing) === 'boolean'));
});
