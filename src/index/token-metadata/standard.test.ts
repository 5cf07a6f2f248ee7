import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { sampleFunction, sampleInterface } from '../../../test/support/sample-contracts.ts';
import { TOKEN_FUNCTIONS, tokenContractInterface } from '../../../test/support/sample-tokens.ts';
import type { JsonValue } from '../../base/lib/json.ts';
import { tokenInterface } from './standard.ts';

type Json = Readonly<Record<string, unknown>>;
type Functions = (typeof TOKEN_FUNCTIONS)[keyof typeof TOKEN_FUNCTIONS];

/** The interface of a token contract with one function changed; undefined leaves it out. */
const withFunction = (standard: keyof typeof TOKEN_FUNCTIONS, name: string, change: Json | undefined): Json => ({
  ...tokenContractInterface(standard),
  functions: (TOKEN_FUNCTIONS[standard] as Functions).flatMap(fn =>
    fn.name === name ? (change ? [{ ...fn, ...change }] : []) : [fn],
  ),
});
const args = (...types: readonly JsonValue[]): Json => ({ args: sampleFunction('f', ...types).args });
const uri = (type: unknown): Json => ({ outputs: { type } });
const standardOf = (contractInterface: unknown) => tokenInterface(contractInterface)?.standard;

test('an interface with the functions and an asset of a standard follows it', () => {
  for (const standard of ['sip-009', 'sip-010', 'sip-013'] as const)
    assert.equal(standardOf(tokenContractInterface(standard)), standard);
  assert.deepEqual(tokenInterface(tokenContractInterface('sip-009')), {
    standard: 'sip-009',
    ftAsset: null,
    nftAsset: 'cat',
  });
});

test('functions and assets beside those of a standard do not matter', () => {
  // Transfers differ, and names are unique: no contract follows two standards.
  const others = TOKEN_FUNCTIONS['sip-009'].filter(({ name }) => name === 'get-last-token-id' || name === 'get-owner');
  const more = sampleInterface([...others, ...TOKEN_FUNCTIONS['sip-013'], sampleFunction('act')]);
  const assets = { non_fungible_tokens: [{ name: 'cat' }], fungible_tokens: [{ name: 'coin' }] };
  assert.equal(standardOf({ ...more, ...assets }), 'sip-013');
});

test('SIP-009 needs a non-fungible asset, SIP-010 a fungible one, SIP-013 none', () => {
  const bare = (standard: keyof typeof TOKEN_FUNCTIONS) => sampleInterface(TOKEN_FUNCTIONS[standard]);
  assert.deepEqual(
    (['sip-009', 'sip-010', 'sip-013'] as const).map(standard => standardOf(bare(standard))),
    [undefined, undefined, 'sip-013'],
  );
});

test('a function that is missing, private, or has other arguments does not count', () => {
  for (const [standard, functions] of Object.entries(TOKEN_FUNCTIONS)) {
    const known = standard as keyof typeof TOKEN_FUNCTIONS;
    for (const { name, args: own } of functions) {
      const types = own.map(({ type }) => type);
      assert.equal(standardOf(withFunction(known, name, undefined)), undefined, `${standard} without ${name}`);
      assert.equal(standardOf(withFunction(known, name, { access: 'private' })), undefined, `private ${name}`);
      assert.equal(standardOf(withFunction(known, name, { access: 'public' })), standard, `public ${name}`);
      assert.equal(standardOf(withFunction(known, name, args(...types, 'bool'))), undefined, `one more of ${name}`);
      assert.equal(standardOf(withFunction(known, name, { args: 'none' })), undefined, `odd arguments of ${name}`);
    }
  }
});

test('argument types are compared as a whole, composite ones too', () => {
  const owner = (type: JsonValue) => standardOf(withFunction('sip-009', 'get-owner', args(type)));
  for (const type of ['int128', { list: { type: 'uint128', length: 1 } }, { optional: 'uint128' }, 'what', 5, null])
    assert.equal(owner(type), undefined, JSON.stringify(type));
  const memo = (type: JsonValue) =>
    standardOf(withFunction('sip-010', 'transfer', args('uint128', 'principal', 'principal', type)));
  assert.equal(memo({ optional: { buffer: { length: 34 } } }), 'sip-010');
  for (const type of [{ optional: { buffer: { length: 33 } } }, { buffer: { length: 34 } }, { optional: 'uint128' }])
    assert.equal(memo(type), undefined, JSON.stringify(type));
});

test('get-token-uri must be able to give text, of any kind and length', () => {
  const gives = (type: unknown) => standardOf(withFunction('sip-009', 'get-token-uri', uri(type)));
  const response = (ok: unknown) => ({ response: { ok, error: 'none' } });
  const ascii = { 'string-ascii': { length: 12 } };
  for (const type of [
    response({ optional: ascii }),
    response({ optional: { 'string-utf8': { length: 2000 } } }),
    response({ optional: 'none' }),
    response(ascii),
    ascii,
  ])
    assert.equal(gives(type), 'sip-009', JSON.stringify(type));
  for (const type of [response('uint128'), response({ optional: 'bool' }), 'principal', undefined, null, 5])
    assert.equal(gives(type), undefined, JSON.stringify(type));
});

test('names of assets that Clarity does not allow are none', () => {
  const named = (name: unknown) =>
    tokenInterface({ ...tokenContractInterface('sip-009'), non_fungible_tokens: [{ name }] });
  for (const name of ['', 'a b', 'a\0', '1a', 'a'.repeat(129), 5, null, undefined, '\ud800'])
    assert.equal(named(name), undefined, JSON.stringify(name));
  assert.equal(named('a-b_c!?+<>=/*')?.nftAsset, 'a-b_c!?+<>=/*');
});

test('no JSON makes it throw', () => {
  const name = fc.constantFrom(...Object.values(TOKEN_FUNCTIONS).flatMap(fns => fns.map(fn => fn.name)));
  const fn = fc.record(
    { name, access: fc.constantFrom('public', 'read_only'), args: fc.jsonValue(), outputs: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const odd = fc.record(
    {
      functions: fc.array(fc.oneof(fn, fc.jsonValue())),
      fungible_tokens: fc.jsonValue(),
      non_fungible_tokens: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(fc.property(fc.oneof(fc.jsonValue(), odd), json => tokenInterface(json) === undefined));
});
