import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  bytes,
  filled,
  longText,
  multiSig,
  name,
  singleSig,
  sponsoredAuth,
  standardAuth,
  standardPrincipal,
  transferPayload,
  u32,
  u64,
  type WireParts,
  wireTransaction,
} from '../../../../test/support/wire-transaction.ts';
import { rawHex } from '../../lib/hex.ts';
import { type DecodedTransaction, decodeTransaction } from './decode.ts';

function decoded(parts: WireParts = {}): DecodedTransaction {
  const result = decodeTransaction(wireTransaction(parts));
  if (!result.ok) assert.fail(JSON.stringify(result.error));
  return result.value;
}

function errorCode(wire: Uint8Array): string {
  const result = decodeTransaction(wire);
  return result.ok ? 'decoded' : result.error.code;
}

const SP_22 = 'SPH248H248H248H248H248H248H248H249PPB6QW'; // version 22, hash of 20 bytes 0x22

describe('envelope', () => {
  test('the id is the SHA-512/256 of all bytes, also of those after the payload', () => {
    for (const wire of [wireTransaction(), bytes(wireTransaction(), 'trailing')]) {
      const result = decodeTransaction(wire);
      assert.ok(result.ok);
      assert.equal(result.value.txId, `0x${createHash('sha512-256').update(wire).digest('hex')}`);
    }
  });

  test('version, chain id and modes are kept as numbers, unknown ones too', () => {
    const tx = decoded({ version: 0x80, chainId: 0x80000000, anchorMode: 9, postConditionMode: 3 });
    assert.equal(tx.version, 0x80);
    assert.equal(tx.chainId, 0x80000000);
    assert.equal(tx.anchorMode, 9);
    assert.equal(tx.postConditionMode, 3);
    assert.equal(decoded({ postConditionMode: 77 }).postConditionMode, 77);
    assert.equal(decoded({ chainId: 0 }).chainId, 0);
  });

  test('modes of zero and unknown auth types are errors', () => {
    assert.equal(errorCode(wireTransaction({ anchorMode: 0 })), 'invalid_field');
    assert.equal(errorCode(wireTransaction({ postConditionMode: 0 })), 'invalid_field');
    assert.equal(errorCode(wireTransaction({ auth: bytes(0x06, singleSig(0)) })), 'invalid_prefix');
  });

  test('every truncation is an error that says truncated', () => {
    const wire = wireTransaction({ auth: sponsoredAuth(multiSig(1), singleSig(0)) });
    for (let length = 0; length < wire.length; length++) {
      assert.equal(errorCode(wire.subarray(0, length)), 'truncated', `${length} of ${wire.length} bytes`);
    }
  });

  test('a claim of 2^32 - 1 post conditions, fields or arguments fails before anything is read', () => {
    const many = u32(0xffffffff);
    const head = bytes(0x00, u32(1), standardAuth(singleSig(0)), 3, 2);
    assert.equal(errorCode(bytes(head, many)), 'truncated');
    assert.equal(errorCode(bytes(0x00, u32(1), 0x04, 0x01, filled(36, 0), many)), 'truncated');
    const call = bytes(0x02, 22, filled(20, 1), name('c'), name('f'), many, filled(1000, 0x03));
    assert.equal(errorCode(bytes(head, u32(0), call)), 'truncated');
  });

  test('more than 8 MiB is refused', () => {
    assert.equal(errorCode(new Uint8Array(8 * 1024 * 1024 + 1)), 'too_large');
  });
});

