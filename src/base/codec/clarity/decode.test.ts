import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cl, cvToString, type ClarityValue as LibraryValue, serializeCVBytes } from '@stacks/transactions';
import fc from '../../../../test/support/fast-check.ts';
import { toHex } from '../../lib/hex.ts';
import { encodeAddress } from '../principal.ts';
import { decodeClarityArgs } from './args.ts';
import { type ClarityValue, decodeClarityValue } from './decode.ts';
import {
  encodeClarityArgs,
  encodeClarityAscii,
  encodeClarityBool,
  encodeClarityBuffer,
  encodeClarityInt,
  encodeClarityList,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
  encodeClarityUint,
} from './encode.ts';
import { clarityRepr } from './repr.ts';
import { clarityTypeName } from './type-name.ts';

/** A value in both worlds: ours and that of @stacks/transactions. */
interface Pair {
  readonly ours: ClarityValue;
  readonly library: LibraryValue;
}

const LETTERS = [...'abcXYZ'];
const names = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 12 });
const uints = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
const ints = fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n });
const addresses = fc
  .tuple(fc.constantFrom(22, 20, 26, 21), fc.uint8Array({ minLength: 20, maxLength: 20 }))
  .map(([version, hash]) => encodeAddress(version, hash));

const pairs = fc.letrec<{ pair: Pair; leaf: Pair }>(tie => ({
  leaf: fc.oneof(
    uints.map((value): Pair => ({ ours: { type: 'uint', value }, library: Cl.uint(value) })),
    ints.map((value): Pair => ({ ours: { type: 'int', value }, library: Cl.int(value) })),
    fc.boolean().map((value): Pair => ({ ours: { type: 'bool', value }, library: Cl.bool(value) })),
    fc.constant<Pair>({ ours: { type: 'none' }, library: Cl.none() }),
    fc
      .uint8Array({ maxLength: 40 })
      .map((value): Pair => ({ ours: { type: 'buffer', value }, library: Cl.buffer(value) })),
    addresses.map((value): Pair => ({ ours: { type: 'principal', value }, library: Cl.principal(value) })),
    fc.tuple(addresses, names).map(([address, name]): Pair => {
      const value = `${address}.${name}`;
      return { ours: { type: 'principal', value }, library: Cl.principal(value) };
    }),
    fc
      .string({ unit: 'grapheme-ascii', maxLength: 20 })
      .map((value): Pair => ({ ours: { type: 'string-ascii', value }, library: Cl.stringAscii(value) })),
    fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .map((value): Pair => ({ ours: { type: 'string-utf8', value }, library: Cl.stringUtf8(value) })),
  ),
  pair: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    tie('pair').map(({ ours, library }): Pair => ({ ours: { type: 'some', value: ours }, library: Cl.some(library) })),
    tie('pair').map(({ ours, library }): Pair => ({ ours: { type: 'ok', value: ours }, library: Cl.ok(library) })),
    tie('pair').map(({ ours, library }): Pair => ({ ours: { type: 'err', value: ours }, library: Cl.error(library) })),
    fc.array(tie('pair'), { maxLength: 4 }).map(
      (items): Pair => ({
        ours: { type: 'list', items: items.map(item => item.ours) },
        library: Cl.list(items.map(item => item.library)),
      }),
    ),
    fc.uniqueArray(fc.tuple(names, tie('pair')), { maxLength: 4, selector: ([name]) => name }).map((members): Pair => {
      const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
      return {
        ours: { type: 'tuple', entries: sorted.map(([name, pair]) => ({ name, value: pair.ours })) },
        library: Cl.tuple(Object.fromEntries(members.map(([name, pair]) => [name, pair.library]))),
      };
    }),
  ),
})).pair;

test('what @stacks/transactions serialises decodes to the same tree', () => {
  fc.assert(
    fc.property(pairs, ({ ours, library }) => {
      const decoded = decodeClarityValue(serializeCVBytes(library));
      assert.deepEqual(decoded, { ok: true, value: ours });
    }),
    { numRuns: 300 },
  );
});

