import fc from '../../support/fast-check.ts';
import { at, flag, named, on, pageParts, pageQuery, query, type Requests, unanchored } from './parameters.ts';
import type { Subjects } from './subjects.ts';

/** What a principal did, and what it has. */
export function ofPrincipals({ hash, height, txId, address, principal, cursor, token }: Subjects): Requests {
  const momentQuery = fc.oneof(
    unanchored,
    fc.oneof(height, hash).map(until => `until_block=${until}`),
  );
  return [
    on(at('/extended/v1/address/*/nonces', principal), nonceQuery(height, hash)),
    { weight: 2, arbitrary: on(at('/extended/v1/address/*/transactions', principal), historyQuery(height, hash)) },
    {
      weight: 2,
      arbitrary: on(at('/extended/v1/address/*/transactions_with_transfers', principal), historyQuery(height, hash)),
    },
    at('/extended/v1/address/*/*/with_transfers', principal, txId),
    { weight: 2, arbitrary: on(at('/extended/v1/address/*/assets', principal), historyQuery(height, hash, false)) },
    { weight: 2, arbitrary: on(at('/extended/v1/address/*/stx_inbound', principal), historyQuery(height, hash)) },
    { weight: 2, arbitrary: on(at('/extended/v2/addresses/*/transactions', principal), pageQuery(50)) },
    { weight: 2, arbitrary: at('/extended/v2/addresses/*/transactions?limit=2&cursor=*', address, cursor) },
    { weight: 2, arbitrary: on(at('/extended/v2/addresses/*/transactions/*/events', principal, txId), pageQuery(50)) },
    {
      weight: 3,
      arbitrary: on(at('/extended/v1/address/*/*', principal, fc.constantFrom('stx', 'balances')), momentQuery),
    },
    on(at('/extended/v2/addresses/*/balances/stx', principal), query(flag('include_mempool'))),
    on(at('/extended/v2/addresses/*/balances/ft', principal), pageQuery(200)),
    at('/extended/v2/addresses/*/balances/ft/*', principal, token),
  ];
}

/** A page of all, up to a block, or of one. */
const historyQuery = (height: fc.Arbitrary<string>, hash: fc.Arbitrary<string>, ofOne = true): fc.Arbitrary<string> =>
  fc.oneof(
    query(...pageParts(50), flag('unanchored')),
    query(...pageParts(50), named('until_block', fc.oneof(height, hash))),
    ...(ofOne ? [query(...pageParts(50), named('height', height))] : []),
  );

/** Now, or after a block. */
const nonceQuery = (height: fc.Arbitrary<string>, hash: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant(''),
    named(
      'block_height',
      height.filter(digits => digits !== '0'),
    ),
    named('block_hash', hash),
  );
