import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cl, getAddressFromPrivateKey, makeContractCall, makeSTXTokenTransfer, Pc } from '@stacks/transactions';
import fc from '../../../test/support/fast-check.ts';
import { type Contents, stxTransfer, tokenTransfer } from './payloads.ts';
import { accountOf, signTransaction } from './transaction.ts';

const RECIPIENTS = [
  'ST2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1HR05NNC',
  'ST2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1HR05NNC.a-contract',
];
const [TOKEN_ADDRESS, TOKEN_CONTRACT, TOKEN_ASSET] = [
  'ST2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1HR05NNC',
  'sbtc-token',
  'sbtc-token!',
];
const U64 = fc.bigInt({ min: 0n, max: 2n ** 63n });
const KEYS = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter(key => key.some(byte => byte > 0) && (key[0] ?? 255) < 255)
  .map(key => `${Buffer.from(key).toString('hex')}01`);
const TRANSFERS = fc.record({
  key: KEYS,
  recipient: fc.constantFrom(...RECIPIENTS),
  amount: U64,
  fee: U64,
  nonce: U64,
});

/** As it is sent, in hex, and its id. */
async function signed(key: string, fee: bigint, nonce: bigint, contents: Contents): Promise<[string, string]> {
  const { raw, txId } = await signTransaction(accountOf(key), { chainId: 0x80000000, fee, nonce, ...contents });
  return [Buffer.from(raw).toString('hex'), txId];
}

test('a transfer of STX is byte for byte what @stacks/transactions makes', async () => {
  await fc.assert(
    fc.asyncProperty(TRANSFERS, async ({ key, recipient, amount, fee, nonce }) => {
      assert.equal(accountOf(key).address, getAddressFromPrivateKey(key, 'testnet'));
      const common = { fee, nonce, memo: 'faucet', senderKey: key, network: 'testnet' } as const;
      const expected = await makeSTXTokenTransfer({ recipient, amount, ...common });
      const made = await signed(key, fee, nonce, stxTransfer(recipient, amount, 'faucet'));
      assert.deepEqual(made, [expected.serialize(), `0x${expected.txid()}`]);
    }),
    { numRuns: 30 },
  );
});

test('a transfer of a token is byte for byte what @stacks/transactions makes, its post-condition included', async () => {
  await fc.assert(
    fc.asyncProperty(TRANSFERS, async ({ key, recipient, amount, fee, nonce }) => {
      const from = getAddressFromPrivateKey(key, 'testnet');
      const contract = `${TOKEN_ADDRESS}.${TOKEN_CONTRACT}` as const;
      const expected = await makeContractCall({
        contractAddress: TOKEN_ADDRESS,
        contractName: TOKEN_CONTRACT,
        functionName: 'transfer',
        functionArgs: [Cl.uint(amount), Cl.principal(from), Cl.principal(recipient), Cl.none()],
        postConditions: [Pc.origin().willSendEq(amount).ft(contract, TOKEN_ASSET)],
        senderKey: key,
        network: 'testnet',
        fee,
        nonce,
      });
      const contents = tokenTransfer(`${contract}::${TOKEN_ASSET}`, from, recipient, amount);
      const made = await signed(key, fee, nonce, contents);
      assert.deepEqual(made, [expected.serialize(), `0x${expected.txid()}`]);
    }),
    { numRuns: 30 },
  );
});
