import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { type AbiType, abiTypeText, findFunction, functionSignature } from './abi.ts';

const fn = (args: { name: string; type: AbiType }[], access = 'public') => ({ name: 'f', access, args });

test('types print as in contract source', () => {
  const texts: [AbiType, string][] = [
    ['int128', 'int'],
    ['uint128', 'uint'],
    ['bool', 'bool'],
    ['principal', 'principal'],
    ['none', 'none'],
    ['trait_reference', 'trait_reference'],
    [{ buffer: { length: 34 } }, '(buff 34)'],
    [{ 'string-ascii': { length: 0 } }, '(string-ascii 0)'],
    [{ 'string-utf8': { length: 64 } }, '(string-utf8 64)'],
    [{ optional: { optional: 'bool' } }, '(optional (optional bool))'],
    [{ response: { ok: 'bool', error: 'uint128' } }, '(response bool uint)'],
    [{ list: { type: 'principal', length: 200 } }, '(list 200 principal)'],
    [{ tuple: [] }, '(tuple )'],
  ];
  for (const [type, text] of texts) assert.equal(abiTypeText(type), text);
});

test('tuple members keep the order of the interface', () => {
  const type: AbiType = {
    tuple: [
      { name: 'z', type: 'bool' },
      { name: 'a', type: { list: { type: 'uint128', length: 2 } } },
    ],
  };
  assert.equal(abiTypeText(type), '(tuple (z bool) (a (list 2 uint)))');
});

test('signatures name the kind of definition; without arguments a space stays before the parenthesis', () => {
  const args: { name: string; type: AbiType }[] = [
    { name: 'to', type: 'principal' },
    { name: 'memo', type: { optional: { buffer: { length: 34 } } } },
  ];
  assert.equal(functionSignature(fn(args)), '(define-public (f (to principal) (memo (optional (buff 34)))))');
  assert.equal(functionSignature(fn([], 'read_only')), '(define-read-only (f ))');
  assert.equal(functionSignature(fn([], 'private')), '(define-private (f ))');
});

test('malformed types and functions print as nothing', () => {
  for (const type of [
    undefined,
    null,
    1,
    '',
    'int',
    {},
    [],
    { buffer: 34 },
    { buffer: { length: '34' } },
    { list: {} },
  ]) {
    assert.equal(abiTypeText(type), undefined);
    assert.equal(functionSignature({ name: 'f', access: 'public', args: [{ name: 'x', type }] }), '');
  }
  assert.equal(functionSignature({ name: 'f', access: 'other', args: [] }), '');
  assert.equal(functionSignature({ name: 'f', access: 'public' }), '');
  assert.equal(functionSignature(null), '');
});

test('types nested without end print as nothing', () => {
  let type: unknown = 'bool';
  for (let i = 0; i < 100_000; i++) type = { optional: type };
  assert.equal(abiTypeText(type), undefined);
});

test('a function is found by name among malformed ones', () => {
  const good = fn([]);
  const json = { functions: [null, { name: 'f' }, good] };
  assert.equal(findFunction(json, 'f'), good);
  assert.equal(findFunction(json, 'g'), undefined);
  for (const bad of [null, 'x', [], {}, { functions: {} }]) assert.equal(findFunction(bad, 'f'), undefined);
});

test('any JSON is judged, none throws', () => {
  fc.assert(
    fc.property(fc.jsonValue(), json => {
      abiTypeText(json);
      functionSignature(json);
      findFunction(json, 'f');
    }),
  );
});
