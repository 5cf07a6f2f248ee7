import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { accountAddress } from '../../../test/support/transaction-builder.ts';
import {
  comparePositionsInBlock,
  type LogPosition,
  PLACE,
  type PositionInBlock,
  parseToken,
  tokenOf,
} from './token.ts';

const principals = fc.constantFrom(accountAddress(1), accountAddress(2), `${accountAddress(1)}.a-b_c-m12`);
const index = fc.nat(100_000);
const places = fc.oneof<fc.Arbitrary<PositionInBlock>[]>(
  fc.constantFrom(PLACE.block, PLACE.burnBlock, PLACE.end, PLACE.rollback, PLACE.afterRollback),
  index.map(PLACE.transaction),
  fc.tuple(index, principals).map(([tx, principal]) => PLACE.transactionOf(tx, principal)),
  fc.tuple(index, index).map(([tx, event]) => PLACE.event(tx, event)),
  principals.map(PLACE.balance),
  principals.map(PLACE.balanceAfterRollback),
);
const hash = fc.stringMatching(/^[0-9a-f]{10,11}$/);
const logPlaces = fc.tuple(fc.nat(), hash, places).map(([height, hash, at]): LogPosition => ({ height, hash, at }));

test('a token names its place, also with what an event of the mempool adds to it', () => {
  fc.assert(
    fc.property(logPlaces, fc.nat(), (place, n) => {
      assert.deepEqual(parseToken(tokenOf(place)), place);
      if (typeof place.at.at(-1) === 'number') assert.deepEqual(parseToken(`${tokenOf(place)}m${n}`), place);
    }),
  );
});

test('any other text is no token, and is read in linear time', () => {
  for (const text of [
    '',
    '1',
    '1.2',
    '1.0123456789',
    '1.0123456789.',
    '1.0123456789ab.0',
    '-1.0123456789.0',
    '1.0123456789.0-',
    '1.0123456789.4.4',
  ])
    assert.equal(parseToken(text), undefined, text);
  assert.equal(parseToken(`1.0123456789.${'1-'.repeat(100_000)}`), undefined);
});

test('places are in one order: the block, its burn block, each transaction with who takes part and its events, balances, the end', () => {
  const order: PositionInBlock[] = [
    PLACE.block,
    PLACE.burnBlock,
    PLACE.transaction(0),
    PLACE.transactionOf(0, 'SA'),
    PLACE.transactionOf(0, 'SB'),
    PLACE.event(0, 0),
    PLACE.event(0, 10),
    PLACE.transaction(1),
    PLACE.transaction(10),
    PLACE.balance('SA'),
    PLACE.balance('SB'),
    PLACE.end,
    PLACE.rollback,
    PLACE.balanceAfterRollback('SA'),
    PLACE.afterRollback,
  ];
  for (const [i, a] of order.entries())
    for (const [j, b] of order.entries())
      assert.equal(Math.sign(comparePositionsInBlock(a, b)), Math.sign(i - j), `${a} and ${b}`);
});
