import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bech32, bech32m, createBase58check } from '@scure/base';
import { getAddressFromPublicKey } from '@stacks/transactions';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import {
  bitcoinToStacks,
  isBitcoinAddress,
  poxAddressToBitcoin,
  signerKeyToAddress,
  stacksToBitcoin,
} from './bitcoin-address.ts';
import { sha256 } from './hash.ts';
import { encodeAddress } from './principal.ts';

const base58check = createBase58check(sha256);
const hash20 = new Uint8Array(20).fill(0x5a);
const hash32 = new Uint8Array(32).fill(0x5a);
const segwit = (hrp: string, version: number, program: Uint8Array, coder = version === 0 ? bech32 : bech32m) =>
  coder.encode(hrp, [version, ...coder.toWords(program)]);

test('an account has the Bitcoin address of the same hash, and back', () => {
  const pairs = [
    ['SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7', '1FzTxL9Mxnm2fdmnQEArfhzJHevwbvcH6d'],
    ['SM2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKQVX8X0G', '3GgUssdoWh5QkoUDXKqT6LMESBDf8aqp2y'],
    ['ST2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKQYAC0RQ', 'mvWRFPELmpCHSkFQ7o9EVdCd9eXeUTa9T8'],
    ['SN2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKP6D2ZK9', '2N8EgwcZq89akxb6mCTTKiHLVeXRpxjuy98'],
  ] as const;
  for (const [stacks, bitcoin] of pairs) {
    assert.equal(stacksToBitcoin(stacks), bitcoin);
    assert.equal(stacksToBitcoin(stacks.toLowerCase()), bitcoin);
    assert.equal(bitcoinToStacks(bitcoin), stacks);
  }
});

test('other address versions keep their number as base58 version byte', () => {
  assert.equal(stacksToBitcoin(encodeAddress(31, hash20)), base58check.encode(Uint8Array.of(31, ...hash20)));
});

test('what is not an address converts to nothing', () => {
  for (const text of ['', 'SP', 'hello', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '0'.repeat(10_000)]) {
    assert.equal(stacksToBitcoin(text), undefined);
    assert.equal(bitcoinToStacks(text), undefined);
  }
  assert.equal(bitcoinToStacks(base58check.encode(Uint8Array.of(200, ...hash20))), undefined);
});

test('Bitcoin addresses: base58check of the four known versions only', () => {
  for (let version = 0; version < 256; version++) {
    const text = base58check.encode(Uint8Array.of(version, ...hash20));
    assert.equal(isBitcoinAddress(text), [0x00, 0x05, 0x6f, 0xc4].includes(version), text);
  }
  assert.equal(isBitcoinAddress(base58check.encode(Uint8Array.of(0, ...hash32))), false);
  assert.equal(isBitcoinAddress('1FzTxL9Mxnm2fdmnQEArfhzJHevwbvcH6e'), false, 'checksum');
});

test('Bitcoin addresses: segwit of mainnet, testnet and regtest, future witness versions too', () => {
  for (const hrp of ['bc', 'tb', 'bcrt']) {
    for (const program of [hash20, hash32]) assert.equal(isBitcoinAddress(segwit(hrp, 0, program)), true);
    for (const version of [1, 2, 16]) assert.equal(isBitcoinAddress(segwit(hrp, version, hash32)), true);
  }
  assert.equal(isBitcoinAddress(segwit('bc', 0, hash20).toUpperCase()), true);
});

test('Bitcoin addresses: wrong network, program length, version or checksum kind are refused', () => {
  assert.equal(isBitcoinAddress(segwit('ltc', 0, hash20)), false);
  assert.equal(isBitcoinAddress(segwit('bc', 0, new Uint8Array(21))), false);
  assert.equal(isBitcoinAddress(segwit('bc', 1, new Uint8Array(41))), false);
  assert.equal(isBitcoinAddress(segwit('bc', 1, new Uint8Array(1))), false);
  assert.equal(isBitcoinAddress(segwit('bc', 17, hash32)), false);
  assert.equal(isBitcoinAddress(segwit('bc', 0, hash20, bech32m)), false);
  assert.equal(isBitcoinAddress(segwit('bc', 1, hash32, bech32)), false);
  assert.equal(isBitcoinAddress(bech32.encode('bc', [])), false);
});

test('any text is judged, none throws, long ones are not computed on', () => {
  fc.assert(fc.property(anyText({ maxLength: 100 }), text => !isBitcoinAddress(text)));
  assert.equal(isBitcoinAddress('1'.repeat(5_000_000)), false);
});

test('PoX addresses: every version on mainnet and elsewhere', () => {
  const cases = [
    [0, hash20, base58check.encode(Uint8Array.of(0, ...hash20)), base58check.encode(Uint8Array.of(0x6f, ...hash20))],
    [1, hash20, /^3/, /^2/],
    [2, hash20, /^3/, /^2/],
    [3, hash20, /^3/, /^2/],
    [4, hash20, segwit('bc', 0, hash20), segwit('tb', 0, hash20)],
    [5, hash32, segwit('bc', 0, hash32), segwit('tb', 0, hash32)],
    [6, hash32, segwit('bc', 1, hash32), segwit('tb', 1, hash32)],
  ] as const;
  for (const [version, hashbytes, mainnet, testnet] of cases) {
    assert.match(poxAddressToBitcoin({ version, hashbytes }, 'mainnet') ?? '', new RegExp(mainnet));
    assert.match(poxAddressToBitcoin({ version, hashbytes }, 'testnet') ?? '', new RegExp(testnet));
  }
});

test('PoX addresses: unknown version or wrong length have no Bitcoin address', () => {
  assert.equal(poxAddressToBitcoin({ version: 7, hashbytes: hash20 }, 'mainnet'), undefined);
  assert.equal(poxAddressToBitcoin({ version: 4, hashbytes: hash32 }, 'mainnet'), undefined);
  assert.equal(poxAddressToBitcoin({ version: 5, hashbytes: hash20 }, 'mainnet'), undefined);
  assert.equal(poxAddressToBitcoin({ version: 0, hashbytes: new Uint8Array() }, 'mainnet'), undefined);
});

test('signer address from its key, with or without 0x; malformed keys have none', () => {
  const key = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'; // the generator of secp256k1
  for (const network of ['mainnet', 'testnet'] as const) {
    assert.equal(signerKeyToAddress(key, network), getAddressFromPublicKey(key, network));
    assert.equal(signerKeyToAddress(`0x${key}`, network), getAddressFromPublicKey(key, network));
  }
  for (const bad of ['', 'zz', key.slice(2), `${key}00`]) assert.equal(signerKeyToAddress(bad, 'mainnet'), undefined);
});
