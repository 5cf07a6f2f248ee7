import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import { notificationHex, sftMintHex } from '../../../test/support/sample-tokens.ts';
import { accountAddress } from '../../../test/support/transaction-builder.ts';
import { encodeClarityUint } from '../../base/codec/index.ts';
import type { TransactionFacts } from '../../ingest/chain/block-facts.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import { tokenFacts } from './facts.ts';

const CATS = `${accountAddress(9)}.cats`;
const NOTIFICATION = notificationHex({ contractId: CATS, tokenClass: 'nft', ids: [1, 2], mode: 'dynamic', ttl: 100 });
const SFT_MINT = sftMintHex(encodeClarityUint(1), CATS);

/** What is read of a transaction. */
const withEvent = (event: object): TransactionFacts =>
  ({
    txId: '0x00',
    status: 'success',
    transaction: { payload: { kind: 'coinbase' }, origin: { address: accountAddress(9) } },
    events: [{ index: 0, ...event } as EventFacts],
  }) as unknown as TransactionFacts;
const print = (value: string, contractId = CATS) => withEvent({ kind: 'log', topic: 'print', contractId, value });
const kindsOf = (tx: TransactionFacts): string[] => tokenFacts([tx]).map(({ kind }) => kind);

test('notifications and mints are told from other prints', () => {
  assert.deepEqual(kindsOf(print(NOTIFICATION)), ['update']);
  assert.deepEqual(kindsOf(print(SFT_MINT)), ['mint']);
  assert.deepEqual(kindsOf(print('0x03')), []);
});

test('no print and no token id makes it throw, and what it names can be looked up', () => {
  const digits = fc.constantFrom(...'0123456789abcdef', 'x', 'Z');
  const broken = fc
    .constantFrom(NOTIFICATION, SFT_MINT)
    .chain(value =>
      fc
        .tuple(fc.nat(value.length), fc.nat(4), fc.string({ unit: digits, maxLength: 6 }))
        .map(([at, cut, more]) => value.slice(0, at) + more + value.slice(at + cut)),
    );
  const contractId = fc.oneof(fc.constantFrom(CATS, '', '.', `${CATS}\0`), anyText());
  const txs = fc.oneof(
    fc.tuple(broken, contractId).map(([value, id]) => print(value, id)),
    fc
      .tuple(broken, contractId)
      .map(([value, id]) => withEvent({ kind: 'nft', action: 'mint', asset: `${id}::a`, value })),
  );
  fc.assert(
    fc.property(txs, tx => {
      for (const fact of tokenFacts([tx])) assert.match(fact.contractId, /^[0-9A-Z]+\.[a-zA-Z][\w-]*$/);
    }),
    { numRuns: 2000 },
  );
});