test('the argument list gives back exactly the bytes of each value', () => {
  fc.assert(
    fc.property(fc.array(pairs, { maxLength: 5 }), list => {
      const values = list.map(pair => serializeCVBytes(pair.library));
      const decoded = decodeClarityArgs(encodeClarityArgs(values));
      assert.ok(decoded.ok);
      assert.deepEqual(
        decoded.value.map(arg => arg.hex),
        values.map(toHex),
      );
      for (const [i, value] of values.entries()) {
        assert.deepEqual(clarityRepr(value), { ok: true, value: decoded.value[i]?.repr });
        assert.deepEqual(clarityTypeName(value), { ok: true, value: decoded.value[i]?.typeName });
      }
    }),
  );
});

test('numbers, buffers, optionals, responses and filled lists print as in @stacks/transactions', () => {
  const numbers = fc.oneof(uints.map(Cl.uint), ints.map(Cl.int), fc.boolean().map(Cl.bool));
  const wrapped = fc.oneof(numbers, numbers.map(Cl.some), numbers.map(Cl.ok), numbers.map(Cl.error));
  const lists = fc.array(wrapped, { minLength: 1, maxLength: 5 }).map(items => Cl.list(items));
  fc.assert(
    fc.property(fc.oneof(wrapped, lists, fc.uint8Array({ maxLength: 9 }).map(Cl.buffer)), value => {
      assert.deepEqual(clarityRepr(serializeCVBytes(value)), { ok: true, value: cvToString(value) });
    }),
  );
});

test('our encoders write what @stacks/transactions writes', () => {
  fc.assert(
    fc.property(uints, ints, fc.uint8Array({ maxLength: 40 }), addresses, names, (uint, int, buffer, address, name) => {
      const contract = `${address}.${name}`;
      const pairs: [Uint8Array, LibraryValue][] = [
        [encodeClarityUint(uint), Cl.uint(uint)],
        [encodeClarityInt(int), Cl.int(int)],
        [encodeClarityBool(true), Cl.bool(true)],
        [encodeClarityBuffer(buffer), Cl.buffer(buffer)],
        [encodeClarityAscii(name), Cl.stringAscii(name)],
        [encodeClarityPrincipal(address), Cl.principal(address)],
        [encodeClarityPrincipal(contract), Cl.principal(contract)],
        [encodeClarityNone(), Cl.none()],
        [encodeClaritySome(encodeClarityUint(uint)), Cl.some(Cl.uint(uint))],
        [encodeClarityList([encodeClarityInt(int)]), Cl.list([Cl.int(int)])],
        [
          encodeClarityTuple({ version: encodeClarityUint(1), hashbytes: encodeClarityBuffer(buffer) }),
          Cl.tuple({ version: Cl.uint(1), hashbytes: Cl.buffer(buffer) }),
        ],
      ];
      for (const [ours, theirs] of pairs) {
        assert.equal(toHex(ours), toHex(serializeCVBytes(theirs)));
      }
    }),
  );
});

test('encoders refuse numbers beyond 128 bits and texts that are no principal', () => {
  for (const number of [-1n, 2n ** 128n]) assert.throws(() => encodeClarityUint(number), RangeError);
  for (const number of [-(2n ** 127n) - 1n, 2n ** 127n]) assert.throws(() => encodeClarityInt(number), RangeError);
  assert.throws(() => encodeClarityPrincipal('SP123'), RangeError);
});

test('a decoded buffer is a copy: changing the input later does not change it', () => {
  const input = encodeClarityBuffer(Uint8Array.of(1, 2, 3));
  const decoded = decodeClarityValue(input);
  input.fill(0);
  assert.deepEqual(decoded, { ok: true, value: { type: 'buffer', value: Uint8Array.of(1, 2, 3) } });
});
