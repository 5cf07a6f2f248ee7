import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { type NotificationParts, notificationHex } from '../../../test/support/sample-tokens.ts';
import {
  decodeClarityValue,
  encodeClarityAscii,
  encodeClarityBuffer,
  encodeClarityInt,
  encodeClarityList,
  encodeClarityNone,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../base/codec/index.ts';
import { fromHex, toHex } from '../../base/lib/hex.ts';
import { readNotification } from './notification.ts';

const CONTRACT = 'SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world';
const NFT = { contractId: CONTRACT, tokenClass: 'nft' } as const;
const DAY = 86_400;

function read(hex: string) {
  const value = decodeClarityValue(fromHex(hex) ?? new Uint8Array());
  return value.ok && value.value.type === 'tuple' ? readNotification(value.value) : undefined;
}
const readParts = (parts: NotificationParts) => read(notificationHex(parts));
const buffer = (text: string) => encodeClarityBuffer(Buffer.from(text));

test('the sample of the specification is read', () => {
  const hex =
    '0x0c000000020c6e6f74696669636174696f6e0d00000015746f6b656e2d6d657461646174612d757064617465077061796c6f61640c000000030b' +
    '636f6e74726163742d69640616b3e8e104cb6526cd140262fc926b7f6d6675313e0b68656c6c6f2d776f726c640b746f6b656e2d636c6173730d00' +
    '0000036e667409746f6b656e2d6964730b0000000201000000000000000000000000000000010100000000000000000000000000000002';
  const wanted = { contractId: CONTRACT, tokenClass: 'nft', tokens: ['1', '2'], mode: 'standard', ttl: null };
  assert.deepEqual(read(hex), wanted);
});

test('which tokens are meant: those listed, each once; all without a list; none with an empty one', () => {
  const tokens = (parts: NotificationParts) => readParts({ ...NFT, ...parts })?.tokens;
  const largest = 2n ** 128n - 1n;
  assert.deepEqual(tokens({ ids: [3, 0, 3, largest] }), ['3', '0', String(largest)]);
  assert.equal(tokens({}), undefined);
  assert.notEqual(readParts(NFT), undefined);
  assert.deepEqual(tokens({ ids: [] }), []);
});

test('a fungible token is number 1 of its contract, whatever is listed; semi-fungible ones must be listed', () => {
  assert.deepEqual(readParts({ ...NFT, tokenClass: 'ft' })?.tokens, ['1']);
  assert.deepEqual(readParts({ ...NFT, tokenClass: 'ft', ids: [7] })?.tokens, ['1']);
  assert.deepEqual(readParts({ ...NFT, tokenClass: 'sft', ids: [7] })?.tokens, ['7']);
  assert.equal(readParts({ ...NFT, tokenClass: 'sft' }), undefined);
});

test('texts may be strings or buffers, and the contract a text', () => {
  const spelled = { contractId: buffer(CONTRACT), tokenClass: buffer('nft'), mode: buffer('frozen') };
  assert.deepEqual(readParts(spelled), { ...NFT, tokens: undefined, mode: 'frozen', ttl: null });
  assert.equal(readParts({ ...NFT, contractId: encodeClarityAscii(CONTRACT) })?.contractId, CONTRACT);
});

test('a time between refreshes counts for dynamic tokens only, and is kept within 60 s and 30 days', () => {
  const ttl = (value: NotificationParts['ttl'], mode = 'dynamic') => readParts({ ...NFT, mode, ttl: value })?.ttl;
  const rows: [NotificationParts['ttl'], number | null][] = [
    [0, 60],
    [59, 60],
    [60, 60],
    [3600, 3600],
    [30 * DAY, 30 * DAY],
    [30 * DAY + 1, 30 * DAY],
    [2n ** 128n - 1n, 30 * DAY],
    [undefined, null],
    [encodeClarityInt(100), null],
    [encodeClarityNone(), null],
  ];
  for (const [value, wanted] of rows) assert.equal(ttl(value), wanted, String(value));
  assert.equal(ttl(3600, 'standard'), null);
  assert.equal(ttl(3600, 'frozen'), null);
});

test('what is malformed is no notification', () => {
  const rows: [string, NotificationParts][] = [
    ['unknown mode', { ...NFT, mode: 'weekly' }],
    ['mode that is no text', { ...NFT, mode: encodeClarityUint(1) }],
    ['unknown class', { ...NFT, tokenClass: 'xft' }],
    ['class like a member of every object', { ...NFT, tokenClass: 'constructor' }],
    ['no class', { contractId: CONTRACT }],
    ['no contract', { tokenClass: 'nft' }],
    ['contract that is a number', { ...NFT, contractId: encodeClarityUint(1) }],
    ['ids that are no list', { ...NFT, ids: encodeClarityUint(1) }],
    ['ids of another type', { ...NFT, ids: encodeClarityList([encodeClarityInt(1)]) }],
  ];
  for (const [what, parts] of rows) assert.equal(readParts(parts), undefined, what);
  const other = (members: Record<string, Uint8Array>) => read(toHex(encodeClarityTuple(members)));
  const notification = encodeClarityAscii('token-metadata-update');
  assert.equal(other({ notification }), undefined);
  assert.equal(other({ notification, payload: encodeClarityUint(1) }), undefined);
  assert.equal(other({ payload: encodeClarityTuple({}) }), undefined);
  assert.equal(other({ notification: encodeClarityAscii('other'), payload: encodeClarityTuple({}) }), undefined);
});

test('no payload makes it throw', () => {
  const scalar = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map(encodeClarityUint),
    fc.uint8Array({ maxLength: 40 }).map(encodeClarityBuffer),
    fc.constantFrom('nft', 'ft', 'sft', 'dynamic', 'frozen', CONTRACT, '', '__proto__').map(encodeClarityAscii),
    fc.constant(encodeClarityNone()),
  );
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 5 }).map(encodeClarityList),
    fc.constant(encodeClarityTuple({})),
  );
  const parts = fc.record(
    { contractId: value, tokenClass: value, ids: value, mode: value, ttl: value },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(parts, given => {
      const found = readParts(given);
      assert.ok(found === undefined || found.ttl === null || (found.ttl >= 60 && found.ttl <= 30 * DAY));
    }),
  );
});
