import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { signerBitvec } from './signer-bitvec.ts';

test('the first bit is the highest of the first byte; spare bits are dropped', () => {
  assert.equal(signerBitvec('000500000001b7'), '10110');
  assert.equal(signerBitvec('0x000900000002fe80'), '111111101');
  assert.equal(signerBitvec('000000000000'), '');
});

test('more bits or bytes than there are, or no hex at all, give undefined', () => {
  for (const hex of ['', 'zz', '0001', '000900000001ff', '0001ffffffff00', '000100000002ff']) {
    assert.equal(signerBitvec(hex), undefined, hex);
  }
});

test('any bits survive', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('0', '1'), { maxLength: 300 }), bits => {
      const text = bits.join('');
      const byteCount = Math.ceil(text.length / 8);
      const hexBytes = text.padEnd(byteCount * 8, '0').match(/.{8}/g) ?? [];
      const body = hexBytes.map(byte => Number.parseInt(byte, 2).toString(16).padStart(2, '0')).join('');
      const head = text.length.toString(16).padStart(4, '0') + byteCount.toString(16).padStart(8, '0');
      assert.equal(signerBitvec(head + body), text);
    }),
  );
});
