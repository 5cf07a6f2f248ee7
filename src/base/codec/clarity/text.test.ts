import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, filled, name, u32 } from '../../../../test/support/wire-transaction.ts';
import { fromHex } from '../../lib/hex.ts';
import { clarityRepr } from './repr.ts';
import { clarityTypeName } from './type-name.ts';

function texts(value: Uint8Array): [repr: string, typeName: string] {
  const repr = clarityRepr(value);
  const typeName = clarityTypeName(value);
  if (!repr.ok) assert.fail(JSON.stringify(repr.error));
  if (!typeName.ok) assert.fail(JSON.stringify(typeName.error));
  return [repr.value, typeName.value];
}

const number = (prefix: number, hex: string) => bytes(prefix, fromHex(hex.padStart(32, '0')) ?? '');
const ascii = (...contents: (number | string)[]) => {
  const body = bytes(...contents);
  return bytes(0x0d, u32(body.length), body);
};
const utf8 = (text: string | Uint8Array) => {
  const body = Buffer.from(text as string);
  return bytes(0x0e, u32(body.length), body);
};
const ZERO_ADDRESS = 'SP000000000000000000002Q6VF78';

test('numbers of every size', () => {
  assert.deepEqual(texts(number(1, '0')), ['u0', 'uint']);
  assert.deepEqual(texts(number(1, '1fffffffffffff')), ['u9007199254740991', 'uint']);
  assert.deepEqual(texts(number(1, '20000000000001')), ['u9007199254740993', 'uint']);
  assert.deepEqual(texts(number(1, '10000000000000000')), ['u18446744073709551616', 'uint']);
  assert.deepEqual(texts(number(1, 'f'.repeat(32))), ['u340282366920938463463374607431768211455', 'uint']);
  assert.deepEqual(texts(number(0, '2a')), ['42', 'int']);
  assert.deepEqual(texts(number(0, 'f'.repeat(32))), ['-1', 'int']);
  assert.deepEqual(texts(number(0, `8${'0'.repeat(31)}`)), ['-170141183460469231731687303715884105728', 'int']);
});

test('booleans, buffers and principals', () => {
  assert.deepEqual(texts(bytes(0x03)), ['true', 'bool']);
  assert.deepEqual(texts(bytes(0x04)), ['false', 'bool']);
  assert.deepEqual(texts(bytes(0x02, u32(2), 0x00, 0xff)), ['0x00ff', '(buff 2)']);
  assert.deepEqual(texts(bytes(0x02, u32(0))), ['0x', '(buff 0)']);
  assert.deepEqual(texts(bytes(0x05, 22, filled(20, 0))), [`'${ZERO_ADDRESS}`, 'principal']);
  assert.deepEqual(texts(bytes(0x06, 22, filled(20, 0), name('bns'))), [`'${ZERO_ADDRESS}.bns`, 'principal']);
});

test('optionals and responses', () => {
  assert.deepEqual(texts(bytes(0x09)), ['none', '(optional UnknownType)']);
  assert.deepEqual(texts(bytes(0x0a, 0x0a, 0x03)), ['(some (some true))', '(optional (optional bool))']);
  assert.deepEqual(texts(bytes(0x07, 0x03)), ['(ok true)', '(response bool UnknownType)']);
  assert.deepEqual(texts(bytes(0x08, 0x09)), ['(err none)', '(response UnknownType (optional UnknownType))']);
});

test('a list has the type of its first element', () => {
  assert.deepEqual(texts(bytes(0x0b, u32(0))), ['(list)', '(list 0 UnknownType)']);
  assert.deepEqual(texts(bytes(0x0b, u32(2), 0x09, 0x0a, 0x03)), [
    '(list none (some true))',
    '(list 2 (optional UnknownType))',
  ]);
});

test('a tuple is sorted by the bytes of its names', () => {
  const entry = (text: string) => bytes(name(text), 0x03);
  const wire = bytes(0x0c, u32(5), entry('b'), entry('a0'), entry('a'), entry('a-'), entry('B'));
  assert.deepEqual(texts(wire), [
    '(tuple (B true) (a true) (a- true) (a0 true) (b true))',
    '(tuple (B bool) (a bool) (a- bool) (a0 bool) (b bool))',
  ]);
  assert.deepEqual(texts(bytes(0x0c, u32(0))), ['(tuple)', '(tuple)']);
});

test('of duplicate tuple names the last wins, and names of Object.prototype are ordinary', () => {
  const wire = bytes(0x0c, u32(3), name('a'), 0x03, name('__proto__'), 0x09, name('a'), 0x04);
  assert.equal(texts(wire)[0], '(tuple (__proto__ none) (a false))');
});

test('string-ascii escapes quotes, backslash and what is not printable', () => {
  assert.deepEqual(texts(ascii('plain text ~')), ['"plain text ~"', '(string-ascii 12)']);
  assert.deepEqual(texts(ascii('it\'s "a\\b"')), ['"it\\\'s \\"a\\\\b\\""', '(string-ascii 10)']);
  assert.deepEqual(texts(ascii('\t\n\r', 0, 0x1f, 0x7f, 0x80, 0xff)), [
    '"\\t\\n\\r\\x00\\x1f\\x7f\\x80\\xff"',
    '(string-ascii 8)',
  ]);
});

test('string-utf8 shows other characters by their UTF-8 bytes; its length is four per character', () => {
  assert.deepEqual(texts(utf8("it's")), ['u"it\\\'s"', '(string-utf8 16)']);
  assert.deepEqual(texts(utf8('é😀\0\x7f')), ['u"\\u{c3a9}\\u{f09f9880}\\x00\\x7f"', '(string-utf8 16)']);
  assert.deepEqual(texts(utf8('\ufeffa')), ['u"\\u{efbbbf}a"', '(string-utf8 8)'], 'a leading BOM is a character');
});

test('malformed UTF-8 reads as one U+FFFD per maximal part', () => {
  const cases: [number[], number][] = [
    [[0xff], 1],
    [[0xc0, 0xaf], 2],
    [[0xed, 0xa0, 0x80], 3],
    [[0xf0, 0x9f, 0x98], 1],
    [[0xe2, 0x82, 0x41], 1],
  ];
  for (const [malformed, replacements] of cases) {
    const tail = malformed.at(-1) === 0x41 ? 'A' : '';
    assert.equal(texts(utf8(Uint8Array.from(malformed)))[0], `u"${'\\u{efbfbd}'.repeat(replacements)}${tail}"`);
  }
});

test('bytes after the first value are ignored', () => {
  assert.deepEqual(texts(bytes(0x03, 0xff, 0xff)), ['true', 'bool']);
});

test('every character shows the UTF-8 bytes that encode it', () => {
  for (let code = 0x80; code <= 0x10ffff; code += code < 0x3000 ? 1 : 997) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    assert.equal(texts(utf8(character))[0], `u"\\u{${Buffer.from(character).toString('hex')}}"`);
  }
});
