import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Cl, serializeCVBytes } from '@stacks/transactions';
import fc from '../../../test/support/fast-check.ts';
import { assertLinearTime } from '../../../test/support/linear-time.ts';
import { scale } from '../../../test/support/scale.ts';
import {
  bytes,
  filled,
  multiSig,
  name,
  singleSig,
  sponsoredAuth,
  u32,
  u64,
  wireTransaction,
} from '../../../test/support/wire-transaction.ts';
import type { Result } from '../lib/result.ts';
import { type DecodeError, MAX_DEPTH, MAX_INPUT_BYTES } from './byte-cursor.ts';
import { decodeClarityArgs } from './clarity/args.ts';
import { decodeClarityValue } from './clarity/decode.ts';
import { decodeShortTexts } from './clarity/members.ts';
import { clarityRepr } from './clarity/repr.ts';
import { clarityTypeName } from './clarity/type-name.ts';
import { decodeNakamotoBlock } from './nakamoto-block.ts';
import { decodePostConditions } from './post-condition.ts';
import { postConditionToApi } from './post-condition-api.ts';
import { decodePoxEvent } from './pox-event.ts';
import { decodeTransaction } from './transaction/decode.ts';

const RUNS = scale === 'short' ? 500 : 1500;

type Decoder = (bytes: Uint8Array) => Result<unknown, DecodeError>;

const decoders: Record<string, Decoder> = {
  decodeTransaction,
  decodeClarityValue,
  clarityRepr,
  clarityTypeName,
  decodeClarityArgs,
  decodeShortTexts: input => decodeShortTexts(input, 64),
  decodePostConditions,
  decodeNakamotoBlock,
  decodePoxEvent: input => decodePoxEvent(input, 'mainnet'),
};
const valueDecoders = { decodeClarityValue, clarityRepr, clarityTypeName };

const account = bytes(22, filled(20, 0x22));
const asset = bytes(account, name('nft'), name('ape'));
const value = serializeCVBytes(
  Cl.ok(
    Cl.tuple({
      a: Cl.list([Cl.uint(1)]),
      b: Cl.stringUtf8('é'),
      c: Cl.some(Cl.principal('SP000000000000000000002Q6VF78')),
    }),
  ),
);
const call = bytes(0x02, account, name('token'), name('transfer'), u32(2), value, 0x09);
const header = bytes(
  ...[0, u64(7), u64(1), filled(116, 3), u64(9), filled(65, 1), u32(1), filled(65, 2)],
  ...[0, 4, u32(1), 5],
);
const seeds = [
  bytes(header, u32(2), wireTransaction(), wireTransaction()),
  value,
  bytes(u32(2), value, value),
  bytes(2, u32(2), bytes(2, 1, asset, value, 0x10), bytes(0, 2, account, 1, u64(5))),
  wireTransaction({ payload: call }),
  wireTransaction({ payload: bytes(0x08, filled(32, 0), 0x0a, 0x05, account, filled(80, 1)) }),
  wireTransaction({
    auth: sponsoredAuth(multiSig(5), singleSig(0)),
    postConditions: [bytes(2, 3, account, name('v'), asset, value, 0x11), bytes(1, 1, asset, 5, u64(9))],
  }),
];

/** A valid input with some bytes overwritten, then cut. */
const mutated = fc
  .tuple(
    fc.constantFrom(...seeds),
    fc.array(fc.tuple(fc.nat(400), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
    fc.option(fc.nat(400)),
  )
  .map(([seed, changes, length]) => {
    const copy = Uint8Array.from(seed);
    for (const [at, byte] of changes) copy[at % copy.length] = byte;
    return length === null ? copy : copy.subarray(0, length);
  });

/** Bytes that look like the start of something: prefixes and small counts are frequent. */
const smallBytes = fc.array(fc.oneof(fc.nat(0x10), fc.nat(255)), { maxLength: 120 }).map(list => Uint8Array.from(list));

function isOutcome(result: Result<unknown, DecodeError>): boolean {
  if (result.ok) return true;
  return result.error.message !== '' && result.error.offset >= 0;
}

describe('any bytes give a value or an error value', () => {
  for (const [label, decode] of Object.entries(decoders)) {
    test(`${label}: random bytes`, () => {
      fc.assert(
        fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), smallBytes), input => isOutcome(decode(input))),
        { numRuns: RUNS },
      );
    });

    test(`${label}: valid bytes, damaged and cut`, () => {
      fc.assert(
        fc.property(mutated, input => isOutcome(decode(input))),
        { numRuns: RUNS },
      );
    });
  }

  test('what decodes can also be shown: argument types and post conditions of damaged transactions', () => {
    fc.assert(
      fc.property(mutated, input => {
        const result = decodeTransaction(input);
        if (!result.ok) return;
        for (const condition of result.value.postConditions) JSON.stringify(postConditionToApi(condition));
        const { payload } = result.value;
        if (payload.kind === 'contract_call') for (const arg of payload.args) assert.ok(arg.typeName !== '');
      }),
      { numRuns: RUNS },
    );
  });
});