describe('spending conditions', () => {
  const addresses = {
    mainnet: {
      0: 'SP8H248H248H248H248H248H248H248H24ARTQ82',
      2: 'SM8H248H248H248H248H248H248H248H26ZBYRS0',
    },
  };

  for (const [mode, keyEncoding] of [
    [0, 0],
    [0, 1],
    [2, 0],
  ] as const) {
    test(`single signature, hash mode ${mode}, key encoding ${keyEncoding}`, () => {
      const { origin, sponsor } = decoded({ auth: standardAuth(singleSig(mode, 7, 250, keyEncoding)) });
      assert.equal(sponsor, null);
      assert.equal(origin.kind, 'single_sig');
      assert.equal(origin.hashMode, mode);
      assert.equal(origin.signerHash, `0x${'11'.repeat(20)}`);
      assert.equal(origin.address.slice(0, 2), addresses.mainnet[mode].slice(0, 2));
      assert.equal(origin.nonce, 7n);
      assert.equal(origin.fee, 250n);
      assert.equal(origin.kind === 'single_sig' && origin.keyEncoding, keyEncoding);
      assert.equal(origin.kind === 'single_sig' && origin.signature, `0x${'01'.repeat(65)}`);
    });
  }

  test('the address of a known P2PKH signer', () => {
    assert.equal(decoded().origin.address, addresses.mainnet[0]);
  });

  for (const mode of [1, 3, 5, 7]) {
    test(`multiple signatures, hash mode ${mode}`, () => {
      const { origin } = decoded({ auth: standardAuth(multiSig(mode)) });
      assert.ok(origin.kind === 'multi_sig');
      assert.equal(origin.hashMode, mode);
      assert.equal(origin.address.slice(0, 2), 'SM');
      assert.equal(origin.signaturesRequired, 2);
      assert.deepEqual(origin.fields, [
        { kind: 'signature', compressed: true, signature: `0x${'31'.repeat(65)}` },
        { kind: 'signature', compressed: false, signature: `0x${'32'.repeat(65)}` },
        { kind: 'public_key', compressed: true, publicKey: `0x${'02'.repeat(33)}` },
        { kind: 'public_key', compressed: false, publicKey: `0x${'03'.repeat(33)}` },
      ]);
    });
  }

  test('addresses follow the version byte: ST and SN on testnet', () => {
    const single = decoded({ version: 0x80 }).origin.address;
    const multi = decoded({ version: 0x80, auth: standardAuth(multiSig(1)) }).origin.address;
    assert.equal(single.slice(0, 2), 'ST');
    assert.equal(multi.slice(0, 2), 'SN');
  });

  test('a sponsored transaction has the origin first and the sponsor second', () => {
    const tx = decoded({ auth: sponsoredAuth(singleSig(0, 1, 0), multiSig(5, 99, 3000)) });
    assert.equal(tx.origin.nonce, 1n);
    assert.equal(tx.origin.fee, 0n);
    assert.equal(tx.sponsor?.nonce, 99n);
    assert.equal(tx.sponsor?.fee, 3000n);
    assert.equal(tx.sponsor?.kind, 'multi_sig');
  });

  test('nonce and fee keep all 64 bits', () => {
    const max = 0xffff_ffff_ffff_ffffn;
    const condition = bytes(0, filled(20, 0x11), u64(max), u64(max), 0, filled(65, 1));
    const { origin } = decoded({ auth: standardAuth(condition) });
    assert.equal(origin.nonce, max);
    assert.equal(origin.fee, max);
  });

  test('hash modes 4, 6 and above, and uncompressed keys where they cannot be, are errors', () => {
    for (const mode of [4, 6, 8, 255]) {
      assert.equal(errorCode(wireTransaction({ auth: standardAuth(singleSig(mode)) })), 'invalid_field');
    }
    assert.equal(errorCode(wireTransaction({ auth: standardAuth(singleSig(2, 7, 250, 1)) })), 'invalid_field');
    assert.equal(errorCode(wireTransaction({ auth: standardAuth(singleSig(0, 7, 250, 2)) })), 'invalid_field');
  });
});

