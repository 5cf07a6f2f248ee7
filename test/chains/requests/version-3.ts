import { encodeClarityUint } from '../../../src/base/codec/index.ts';
import { toHex } from '../../../src/base/lib/hex.ts';
import fc from '../../support/fast-check.ts';
import { FT_ASSET, NFT_ASSET } from '../transactions.ts';
import { at, eventPages, named, numbers, on, query, type Requests } from './parameters.ts';
import type { Subjects } from './subjects.ts';

/** Version 3, where it has no file of its subject. */
export const ofVersion3 = ({
  hash,
  indexHash,
  burnHash,
  height,
  burnHeight,
  txId,
  address,
  principal,
  blockRef,
  token,
}: Subjects): Requests => [
  { weight: 2, arbitrary: on(fc.constant('/extended/v3/transactions'), placeQuery(height)) },
  { weight: 2, arbitrary: on(at('/extended/v3/blocks/*/transactions', blockRef), placeQuery(height)) },
  on(at('/extended/v3/blocks/*/cells', blockRef), query(numbers('blocks', 4, 1), numbers('limit', 6, 1))),
  on(at('/extended/v3/transactions/*', txId), includeQuery),
  on(at('/extended/v3/transactions/*/events', txId), query(numbers('limit', 4, 1), numbers('cursor', 5))),
  { weight: 2, arbitrary: on(at('/extended/v3/principals/*/transactions', principal), placeQuery(height)) },
  on(
    at('/extended/v3/principals/*/transactions/*/balance-changes', principal, txId),
    query(numbers('limit', 3, 1), named('cursor', fc.constantFrom('0:a', '1:stx', '1:z', `2:${FT_ASSET}`, '3:z'))),
  ),
  on(at('/extended/v3/principals/*/balance-changes', principal), changesQuery(txId)),
  { weight: 2, arbitrary: at('/extended/v3/principals/*/balances/stx', principal) },
  on(at('/extended/v3/principals/*/balances/stx/history', principal), query(numbers('points', 5, 1))),
  at('/extended/v3/mempool/transactions/*/position', txId),
  fc.constant('/extended/v3/mempool/bands'),
  on(
    at('/extended/v3/principals/*/balances/ft', principal),
    query(
      numbers('limit', 2, 1),
      named('cursor', fc.constantFrom('0:a', '5:a', `7:${FT_ASSET}`, `${'9'.repeat(400)}:a`)),
    ),
  ),
  at('/extended/v3/principals/*/balances/ft/*', principal, token),
  on(
    at('/extended/v3/principals/*/balances/nft', principal),
    query(
      numbers('limit', 2, 1),
      named('cursor', fc.constantFrom('0x:a', `${toHex(encodeClarityUint(3))}:${NFT_ASSET}`, '0x:z')),
    ),
  ),
  {
    weight: 2,
    arbitrary: on(
      at('/extended/v3/principals/*/transfers/stx/*', principal, fc.constantFrom('inbound', 'outbound')),
      eventPages(height),
    ),
  },
  at('/extended/v3/principals/*/nonces', address),
  on(at('/extended/v3/principals/*/mempool/transactions', principal), receiptQuery(txId)),
  on(fc.constant('/extended/v3/mempool/transactions'), receiptQuery(txId)),
  {
    weight: 3,
    arbitrary: at(
      '/extended/v3/search?q=*&limit=*',
      beginningOf(fc.oneof(txId, hash, indexHash, burnHash, height, burnHeight, principal, fc.constant(FT_ASSET))),
      fc.constantFrom('1', '2', '10', '50', '50&type=transaction,token', '3&type=smart_contract&type=block'),
    ),
  },
];

/** A page of transactions from a place, which need not be there. */
const placeQuery = (height: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  query(
    numbers('limit', 50, 1),
    named(
      'cursor',
      fc.oneof(
        height.map(digits => `${digits}:0:0`),
        fc
          .tuple(height, fc.constantFrom(0, 1, 2147483647), fc.nat(4), fc.constantFrom('', '', ':1'))
          .map(([height, sequence, index, further]) => `${height}:${sequence}:${index}${further}`),
      ),
    ),
  );

const includeQuery = query(
  named(
    'include',
    fc
      .subarray(['function_args', 'source_code', 'post_conditions', 'result', 'auth'], { minLength: 1 })
      .map(words => words.join(',')),
  ),
);

const changesQuery = (txId: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(txId, { minLength: 1, maxLength: 5 }), query(numbers('limit', 3, 1)))
    .map(([ids, rest]) => [`tx_id=${ids.join(',')}`, rest].filter(Boolean).join('&'));

const receiptQuery = (txId: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  query(
    numbers('limit', 4, 1),
    named(
      'cursor',
      fc.tuple(fc.constantFrom('0', '1700000000', '99999999999999999999'), txId).map(parts => parts.join(':')),
    ),
  );

/** All of a text, or what was typed of it so far. */
const beginningOf = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 5, max: 12 })))
    .map(([text, end]) => encodeURIComponent(text.slice(0, end)));
