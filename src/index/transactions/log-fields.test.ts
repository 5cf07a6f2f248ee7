import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  encodeClarityAscii,
  encodeClarityBuffer,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
  encodeClarityUint,
  encodeClarityUtf8,
} from '../../base/codec/index.ts';
import { toHex } from '../../base/lib/hex.ts';
import { logFieldsOf } from './log-fields.ts';

const text = encodeClarityAscii;
const fieldsOf = (members: Readonly<Record<string, Uint8Array>>) => logFieldsOf(toHex(encodeClarityTuple(members)));

test('the topic of a print is the first text among event, topic, action and notification', () => {
  const all = { action: text('c'), event: text('a'), notification: text('d'), topic: text('b') };
  const without = (...names: readonly string[]) =>
    fieldsOf(Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)))).topic;
  assert.deepEqual(
    [without(), without('event'), without('event', 'topic'), without('event', 'topic', 'action')],
    ['a', 'b', 'c', 'd'],
  );
  assert.equal(fieldsOf({ name: text('a'), type: text('b') }).topic, null);
});

test('a member counts only if it is a text of 1 to 64 printable bytes', () => {
  for (const value of [
    text(''),
    text('x'.repeat(65)),
    text('a\u0000'),
    text('a\u007f'),
    encodeClarityUtf8('é'.repeat(33)),
    Buffer.from('0e00000002c328', 'hex'),
    encodeClarityUint(1),
    encodeClarityBuffer(Buffer.from('a')),
    encodeClaritySome(text('a')),
  ])
    assert.equal(fieldsOf({ event: value, topic: text('b') }).topic, 'b', toHex(value));
  for (const value of ['x'.repeat(64), 'é'.repeat(32), ' ', '100 %, ok'])
    assert.equal(fieldsOf({ event: encodeClarityUtf8(value) }).topic, value);
});

test('the first four principals in the order of the names of their members count, each once', () => {
  const of = (name: string) => `SP000000000000000000002Q6VF78${name}`;
  const members = { f: '.e', e: '.d', d: '', c: '.b', b: '', a: '.a', g: '.f' };
  const encoded = Object.entries(members).map(([name, contract]) => [name, encodeClarityPrincipal(of(contract))]);
  assert.deepEqual(fieldsOf(Object.fromEntries(encoded)).principals, ['.a', '', '.b', '.d'].map(of));
});

test('a print that is no tuple, or no Clarity value, has neither', () => {
  for (const value of ['0x03', '0x', '0x0c00000002', '0x0dffffffff'])
    assert.deepEqual(logFieldsOf(value), { topic: null, principals: [] });
});
