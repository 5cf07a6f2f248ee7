import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Cl,
  ClarityVersion,
  makeUnsignedContractCall,
  makeUnsignedContractDeploy,
  makeUnsignedSTXTokenTransfer,
  Pc,
  PostConditionMode,
  type StacksTransactionWire,
} from '@stacks/transactions';
import fc from '../../../../test/support/fast-check.ts';
import { encodeAddress } from '../principal.ts';
import { type DecodedTransaction, decodeTransaction } from './decode.ts';

const KEYS = [
  '03ef788b3830c00abe8f64f62dc32fc863bc0b2cafeb073b6c8e1c7657d9c2c3ab',
  '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5',
] as const;

const u64s = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const names = fc.string({ unit: fc.constantFrom(...'abcdefXYZ'), minLength: 1, maxLength: 40 });
const mainnetAddresses = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hash => encodeAddress(22, hash));
const recipients = fc.oneof(
  mainnetAddresses,
  fc.tuple(mainnetAddresses, names).map(([address, name]) => `${address}.${name}`),
);
const network = fc.constantFrom('mainnet', 'testnet');
const shared = { network, nonce: u64s, fee: u64s, sponsored: fc.boolean() };
/** Single signature, and two of three. */
const common = fc.oneof(
  fc.record({ ...shared, publicKey: fc.constant<string>(KEYS[0]) }),
  fc.record({ ...shared, publicKeys: fc.constant<string[]>([...KEYS]), numSignatures: fc.constant(2) }),
);

function decodedLike(wire: StacksTransactionWire): DecodedTransaction {
  const result = decodeTransaction(wire.serializeBytes());
  if (!result.ok) assert.fail(JSON.stringify(result.error));
  const tx = result.value;
  assert.equal(tx.txId, `0x${wire.txid()}`);
  assert.equal(tx.version, wire.transactionVersion);
  assert.equal(tx.chainId, wire.chainId);
  assert.equal(tx.anchorMode, wire.anchorMode);
  const condition = wire.auth.spendingCondition;
  assert.equal(tx.origin.hashMode, condition.hashMode);
  assert.equal(tx.origin.signerHash, `0x${condition.signer}`);
  assert.equal(tx.origin.nonce, BigInt(condition.nonce));
  assert.equal(tx.origin.fee, BigInt(condition.fee));
  assert.equal(tx.sponsor !== null, 'sponsorSpendingCondition' in wire.auth);
  return tx;
}

test('transfers made by @stacks/transactions decode to what they were made from', async () => {
  const memos = fc.string({ unit: 'grapheme-ascii', maxLength: 34 });
  await fc.assert(
    fc.asyncProperty(common, recipients, u64s, memos, async (options, recipient, amount, memo) => {
      const tx = decodedLike(await makeUnsignedSTXTokenTransfer({ ...options, recipient, amount, memo }));
      assert.deepEqual(tx.payload, {
        kind: 'token_transfer',
        typeId: 0,
        recipient,
        amount,
        memo: `0x${Buffer.from(memo).toString('hex').padEnd(68, '0')}`,
      });
    }),
  );
});

test('calls made by @stacks/transactions decode to what they were made from', async () => {
  const contract = fc.record({ contractAddress: mainnetAddresses, contractName: names, functionName: names });
  const modes = fc.constantFrom(PostConditionMode.Allow, PostConditionMode.Deny);
  await fc.assert(
    fc.asyncProperty(common, contract, modes, u64s, async (options, target, postConditionMode, amount) => {
      const postConditions = [
        Pc.principal(target.contractAddress).willSendLte(amount).ustx(),
        Pc.origin().willSendEq(amount).ft(`${target.contractAddress}.tok`, 'coin'),
        Pc.origin().willNotSendAsset().nft(`${target.contractAddress}.nft`, 'ape', Cl.uint(amount)),
      ];
      const functionArgs = [Cl.uint(amount), Cl.none()];
      const made = { ...options, ...target, functionArgs, postConditions, postConditionMode };
      const tx = decodedLike(await makeUnsignedContractCall(made));
      assert.ok(tx.payload.kind === 'contract_call');
      assert.equal(tx.payload.contractId, `${target.contractAddress}.${target.contractName}`);
      assert.equal(tx.payload.functionName, target.functionName);
      assert.deepEqual(
        tx.payload.args.map(arg => arg.repr),
        [`u${amount}`, 'none'],
      );
      assert.equal(tx.postConditionMode, postConditionMode);
      const principal = { kind: 'standard', address: target.contractAddress };
      const origin = { kind: 'origin' };
      const asset = { contractAddress: target.contractAddress, contractName: 'tok', assetName: 'coin' };
      const nft = tx.postConditions[2];
      assert.deepEqual(tx.postConditions.slice(0, 2), [
        { kind: 'stx', principal, conditionCode: 5, amount },
        { kind: 'fungible', principal: origin, asset, conditionCode: 1, amount },
      ]);
      assert.ok(nft?.kind === 'non_fungible');
      assert.equal(nft.assetValue.repr, `u${amount}`);
      assert.equal(nft.conditionCode, 0x11);
    }),
  );
});

test('deploys made by @stacks/transactions decode to what they were made from', async () => {
  const versions = fc.constantFrom(ClarityVersion.Clarity1, ClarityVersion.Clarity3, ClarityVersion.Clarity4);
  const sources = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(common, names, sources, versions, async (options, contractName, codeBody, clarityVersion) => {
      const tx = decodedLike(await makeUnsignedContractDeploy({ ...options, contractName, codeBody, clarityVersion }));
      const expected = { kind: 'smart_contract', typeId: 6, name: contractName, source: codeBody, clarityVersion };
      assert.deepEqual(tx.payload, expected);
    }),
  );
});
