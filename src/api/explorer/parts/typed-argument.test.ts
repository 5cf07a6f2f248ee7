import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AbiType, clarityRepr } from '../../../base/codec/index.ts';
import { encodeArgument } from './typed-argument.ts';

const SENDER = 'ST1WX5N71TVZ7790XRB9M0XBRNKZ04JSD2T590MZN';

/** Decodes the encoded text with the codec. */
function read(text: string, type: AbiType): string {
  const encoded = encodeArgument(text, type);
  if (!encoded.ok) return `wrong: ${encoded.error}`;
  const repr = clarityRepr(encoded.value);
  return repr.ok ? repr.value : 'no value';
}

test('each type is typed as one would write it, and read back as that', () => {
  const rows: readonly (readonly [typed: string, type: AbiType, repr: string])[] = [
    ['12', 'uint128', 'u12'],
    ['u12', 'uint128', 'u12'],
    [String(2n ** 128n - 1n), 'uint128', `u${2n ** 128n - 1n}`],
    ['-7', 'int128', '-7'],
    ['true', 'bool', 'true'],
    [SENDER, 'principal', `'${SENDER}`],
    [`'${SENDER}.pool`, 'trait_reference', `'${SENDER}.pool`],
    ['0x00ff', { buffer: { length: 2 } }, '0x00ff'],
    ['a "b" (c)', { 'string-ascii': { length: 20 } }, '"a \\"b\\" (c)"'],
    ['', { 'string-ascii': { length: 20 } }, '""'],
    ['é', { 'string-utf8': { length: 1 } }, 'u"\\u{c3a9}"'],
    ['', { optional: 'uint128' }, 'none'],
    ['5', { optional: 'uint128' }, '(some u5)'],
    ['(list 1 2)', { list: { type: 'uint128', length: 2 } }, '(list u1 u2)'],
    ['(list (some 5) none)', { list: { type: { optional: 'uint128' }, length: 2 } }, '(list (some u5) none)'],
    [
      '{b: "x, y", a: (list)}',
      {
        tuple: [
          { name: 'a', type: { list: { type: 'bool', length: 1 } } },
          { name: 'b', type: { 'string-ascii': { length: 9 } } },
        ],
      },
      '(tuple (a (list)) (b "x, y"))',
    ],
  ];
  for (const [typed, type, repr] of rows) assert.equal(read(typed, type), repr, typed);
});

test('what does not fit its type is said in words, and never thrown', () => {
  const rows: readonly (readonly [typed: string, type: AbiType])[] = [
    ['', 'uint128'],
    ['-1', 'uint128'],
    [String(2n ** 128n), 'uint128'],
    ['9'.repeat(1000), 'int128'],
    ['yes', 'bool'],
    ['ST000', 'principal'],
    [`${SENDER.slice(0, -1)}X`, 'principal'],
    ['00ff', { buffer: { length: 2 } }],
    ['0x0102', { buffer: { length: 1 } }],
    ['é', { 'string-ascii': { length: 20 } }],
    ['abc', { 'string-ascii': { length: 2 } }],
    ['(list 1 2', { list: { type: 'uint128', length: 9 } }],
    ['(list 1 2 3)', { list: { type: 'uint128', length: 2 } }],
    ['(list 1) 2', { list: { type: 'uint128', length: 2 } }],
    ['{a: 1}', { tuple: [{ name: 'b', type: 'uint128' }] }],
    ['{}', { tuple: [{ name: 'b', type: 'uint128' }] }],
    ['{__proto__: 1}', { tuple: [{ name: 'b', type: 'uint128' }] }],
    ['(ok 1)', { response: { ok: 'uint128', error: 'uint128' } }],
    ['"'.repeat(99), { list: { type: { 'string-ascii': { length: 2 } }, length: 9 } }],
  ];
  for (const [typed, type] of rows) assert.match(read(typed, type), /^wrong: \w/, typed);
});
