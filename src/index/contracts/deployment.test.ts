import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { interfaceText } from './deployment.ts';

test('keys of an interface are ordered by length, then by character, at every level, without whitespace', () => {
  const json = {
    non_fungible_tokens: [],
    functions: [
      { outputs: { type: { response: { error: 'uint128', ok: 'bool' } } }, name: 'f', access: 'public', args: [] },
    ],
    clarity_version: 'Clarity1',
    maps: [],
    epoch: 'Epoch30',
    fungible_tokens: [],
    variables: [{ type: 'uint128', name: 'v', access: 'variable' }],
  };
  assert.equal(
    interfaceText(json),
    '{"maps":[],"epoch":"Epoch30","functions":[{"args":[],"name":"f","access":"public","outputs":{"type":{"response":{"ok":"bool","error":"uint128"}}}}],"variables":[{"name":"v","type":"uint128","access":"variable"}],"clarity_version":"Clarity1","fungible_tokens":[],"non_fungible_tokens":[]}',
  );
});

test('the text of an interface holds all of it, whatever it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), json =>
      assert.equal(interfaceText(JSON.parse(interfaceText(json))), interfaceText(json)),
    ),
  );
  fc.assert(
    fc.property(fc.jsonValue(), json =>
      assert.deepEqual(JSON.parse(interfaceText(json)), JSON.parse(JSON.stringify(json))),
    ),
  );
});
