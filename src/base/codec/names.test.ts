import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorModeName, conditionCodeName, postConditionModeName, tenureCauseName } from './names.ts';

test('modes and causes have the texts of the API', () => {
  assert.deepEqual([1, 2, 3].map(anchorModeName), ['on_chain_only', 'off_chain_only', 'any']);
  assert.deepEqual([1, 2, 3].map(postConditionModeName), ['allow', 'deny', 'originator']);
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6].map(tenureCauseName), [
    'block_found',
    'extended',
    'extended_runtime',
    'extended_read_count',
    'extended_read_length',
    'extended_write_count',
    'extended_write_length',
  ]);
});

test('numbers that this version does not know are shown as such', () => {
  for (const nameOf of [anchorModeName, postConditionModeName, tenureCauseName, conditionCodeName]) {
    assert.equal(nameOf(200), 'unknown_200');
  }
});
