import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, filled, name, u32, u64 } from '../../../test/support/wire-transaction.ts';
import { decodePostConditions } from './post-condition.ts';
import { postConditionToApi } from './post-condition-api.ts';

const SP_22 = 'SPH248H248H248H248H248H248H248H249PPB6QW'; // version 22, hash of 20 bytes 0x22
const account = bytes(22, filled(20, 0x22));
const asset = bytes(account, name('nft'), name('ape'));
const assetApi = { asset_name: 'ape', contract_address: SP_22, contract_name: 'nft' };
const principals = [
  { wire: bytes(1), api: { type_id: 'principal_origin' } },
  { wire: bytes(2, account), api: { type_id: 'principal_standard', address: SP_22 } },
  { wire: bytes(3, account, name('v')), api: { type_id: 'principal_contract', address: SP_22, contract_name: 'v' } },
];
const amountCodes: [number, string][] = [
  [1, 'sent_equal_to'],
  [2, 'sent_greater_than'],
  [3, 'sent_greater_than_or_equal_to'],
  [4, 'sent_less_than'],
  [5, 'sent_less_than_or_equal_to'],
];

function apiText(...conditions: Uint8Array[]): string {
  const result = decodePostConditions(bytes(2, u32(conditions.length), ...conditions));
  if (!result.ok) assert.fail(JSON.stringify(result.error));
  return JSON.stringify(result.value.conditions.map(postConditionToApi));
}

for (const principal of principals) {
  const of = principal.api.type_id;

  test(`STX and staking conditions of ${of}, every code, keys in the served order`, () => {
    for (const [code, condition_code] of amountCodes) {
      for (const [kind, type] of [
        [0, 'stx'],
        [3, 'staking'],
      ] as const) {
        const expected = { principal: principal.api, condition_code, amount: '1001', type };
        assert.equal(apiText(bytes(kind, principal.wire, code, u64(1001))), JSON.stringify([expected]));
      }
    }
  });

  test(`fungible conditions of ${of}, every code, keys in the served order`, () => {
    for (const [code, condition_code] of amountCodes) {
      const amount = '18446744073709551615';
      const expected = { principal: principal.api, condition_code, amount, type: 'fungible', asset: assetApi };
      const wire = bytes(1, principal.wire, asset, code, u64(0xffff_ffff_ffff_ffffn));
      assert.equal(apiText(wire), JSON.stringify([expected]));
    }
  });

  test(`non-fungible conditions of ${of}, every code, keys in the served order`, () => {
    for (const [code, condition_code] of [
      [0x10, 'sent'],
      [0x11, 'not_sent'],
      [0x12, 'maybe_sent'],
    ] as const) {
      const wire = bytes(2, principal.wire, asset, 0x01, filled(15, 0), 9, code);
      const asset_value = { hex: '0x0100000000000000000000000000000009', repr: 'u9' };
      const expected = { principal: principal.api, condition_code, type: 'non_fungible', asset_value, asset: assetApi };
      assert.equal(apiText(wire), JSON.stringify([expected]));
    }
  });

  test(`pox conditions of ${of}, every code, keys in the served order`, () => {
    for (const [code, condition_code] of [
      [0x30, 'not_performed'],
      [0x31, 'maybe_performed'],
      [0x32, 'performed'],
    ] as const) {
      const expected = { principal: principal.api, condition_code, type: 'pox' };
      assert.equal(apiText(bytes(4, principal.wire, code)), JSON.stringify([expected]));
    }
  });
}

test('condition codes that this version does not know are kept and shown', () => {
  assert.match(apiText(bytes(4, 1, 0x7f)), /"condition_code":"unknown_127"/);
});

test('an amount is compared in one of five ways: another code is an error', () => {
  for (const code of [0, 6, 0x10])
    assert.equal(decodePostConditions(bytes(2, u32(1), bytes(0, 1, code, u64(5)))).ok, false);
});

test('several conditions keep their order', () => {
  const types = JSON.parse(apiText(bytes(4, 1, 0x30), bytes(0, 1, 1, u64(5)), bytes(3, 1, 1, u64(6))));
  assert.deepEqual(
    types.map((condition: { type: string }) => condition.type),
    ['pox', 'stx', 'staking'],
  );
});

test('unknown kinds and principals are errors, as their layout is unknown', () => {
  const codeOf = (condition: Uint8Array) => {
    const result = decodePostConditions(bytes(2, u32(1), condition));
    return result.ok ? 'decoded' : result.error.code;
  };
  assert.equal(codeOf(bytes(5, 1, 1, u64(1))), 'invalid_prefix');
  assert.equal(codeOf(bytes(0, 0, 1, u64(1))), 'invalid_prefix');
  assert.equal(codeOf(bytes(0, 4, 1, u64(1))), 'invalid_prefix');
});

test('an asset value nested deeper than 64 levels is an error', () => {
  const nested = bytes(2, u32(1), 2, 1, asset, filled(64, 0x0a), 0x03, 0x10);
  const result = decodePostConditions(nested);
  assert.equal(!result.ok && result.error.code, 'too_deep');
});
