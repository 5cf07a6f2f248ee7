import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  encodeClarityAscii,
  encodeClarityBool,
  encodeClarityBuffer,
  encodeClarityList,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
  encodeClarityUint,
  encodeClarityUtf8,
} from './encode.ts';
import { decodeShortTexts } from './members.ts';

const OWNER = 'SP000000000000000000002Q6VF78';
const inner = encodeClarityTuple({ a: encodeClarityAscii('inner'), b: encodeClarityPrincipal(`${OWNER}.c`) });

test('texts and principals of a tuple are read; what is nested, long or of another type is passed over', () => {
  const tuple = encodeClarityTuple({
    amount: encodeClarityUint(5),
    data: inner,
    flag: encodeClarityBool(true),
    ids: encodeClarityList([inner, encodeClarityUint(1)]),
    long: encodeClarityAscii('x'.repeat(9)),
    memo: encodeClarityBuffer(Buffer.from('memo')),
    nothing: encodeClarityNone(),
    of: encodeClaritySome(encodeClarityPrincipal(OWNER)),
    said: encodeClarityUtf8('é, ok'),
    shop: encodeClarityPrincipal(`${OWNER}.shop`),
    topic: encodeClarityAscii('x'.repeat(8)),
    who: encodeClarityPrincipal(OWNER),
  });
  const decoded = decodeShortTexts(tuple, 8);
  assert.deepEqual(decoded.ok && decoded.value, [
    { name: 'said', value: { type: 'string-utf8', value: 'é, ok' } },
    { name: 'shop', value: { type: 'principal', value: `${OWNER}.shop` } },
    { name: 'topic', value: { type: 'string-ascii', value: 'x'.repeat(8) } },
    { name: 'who', value: { type: 'principal', value: OWNER } },
  ]);
});

test('of a tuple whose names are not sorted, the last of a name counts', () => {
  const member = (name: string, value: string) =>
    Buffer.concat([Buffer.of(name.length), Buffer.from(name), encodeClarityAscii(value)]);
  const tuple = (...members: readonly Buffer[]) =>
    Buffer.concat([Buffer.of(0x0c, 0, 0, 0, members.length), ...members]);
  const read = (...members: readonly Buffer[]) => {
    const decoded = decodeShortTexts(tuple(...members), 64);
    return decoded.ok && decoded.value.map(({ name, value }) => `${name} ${value.value}`);
  };
  assert.deepEqual(read(member('b', '1'), member('a', '2'), member('b', '3')), ['a 2', 'b 3']);
  assert.deepEqual(read(member('a', '1'), member('a', '2')), ['a 2']);
  assert.deepEqual(read(member('a', '1'), member('ab', '2'), member('b', '3')), ['a 1', 'ab 2', 'b 3']);
});

test('any other value has no members', () => {
  for (const value of [encodeClaritySome(inner), encodeClarityList([inner]), encodeClarityAscii('a')])
    assert.deepEqual(decodeShortTexts(value, 64), { ok: true, value: [] });
});
