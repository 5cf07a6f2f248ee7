import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressElsewhere, addressNetwork, correctedAddress } from './address-forms.ts';

const ADDRESS = 'STSYDBPNZ1YDC8CMR0FN28FZE3EJ0W55XDC17G8Q';

test('one wrong character and two swapped ones are corrected; two errors are not', () => {
  const at = (i: number, text: string) => ADDRESS.slice(0, i) + text + ADDRESS.slice(i + text.length);
  for (const typed of [at(12, 'Z'), at(39, 'R'), at(1, 'P'), at(6, 'NP'), at(12, 'Z').toLowerCase()])
    assert.equal(correctedAddress(typed), ADDRESS, typed);
  assert.equal(correctedAddress(at(12, 'ZZZ')), undefined);
  assert.equal(correctedAddress('S'), undefined);
});

test('an address has one of the same key on the other network', () => {
  assert.equal(addressNetwork(ADDRESS), 'testnet');
  const elsewhere = addressElsewhere(ADDRESS) ?? '';
  assert.equal(addressNetwork(elsewhere), 'mainnet');
  assert.match(elsewhere, /^SP/);
  assert.equal(addressElsewhere(elsewhere), ADDRESS);
  assert.equal(addressElsewhere('nonsense'), undefined);
});
