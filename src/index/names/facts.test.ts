import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import {
  encodeClarityAscii,
  encodeClarityBuffer,
  encodeClarityPrincipal,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../base/codec/index.ts';
import { fromHex, toHex } from '../../base/lib/hex.ts';
import type { TransactionFacts } from '../../ingest/chain/block-facts.ts';
import { bnsContract, decodeTuple, type NameSource, nameFacts, nameSource } from './facts.ts';
import { nameToken } from './token.ts';

const APE_MEGA = '0x0c00000002046e616d650200000003617065096e616d65737061636502000000046d656761';
const OWNER = 'SP3AMDH2ZZB8XQK467V9HV5CRQF2RPBZ4MDMSBHJZ';

const transaction = (...events: object[]): NameSource =>
  nameSource({
    events: events.map((event, index) => ({ index, ...event })),
    status: 'success',
    transaction: { payload: { kind: 'coinbase' }, origin: { address: OWNER } },
  } as unknown as TransactionFacts);

const log = (value: string) => ({ kind: 'log', contractId: bnsContract('mainnet'), topic: 'print', value });

test('the NFT value of ape.mega is its name, and its name is the NFT value', () => {
  const tuple = decodeTuple(APE_MEGA);
  const token = tuple && nameToken(tuple);
  assert.equal(token?.text, 'ape.mega');
  assert.equal(token && toHex(token.bytes), APE_MEGA);
});

describe('a name', () => {
  const tuple = (name: Uint8Array, namespace = Buffer.from('x')) =>
    decodeTuple(
      toHex(encodeClarityTuple({ name: encodeClarityBuffer(name), namespace: encodeClarityBuffer(namespace) })),
    );
  const tokenOf = (...args: Parameters<typeof tuple>) => {
    const value = tuple(...args);
    return value && nameToken(value);
  };

  test('has up to 48 bytes, its namespace up to 20', () => {
    assert.ok(tokenOf(Buffer.alloc(48, 'a'), Buffer.alloc(20, 'b')));
    assert.equal(tokenOf(Buffer.alloc(49, 'a')), undefined);
    assert.equal(tokenOf(Buffer.from('a'), Buffer.alloc(21, 'b')), undefined);
  });

  test('is shown as UTF-8, without NUL', () => {
    assert.equal(tokenOf(Buffer.from('\0é\0'))?.text, 'é.x');
  });
});

test('only prints and NFTs of BNS on this network tell of names', () => {
  const nft = {
    kind: 'nft',
    action: 'mint',
    asset: 'SP000000000000000000002Q6VF78.bns::names',
    value: APE_MEGA,
    sender: null,
    recipient: OWNER,
  } as const;
  assert.equal(nameFacts(transaction(nft), 'mainnet').length, 1);
  assert.equal(nameFacts(transaction(nft), 'testnet').length, 0);
  assert.equal(nameFacts(transaction({ ...nft, asset: `${OWNER}.bns::names` }), 'mainnet').length, 0);
});

const operationValue = {
  hash: encodeClarityBuffer(new Uint8Array(20)),
  metadata: {
    name: encodeClarityBuffer(Buffer.from('ape')),
    namespace: encodeClarityBuffer(Buffer.from('mega')),
    op: encodeClarityAscii('name-register'),
    'tx-sender': encodeClarityPrincipal(OWNER),
  },
};

test('of a contract that operates on a name only the address counts', () => {
  const metadata = { ...operationValue.metadata, 'tx-sender': encodeClarityPrincipal(`${OWNER}.registrar`) };
  const attachment = encodeClarityTuple({ hash: operationValue.hash, metadata: encodeClarityTuple(metadata) });
  const [fact] = nameFacts(transaction(log(toHex(encodeClarityTuple({ attachment })))), 'mainnet');
  assert.equal(fact?.kind === 'operation' && fact.sender, OWNER);
});

test('a print that lacks a member, or has one of another type, tells nothing', () => {
  const value = (hash: Uint8Array, metadata: Record<string, Uint8Array>) =>
    toHex(encodeClarityTuple({ attachment: encodeClarityTuple({ hash, metadata: encodeClarityTuple(metadata) }) }));
  const { hash, metadata } = operationValue;
  assert.equal(nameFacts(transaction(log(value(hash, metadata))), 'mainnet').length, 1);
  const wrong = [
    value(encodeClarityUint(1), metadata),
    ...Object.keys(metadata).map(key => value(hash, { ...metadata, [key]: encodeClarityUint(1) })),
    ...Object.keys(metadata).map(key =>
      value(hash, Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== key))),
    ),
  ];
  for (const print of wrong) assert.deepEqual(nameFacts(transaction(log(print)), 'mainnet'), []);
});

test('any bytes give a response, whether printed, as an NFT value or as both', () => {
  const hostile = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    // Good prints with some bytes changed reach the deeper checks.
    fc.tuple(fc.nat({ max: 40 }), fc.nat({ max: 255 })).map(([at, byte]) => {
      const bytes = Uint8Array.from(fromHex(APE_MEGA) ?? []);
      bytes[at % bytes.length] = byte;
      return bytes;
    }),
  );
  fc.assert(
    fc.property(hostile, bytes => {
      const value = toHex(bytes);
      const nft = {
        kind: 'nft',
        action: 'mint',
        asset: `${bnsContract('mainnet')}::names`,
        value,
        sender: null,
        recipient: OWNER,
      } as const;
      nameFacts(transaction(log(value), nft), 'mainnet');
    }),
    { numRuns: 2000 },
  );
});