describe('payloads', () => {
  const payloadOf = (payload: Uint8Array) => decoded({ payload }).payload;

  test('token transfer to an account, memo with its padding', () => {
    assert.deepEqual(payloadOf(transferPayload), {
      kind: 'token_transfer',
      typeId: 0,
      recipient: SP_22,
      amount: 1_000_000n,
      memo: `0x68656c6c6f${'00'.repeat(29)}`,
    });
  });

  test('token transfer to a contract', () => {
    const payload = bytes(0x00, 0x06, 22, filled(20, 0x22), name('vault'), u64(1), filled(34, 0xff));
    const decodedPayload = payloadOf(payload);
    assert.ok(decodedPayload.kind === 'token_transfer');
    assert.equal(decodedPayload.recipient, `${SP_22}.vault`);
    assert.equal(decodedPayload.memo, `0x${'ff'.repeat(34)}`);
  });

  test('plain deploy has no Clarity version', () => {
    assert.deepEqual(payloadOf(bytes(0x01, name('counter'), longText('(ok "é")'))), {
      kind: 'smart_contract',
      typeId: 1,
      name: 'counter',
      source: '(ok "é")',
      clarityVersion: null,
    });
  });

  for (const version of [1, 2, 3, 4, 5, 6, 200]) {
    test(`deploy with Clarity version ${version}`, () => {
      assert.deepEqual(payloadOf(bytes(0x06, version, name('c'), longText('x'))), {
        kind: 'smart_contract',
        typeId: 6,
        name: 'c',
        source: 'x',
        clarityVersion: version,
      });
    });
  }

  test('contract call with its arguments: exact bytes, repr and type', () => {
    const args = [bytes(0x01, filled(15, 0), 5), bytes(0x0a, 0x03), bytes(0x02, u32(0))];
    const call = bytes(0x02, 22, filled(20, 0x22), name('token'), name('transfer!'), u32(3), ...args);
    const payload = payloadOf(call);
    assert.ok(payload.kind === 'contract_call');
    assert.equal(payload.contractId, `${SP_22}.token`);
    assert.equal(payload.functionName, 'transfer!');
    assert.deepEqual(
      payload.args.map(({ hex, repr, typeName }) => ({ hex, repr, typeName })),
      [
        { hex: '0x0100000000000000000000000000000005', repr: 'u5', typeName: 'uint' },
        { hex: '0x0a03', repr: '(some true)', typeName: '(optional bool)' },
        { hex: '0x0200000000', repr: '0x', typeName: '(buff 0)' },
      ],
    );
  });

  test('poison microblock keeps both headers whole', () => {
    const [first, second] = [filled(132, 0xaa), filled(132, 0xbb)];
    assert.deepEqual(payloadOf(bytes(0x03, first, second)), {
      kind: 'poison_microblock',
      typeId: 3,
      header1: `0x${rawHex(first)}`,
      header2: `0x${rawHex(second)}`,
    });
  });

  test('coinbase: plain, to another recipient, and of Nakamoto with and without one', () => {
    const data = filled(32, 0xcd);
    const proof = filled(80, 0xee);
    const recipient = standardPrincipal(22, 0x22);
    const contract = bytes(0x06, 22, filled(20, 0x22), name('pool'));
    const common = { kind: 'coinbase', data: `0x${'cd'.repeat(32)}` };
    const vrfProof = `0x${'ee'.repeat(80)}`;
    assert.deepEqual(payloadOf(bytes(0x04, data)), { ...common, typeId: 4, altRecipient: null, vrfProof: null });
    assert.deepEqual(payloadOf(bytes(0x05, data, contract)), {
      ...common,
      typeId: 5,
      altRecipient: `${SP_22}.pool`,
      vrfProof: null,
    });
    assert.deepEqual(payloadOf(bytes(0x08, data, 0x09, proof)), { ...common, typeId: 8, altRecipient: null, vrfProof });
    assert.deepEqual(payloadOf(bytes(0x08, data, 0x0a, recipient, proof)), {
      ...common,
      typeId: 8,
      altRecipient: SP_22,
      vrfProof,
    });
  });

  for (const cause of [0, 1, 2, 3, 4, 5, 6, 99]) {
    test(`tenure change with cause ${cause}`, () => {
      const hashes = [filled(20, 0xa1), filled(20, 0xa2), filled(20, 0xa3), filled(32, 0xa4)];
      assert.deepEqual(payloadOf(bytes(0x07, ...hashes, u32(99), cause, filled(20, 0xa5))), {
        kind: 'tenure_change',
        typeId: 7,
        tenureConsensusHash: `0x${'a1'.repeat(20)}`,
        previousTenureConsensusHash: `0x${'a2'.repeat(20)}`,
        burnViewConsensusHash: `0x${'a3'.repeat(20)}`,
        previousTenureEnd: `0x${'a4'.repeat(32)}`,
        previousTenureBlocks: 99,
        cause,
        publicKeyHash: `0x${'a5'.repeat(20)}`,
      });
    });
  }

  test('unknown payloads, Clarity version 0, bad principals and bad names are errors', () => {
    const codeOf = (payload: Uint8Array) => errorCode(wireTransaction({ payload }));
    assert.equal(codeOf(bytes(9)), 'invalid_prefix');
    assert.equal(codeOf(bytes(0x06, 0, name('a'), longText('x'))), 'invalid_field');
    assert.equal(codeOf(bytes(0x00, 0x07, 22, filled(20, 1))), 'invalid_prefix');
    assert.equal(codeOf(bytes(0x00, 0x05, 32, filled(20, 1))), 'invalid_address');
    assert.equal(codeOf(bytes(0x08, filled(32, 0), 0x0b)), 'invalid_prefix');
    assert.equal(codeOf(bytes(0x01, name(''), longText('x'))), 'invalid_name');
    assert.equal(codeOf(bytes(0x01, name('a'.repeat(129)), longText('x'))), 'invalid_name');
    assert.equal(codeOf(bytes(0x01, name('a.b'), longText('x'))), 'invalid_name');
    assert.equal(codeOf(bytes(0x01, name('a\0'), longText('x'))), 'invalid_name');
  });
});
