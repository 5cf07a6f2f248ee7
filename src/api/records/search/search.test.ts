import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc, { anyText } from '../../../../test/support/fast-check.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';
import { encodeAddress } from '../../../base/codec/index.ts';
import { readTerm } from './search.ts';

const HEX = 'ab'.repeat(32);
const ADDRESS = 'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7';
const BOOT = 'SP000000000000000000002Q6VF78';

test('64 hex digits are a hash, bare or after 0x or 0X, in any case', () => {
  for (const text of [HEX, HEX.toUpperCase(), `0x${HEX}`, `0X${HEX}`, `0X${HEX.toUpperCase()}`, 'aB'.repeat(32)]) {
    assert.deepEqual(readTerm(text), { kind: 'hash', hash: `0x${HEX}` }, text);
  }
  assert.deepEqual(readTerm('1'.repeat(64)), { kind: 'hash', hash: `0x${'1'.repeat(64)}` });
});

test('one digit more or less, another prefix, or one that is not hex makes no hash', () => {
  const digits = HEX.slice(1);
  const wrong = [digits, `${HEX}a`, `0x${digits}`, `0x${HEX}a`, `${HEX}ab`, `1x${HEX}`, `x0${HEX}`, `${digits}g`];
  for (const text of [...wrong, `0x${digits}g`, `0x${digits} `, `${HEX}\n`, `0x0x${HEX.slice(4)}`, `0o${HEX}`]) {
    assert.deepEqual(readTerm(text), { kind: 'invalid' }, JSON.stringify(text));
  }
});

test('an address passes in any case, with look-alike letters and any version, and is spelled as the index does', () => {
  const odd = encodeAddress(31, new Uint8Array(20).fill(7));
  const spellings = [ADDRESS, ADDRESS.toLowerCase(), BOOT, BOOT.replaceAll('0', 'O'), BOOT.replaceAll('0', 'o')];
  const ones = encodeAddress(22, new Uint8Array(20).fill(0x08));
  for (const text of [...spellings, odd, accountAddress(7), ones.replaceAll('1', 'I'), ones.replaceAll('1', 'l')]) {
    const address = text.toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1');
    assert.deepEqual(readTerm(text), { kind: 'address', address }, text);
  }
});

test('a wrong checksum, character or length makes no address', () => {
  const wrong = [`${ADDRESS.slice(0, -1)}8`, ADDRESS.slice(0, -1), `${ADDRESS}7`, `S${ADDRESS}`, ADDRESS.slice(1)];
  for (const text of [
    ...wrong,
    `T${ADDRESS.slice(1)}`,
    ADDRESS.replace('J', 'U'),
    `${ADDRESS} `,
    `${ADDRESS}:a`,
    'S',
  ]) {
    assert.deepEqual(readTerm(text), { kind: 'invalid' }, text);
  }
});

test('after a dot comes a name of up to 128 characters', () => {
  const names = ['a', 'A-b_1', 'a'.repeat(128)];
  for (const id of names.map(name => `${ADDRESS}.${name}`)) {
    assert.deepEqual(readTerm(id), { kind: 'contract', id }, id);
  }
  // The letters of an address are read in any case, those of a name are its own.
  assert.deepEqual(readTerm(`${ADDRESS.toLowerCase()}.A`), { kind: 'contract', id: `${ADDRESS}.A` });
});

test('a name of another form makes no contract, nor does one after a wrong address', () => {
  const names = ['', '1a', '-a', '_a', 'a b', 'a$', 'é', 'a'.repeat(129), '.a', ' a', 'a::b', 'a.b', 'a.', 'a.é b'];
  const others = ['.a', 'a.b', `${ADDRESS.slice(0, -1)}.a`, `.${ADDRESS}`, '.'];
  for (const text of [...names.map(name => `${ADDRESS}.${name}`), ...others]) {
    assert.deepEqual(readTerm(text), { kind: 'invalid' }, text);
  }
});

test('digits are a height', () => {
  for (const [text, height] of [
    ['0', 0],
    ['008', 8],
    ['9'.repeat(63), Number.MAX_SAFE_INTEGER],
  ] as const)
    assert.deepEqual(readTerm(text), { kind: 'height', height });
});

test('names, Bitcoin addresses and nothing at all are no terms', () => {
  const others = ['', '-1', '1.5', '0x1234', '0x', 'latest', 'muneeb.btc', '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'];
  for (const text of others) assert.deepEqual(readTerm(text), { kind: 'invalid' }, text);
});

test('every text is classified', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 100 }), text => {
      assert.ok(['hash', 'height', 'contract', 'address', 'invalid'].includes(readTerm(text).kind));
    }),
  );
});