test('the tree, the repr, the type name and the short texts accept the same bytes and fail at the same place', () => {
  fc.assert(
    fc.property(fc.oneof(mutated, smallBytes), input => {
      const tree = decodeClarityValue(input);
      for (const other of [clarityRepr(input), clarityTypeName(input), decodeShortTexts(input, 64)]) {
        assert.equal(other.ok, tree.ok);
        if (!other.ok && !tree.ok) assert.deepEqual(other.error, tree.error);
      }
    }),
    { numRuns: RUNS },
  );
});

/** In the short form a sixteenth of what is allowed: the time is linear. */
const LARGEST = (scale === 'short' ? MAX_INPUT_BYTES / 16 : MAX_INPUT_BYTES) - 5;

describe('hostile Clarity values', () => {
  for (const [label, decode] of Object.entries(valueDecoders)) {
    test(`${label}: ${MAX_DEPTH} levels are read, one more is an error`, () => {
      const nested = (levels: number) => bytes(filled(levels - 1, 0x0a), 0x03);
      assert.equal(decode(nested(MAX_DEPTH)).ok, true);
      const deeper = decode(nested(MAX_DEPTH + 1));
      assert.equal(!deeper.ok && deeper.error.code, 'too_deep');
      const lists = decode(Buffer.from('0b00000001'.repeat(1_000_000), 'hex'));
      assert.equal(!lists.ok && lists.error.code, 'too_deep');
    });

    test(`${label}: a count or length beyond the input fails at once`, () => {
      for (const prefix of [0x02, 0x0b, 0x0c, 0x0d, 0x0e]) {
        const result = decode(bytes(prefix, u32(0xffffffff), filled(100, 0x03)));
        assert.equal(!result.ok && result.error.code, 'truncated', `prefix ${prefix}`);
      }
    });

    test(`${label}: unknown prefixes, addresses and names are errors`, () => {
      for (let prefix = 0x0f; prefix < 256; prefix++) {
        const result = decode(bytes(prefix, filled(40, 0)));
        assert.equal(!result.ok && result.error.code, 'invalid_prefix');
      }
      const address = decode(bytes(0x05, 32, filled(20, 0)));
      assert.equal(!address.ok && address.error.code, 'invalid_address');
      const key = decode(bytes(0x0c, u32(1), name('a b'), 0x03));
      assert.equal(!key.ok && key.error.code, 'invalid_name');
    });

    test(`${label}: inputs up to the largest are read in time linear in their size`, () => {
      const inputs: readonly ((size: number) => Uint8Array)[] = [
        size => bytes(0x0b, u32(size), filled(size, 0x03)), // a list of booleans
        size => bytes(0x0e, u32(size), filled(size, 0xff)), // malformed UTF-8
        size => bytes(0x0c, u32(Math.floor(size / 3)), Buffer.alloc(size - (size % 3), '\x01a\x03')), // a tuple of one name
      ];
      for (const input of inputs) {
        assert.ok(decode(input(LARGEST)).ok);
        assertLinearTime(MAX_INPUT_BYTES / 32, input, each => assert.ok(decode(each).ok));
      }
      assert.equal(decode(new Uint8Array(MAX_INPUT_BYTES + 1)).ok, false);
    });
  }
});
