import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getAddressFromPrivateKey, makeSTXTokenTransfer } from '@stacks/transactions';
import fc from '../../test/support/fast-check.ts';
import { accountOf, signTransfer } from './transfer.ts';

const RECIPIENTS = [
  'ST2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1HR05NNC',
  'ST2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1HR05NNC.a-contract',
];

test('a transfer is byte for byte what @stacks/transactions makes', async () => {
  const u64 = fc.bigInt({ min: 0n, max: 2n ** 63n });
  const keys = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .filter(key => key.some(byte => byte > 0) && (key[0] ?? 255) < 255);
  await fc.assert(
    fc.asyncProperty(
      keys,
      fc.constantFrom(...RECIPIENTS),
      u64,
      u64,
      u64,
      async (key, recipient, amount, fee, nonce) => {
        const hex = `${Buffer.from(key).toString('hex')}01`;
        const account = accountOf(hex);
        assert.equal(account.address, getAddressFromPrivateKey(hex, 'testnet'));
        const { txId, raw } = await signTransfer(account, {
          chainId: 0x80000000,
          recipient,
          amount,
          fee,
          nonce,
          memo: 'faucet',
        });
        const expected = await makeSTXTokenTransfer({
          recipient,
          amount,
          fee,
          nonce,
          memo: 'faucet',
          senderKey: hex,
          network: 'testnet',
        });
        assert.equal(Buffer.from(raw).toString('hex'), expected.serialize());
        assert.equal(txId, `0x${expected.txid()}`);
      },
    ),
    { numRuns: 30 },
  );
});
