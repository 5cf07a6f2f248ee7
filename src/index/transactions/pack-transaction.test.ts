import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import { ANCHORED_SEQUENCE } from '../../ingest/chain/block-facts.ts';
import { packTransaction } from './pack-transaction.ts';
import { packRecord } from './record-packer.ts';
import { type StoredPayload, type StoredTransaction, transactionV1 } from './stored.ts';

/** Hexadecimal digits, often with many zeros in a row and at the ends. */
const digits = fc
  .array(fc.oneof(fc.constantFrom('0'.repeat(16), '0'.repeat(20), '01', '0c'), fc.string({ unit: 'grapheme-ascii' })))
  .map(parts => parts.join('').replace(/[^0-9a-f]/g, ''));
const hex = digits.map(text => `0x${text}`);
const amount = fc.oneof(fc.nat().map(String), fc.constantFrom(`1${'0'.repeat(17)}`, `1${'0'.repeat(35)}`));
const address = fc.constantFrom('SP000000000000000000002Q6VF78', 'ST2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1HR05NNC');
const principal = fc.oneof(
  address,
  address.map(text => `${text}.token-transfer`),
);
/** Names as contracts have them, those of the shared texts, and others. */
const name = fc.oneof(
  fc.constantFrom('transfer', 'sip-transfer', 'amount', 'sender', 'recipient', 'memo', 'n'),
  anyText({ maxLength: 20 }),
);
const type = fc.oneof(
  fc.constantFrom('uint', 'principal', 'bool', 'trait_reference', '(optional (buff 34))', undefined),
  anyText({ maxLength: 20 }),
);
const repr = fc.oneof(
  amount.map(text => `u${text}`),
  principal.map(text => `'${text}`),
  digits.map(text => `(some 0x${text})`),
  fc.constantFrom('none', 'true', '(ok true)', '(tuple (a u1))', '(tuple', '"u"', 'u', "'S"),
  anyText(),
);
const value = fc.oneof(
  fc.record({ hex, repr }),
  fc.constantFrom({ hex: '0x09', repr: 'none' }, { hex: '0x0703', repr: '(ok true)' }, { hex: '0x0703', repr: '' }),
);
const argument = fc.record({ value, name, type }).map(({ value, ...names }) => ({ ...value, ...names }));
const usualSignature =
  '(define-public (transfer (amount uint) (sender principal) (recipient principal) (memo (optional (buff 34)))))';

const payload: fc.Arbitrary<StoredPayload> = fc.oneof(
  fc.record({
    type: fc.constant('token_transfer' as const),
    recipient: principal,
    amount,
    memo: fc.oneof(hex, fc.constantFrom(`0x${'0'.repeat(68)}`, `0x${'0'.repeat(67)}`, `0x1${'0'.repeat(67)}`)),
  }),
  fc.record({
    type: fc.constant('contract_call' as const),
    contractId: principal,
    functionName: name,
    functionSignature: fc.oneof(fc.constantFrom(usualSignature, ''), anyText()),
    args: fc.array(argument, { maxLength: 20 }),
  }),
  fc.record({ type: fc.constant('coinbase' as const), data: hex, altRecipient: principal, vrfProof: hex }),
  fc.record({
    type: fc.constant('smart_contract' as const),
    clarityVersion: fc.constantFrom(null, 2),
    contractId: principal,
    source: anyText(),
  }),
);
const sender = fc.record({ type_id: fc.constant('principal_standard' as const), address });
const code = fc.constantFrom('sent_equal_to', 'sent_less_than_or_equal_to', 'sent');
const asset = fc.record({ asset_name: name, contract_address: address, contract_name: name });
const postCondition = fc.oneof(
  fc.record({ principal: sender, condition_code: code, amount, type: fc.constant('stx' as const) }),
  fc.record({ principal: sender, condition_code: code, amount, type: fc.constant('fungible' as const), asset }),
);
const time = fc.oneof(fc.nat(2 ** 31), fc.constantFrom(-1, 253402300800));
const count = fc.nat();

const transaction: fc.Arbitrary<StoredTransaction> = fc.record({
  txId: hex,
  nonce: count,
  fee: amount,
  sender: address,
  sponsor: fc.option(fc.record({ address, nonce: count }), { freq: 9 }),
  postConditionMode: fc.constantFrom('allow', 'deny', 'originator'),
  postConditions: fc.array(postCondition, { maxLength: 4 }),
  anchorMode: fc.constantFrom('any', 'on_chain_only', 'off_chain_only'),
  payload,
  blockHash: fc.oneof({ weight: 9, arbitrary: hex }, fc.constant('0x')),
  blockHeight: count,
  blockTime: time,
  parentBlockHash: hex,
  burnBlockTime: time,
  burnBlockHeight: count,
  parentBurnBlockTime: time,
  canonical: fc.boolean(),
  txIndex: count,
  status: fc.oneof(fc.constantFrom('success', 'abort_by_response', 'abort_by_post_condition'), anyText()),
  result: value,
  eventCount: count,
  microblock: fc.oneof(
    { weight: 9, arbitrary: fc.constant({ hash: '0x', sequence: ANCHORED_SEQUENCE }) },
    fc.record({ hash: hex, sequence: count }),
  ),
  cost: fc.record({
    read_count: count,
    read_length: count,
    runtime: count,
    write_count: count,
    write_length: count,
  }),
  vmError: fc.option(anyText(), { freq: 1, nil: null }),
});

test('a transaction packed from its fields is what its text packed is', () => {
  fc.assert(
    fc.property(transaction, tx => {
      assert.equal(packTransaction(tx), packRecord(JSON.stringify(transactionV1(tx))));
    }),
    { numRuns: 200 },
  );
});
