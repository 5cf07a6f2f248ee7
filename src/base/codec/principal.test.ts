import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressFromVersionHash, addressToString } from '@stacks/transactions';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import { BoundedCache } from '../lib/bounded-cache.ts';
import { toHex } from '../lib/hex.ts';
import { decodeAddress, encodeAddress, isValidPrincipal, isValidStandardAddress, parsePrincipal } from './principal.ts';

const ADDRESS = 'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7';
const BOOT = 'SP000000000000000000002Q6VF78'; // hash of zeros
const versions = fc.integer({ min: 0, max: 31 });
/** Hashes of which many begin with zeros: those have shorter texts. */
const hashes = fc
  .tuple(fc.integer({ min: 0, max: 20 }), fc.uint8Array({ minLength: 20, maxLength: 20 }))
  .map(([zeros, hash]) => hash.fill(0, 0, zeros));

test('an address survives encoding and decoding, for every version and hash', () => {
  fc.assert(
    fc.property(versions, hashes, (version, hash160) => {
      const decoded = decodeAddress(encodeAddress(version, hash160));
      assert.equal(decoded?.version, version);
      assert.equal(decoded && toHex(decoded.hash160), toHex(hash160));
    }),
  );
});

test('address texts are those of @stacks/transactions', () => {
  fc.assert(
    fc.property(versions, hashes, (version, hash160) => {
      const hex = toHex(hash160).slice(2);
      assert.equal(encodeAddress(version, hash160), addressToString(addressFromVersionHash(version, hex)));
    }),
  );
});

test('a change of any one character makes an address invalid, unless it spells the same', () => {
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  for (let at = 1; at < ADDRESS.length; at++) {
    for (const character of alphabet) {
      const changed = ADDRESS.slice(0, at) + character + ADDRESS.slice(at + 1);
      assert.equal(isValidStandardAddress(changed), changed === ADDRESS, changed);
    }
  }
});

test('lower case, O for 0 and I or L for 1 are read; the result is spelled canonically', () => {
  const spellings = [ADDRESS.toLowerCase(), BOOT.replaceAll('0', 'O'), BOOT.toLowerCase().replaceAll('0', 'o')];
  assert.deepEqual(
    spellings.map(text => parsePrincipal(text)?.address),
    [ADDRESS, BOOT, BOOT],
  );
  assert.equal(parsePrincipal(ADDRESS.replace('V1E', 'VIE'))?.address, ADDRESS);
  assert.equal(parsePrincipal(ADDRESS.replace('V1E', 'VlE'))?.address, ADDRESS);
});

test('the first letter must be S, and the letter U and other characters are invalid', () => {
  assert.equal(isValidStandardAddress(`X${ADDRESS.slice(1)}`), false);
  for (const bad of ['U', 'u', ' ', '-', 'é', '\0', '.']) {
    assert.equal(isValidStandardAddress(`${ADDRESS.slice(0, 9)}${bad}${ADDRESS.slice(10)}`), false, bad);
  }
});

test('zeros cannot be added to or taken from an address', () => {
  assert.equal(isValidStandardAddress(BOOT.replace('SP0', 'SP00')), false);
  assert.equal(isValidStandardAddress(BOOT.replace('SP0', 'SP')), false);
  assert.equal(isValidStandardAddress(ADDRESS.replace('SP', 'SP0')), false);
});

test('a contract principal has a name of 1 to 128 characters, the first a letter', () => {
  for (const name of ['a', 'Z-_9', 'a'.repeat(128)]) assert.equal(isValidPrincipal(`${ADDRESS}.${name}`), true, name);
  for (const name of ['', '1a', '-a', '_a', 'a b', 'a!', 'é', 'a'.repeat(129), 'a\n']) {
    assert.equal(isValidPrincipal(`${ADDRESS}.${name}`), false, name);
  }
});

test('a second dot makes no principal', () => {
  for (const name of ['a.b', 'a.', '.b', 'a.b..!']) assert.equal(isValidPrincipal(`${ADDRESS}.${name}`), false, name);
});

test('a contract is not a standard address; a bad address makes a bad contract', () => {
  assert.equal(isValidStandardAddress(`${ADDRESS}.a`), false);
  assert.equal(isValidPrincipal(`${ADDRESS.slice(0, -1)}8.a`), false);
  assert.equal(isValidPrincipal('.a'), false);
});

test('any text is judged, none throws', () => {
  fc.assert(fc.property(anyText({ maxLength: 60 }), text => typeof isValidPrincipal(text) === 'boolean'));
  assert.equal(isValidPrincipal('S'.repeat(1_000_000)), false);
});

test('encoding refuses versions above 31 and hashes of another length, cached address or not', () => {
  const hash = new Uint8Array(20);
  encodeAddress(22, hash);
  for (const version of [32, 22.5, -1, 65_536 + 22, Number.NaN]) {
    assert.throws(() => encodeAddress(version, hash), RangeError);
  }
  assert.throws(() => encodeAddress(22, new Uint8Array(19)), RangeError);
});

test('the cache keeps recent keys and never more than two generations', () => {
  const cache = new BoundedCache<number, number>(3);
  for (let i = 0; i < 100; i++) {
    cache.set(i, i);
    assert.equal(cache.get(0), 0, 'a key in steady use stays');
  }
  assert.equal(cache.get(50), undefined);
  assert.equal(cache.get(99), 99);
});
