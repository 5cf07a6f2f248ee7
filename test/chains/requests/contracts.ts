import fc from '../../support/fast-check.ts';
import { at, named, numbers, on, pageParts, pageQuery, query, type Requests, unanchored } from './parameters.ts';
import type { Subjects } from './subjects.ts';

/** Contracts and what they log. */
export const ofContracts = ({ contract }: Subjects): Requests => [
  on(at('/extended/v1/contract/*', contract), unanchored),
  on(
    at('/extended/v3/smart-contracts/*', contract),
    query(named('include', fc.constantFrom('abi', 'source_code', 'source_code,abi'))),
  ),
  on(at('/extended/v3/smart-contracts/*/twins', contract), query(numbers('limit', 3, 1), numbers('cursor', 4))),
  on(
    at('/extended/v3/smart-contracts/*/activity', contract),
    query(named('bucket', fc.constantFrom('hour', 'day', 'week')), numbers('limit', 6, 1)),
  ),
  on(at('/extended/v1/contract/*/events', contract), pageQuery(50)),
  on(at('/extended/v2/smart-contracts/*/logs', contract), logsQuery),
  at('/extended/v2/smart-contracts/status?contract_id=*', contract),
  at('/extended/v2/smart-contracts/status?contract_id=*&contract_id=*', contract, contract),
  on(fc.constant(`/extended/v1/contract/by_trait?trait_abi=${TRAIT}`), fc.constant('')),
];

const logsQuery = query(
  ...pageParts(20),
  named(
    'cursor',
    fc.tuple(fc.nat(12), fc.constantFrom(0, 1, 2147483647), fc.nat(5), fc.nat(4)).map(numbers => numbers.join(':')),
  ),
);

const TRAIT = encodeURIComponent(
  JSON.stringify({
    functions: [
      { name: 'ping', access: 'public', args: [], outputs: { type: { response: { ok: 'bool', error: 'uint128' } } } },
    ],
  }),
);
