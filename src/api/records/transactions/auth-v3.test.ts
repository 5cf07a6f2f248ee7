import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  multiSig,
  singleSig,
  sponsoredAuth,
  standardAuth,
  wireTransaction,
} from '../../../../test/support/wire-transaction.ts';
import { toHex } from '../../../base/lib/hex.ts';
import { authV3 } from './auth-v3.ts';

const one = (hash_mode: string) => ({ hash_mode, signatures_required: 1, signatures_given: 1, keys: 1 });
const twoOfFour = (hash_mode: string) => ({ hash_mode, signatures_required: 2, signatures_given: 2, keys: 4 });

test('the bytes of a transaction say how its sender and its sponsor sign, in every hash mode', () => {
  for (const [condition, said] of [
    [singleSig(0), one('p2pkh')],
    [singleSig(2), one('p2wpkh_p2sh')],
    [multiSig(1), twoOfFour('p2sh')],
    [multiSig(3), twoOfFour('p2wsh_p2sh')],
    [multiSig(5), twoOfFour('p2sh_non_sequential')],
    [multiSig(7), twoOfFour('p2wsh_non_sequential')],
  ] as const) {
    const bytes = wireTransaction({ auth: standardAuth(condition) });
    assert.deepEqual(authV3(toHex(bytes)), { size: bytes.length, sender: said, sponsor: null });
    const sponsored = wireTransaction({ auth: sponsoredAuth(singleSig(0), condition) });
    assert.deepEqual(authV3(toHex(sponsored)), { size: sponsored.length, sender: one('p2pkh'), sponsor: said });
  }
});

test('an operation of Bitcoin, which has no bytes, has no authorisation', () => {
  assert.equal(authV3('0x00'), undefined);
  assert.equal(authV3(undefined), undefined);
});
