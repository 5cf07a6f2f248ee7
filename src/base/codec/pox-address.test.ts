import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHex } from '../lib/hex.ts';
import { bitcoinToPoxAddress, encodePoxAddress, poxAddressToBitcoin, stacksToPoxAddress } from './bitcoin-address.ts';
import { clarityRepr } from './clarity/repr.ts';
import { encodeAddress } from './principal.ts';

const plain = ({ version, hashbytes }: { version: number; hashbytes: Uint8Array }) => [version, toHex(hashbytes)];

test('the PoX address of a Bitcoin address has that Bitcoin address', () => {
  for (const network of ['mainnet', 'testnet'] as const) {
    for (const [version, length] of [
      [0, 20],
      [1, 20],
      [4, 20],
      [5, 32],
      [6, 32],
    ] as const) {
      const address = { version, hashbytes: new Uint8Array(length).fill(0x5a) };
      const back = bitcoinToPoxAddress(poxAddressToBitcoin(address, network) ?? '');
      assert.deepEqual(back && plain(back), plain(address));
    }
  }
});

test('an account that pays to a key is version 0, one that pays to a script version 1', () => {
  const poxVersion = (version: number) => stacksToPoxAddress(encodeAddress(version, new Uint8Array(20)))?.version;
  assert.deepEqual([22, 26, 20, 21].map(poxVersion), [0, 0, 1, 1]);
});

test('texts that are no address have no PoX address', () => {
  for (const text of ['', 'bc1', 'SP', '1'.repeat(1_000_000)]) {
    assert.equal(bitcoinToPoxAddress(text), undefined);
    assert.equal(stacksToPoxAddress(text), undefined);
  }
});

test('the Clarity value is the tuple that PoX contracts take', () => {
  const repr = clarityRepr(encodePoxAddress({ version: 1, hashbytes: Uint8Array.of(0xab) }));
  assert.deepEqual(repr, { ok: true, value: '(tuple (hashbytes 0xab) (version 0x01))' });
});
