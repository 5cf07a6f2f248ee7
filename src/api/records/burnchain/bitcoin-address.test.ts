import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { RECORDED_ARCHIVES } from '../../../../test/support/recording.ts';
import { referencePath } from '../../../../test/support/reference-material.ts';
import { scale } from '../../../../test/support/scale.ts';
import { spellPrincipal } from '../../http/principals.ts';
import { resolveBitcoinAddress } from './bitcoin-address.ts';

test('a Stacks address stands for the Bitcoin address of the same hash, in any letter case', () => {
  const pairs = [
    ['SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7', '1FzTxL9Mxnm2fdmnQEArfhzJHevwbvcH6d'],
    ['SM2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKQVX8X0G', '3GgUssdoWh5QkoUDXKqT6LMESBDf8aqp2y'],
    ['ST2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKQYAC0RQ', 'mvWRFPELmpCHSkFQ7o9EVdCd9eXeUTa9T8'],
    ['SN2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKP6D2ZK9', '2N8EgwcZq89akxb6mCTTKiHLVeXRpxjuy98'],
    ['SP2JKEZC09WVMR33NBSCWQAJC5GS590RP1FR9CK55', '1G4ayBXJvxZMoZpaNdZG6VyWwWq2mHpMjQ'],
    ['STDFV22FCWGHB7B5563BHXVMCSYM183PRB9DH090', 'mhyfanXuwsCMrixyQcCDzh28iHEdtQzZEm'],
  ] as const;
  for (const [stacks, bitcoin] of pairs) {
    assert.equal(resolveBitcoinAddress(stacks), bitcoin);
    assert.equal(resolveBitcoinAddress(stacks.toLowerCase()), bitcoin);
  }
});

test('a Bitcoin address of any network stands for itself', () => {
  const addresses = [
    '1FzTxL9Mxnm2fdmnQEArfhzJHevwbvcH6d',
    '2N8EgwcZq89akxb6mCTTKiHLVeXRpxjuy98',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
    'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
  ];
  for (const address of addresses) assert.equal(resolveBitcoinAddress(address), address);
});

test('bech32 in capitals is the same address in small letters', () => {
  const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
  assert.equal(resolveBitcoinAddress(address.toUpperCase()), address);
  assert.equal(resolveBitcoinAddress(`B${address.slice(1)}`), undefined, 'mixed case is not bech32');
});

test('a taproot address stands for itself, also where its bytes are no public key', () => {
  const address = 'tb1pp6m782g7t7ae94t6qc8gs8tpry7mez3qsq465j5tjanfhh0vmjqqyhk7cw';
  assert.equal(resolveBitcoinAddress(address), address);
});

const ADDRESS = /"\w*(?:address|addr|recipient|sender|principal|staker|stacker|owner|contract_id)":"([^"\\]+)"/g;

/** The addresses in recorded responses, by the names of their members. */
function addressesIn(file: string): Set<string> {
  const text = gunzipSync(readFileSync(file)).toString();
  return new Set([...text.matchAll(ADDRESS)].flatMap(([, address = '']) => (address === '' ? [] : [address])));
}

const recordings = [
  join(import.meta.dirname, '../../../../test/fixtures/sample-chain.responses.jsonl.gz'),
  ...(scale === 'short' ? ['sim-pox'] : RECORDED_ARCHIVES).flatMap(name =>
    ['golden', 'golden-siblings'].map(kind => referencePath(`${kind}/${name}.jsonl.gz`)),
  ),
];

test('every address that a response contains is accepted by the routes that take an address, and is as it is spelled there', () => {
  const refused = new Set<string>();
  let bitcoin = 0;
  for (const file of recordings.filter(file => existsSync(file))) {
    for (const address of addressesIn(file)) {
      const isOfStacks = /^S[A-Z0-9]{20,}/.test(address);
      if (!isOfStacks) bitcoin++;
      if ((isOfStacks ? spellPrincipal(address) : resolveBitcoinAddress(address)) !== address) refused.add(address);
      if (isOfStacks && !address.includes('.') && resolveBitcoinAddress(address) === undefined) refused.add(address);
    }
  }
  assert.deepEqual([...refused], []);
  assert.ok(bitcoin > 3, `only ${bitcoin} Bitcoin addresses are compared`);
});

test('anything else names no address', () => {
  const texts = [
    '',
    'bogus',
    '1FzTxL9Mxnm2fdmnQEArfhzJHevwbvcH6e',
    'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7.pool',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
    'x'.repeat(250),
  ];
  for (const text of texts) assert.equal(resolveBitcoinAddress(text), undefined);
});
