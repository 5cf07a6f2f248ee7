import fc from '../../support/fast-check.ts';
import { FUNCTION_NAMES } from '../transactions.ts';
import { at, flag, named, numbers, on, pageParts, pageQuery, query, type Requests } from './parameters.ts';
import type { Subjects } from './subjects.ts';

/** Transactions, mined and waiting, their events, and search by id. */
export const ofTransactions = ({ hash, txId, address, contract, principal }: Subjects): Requests => [
  { weight: 3, arbitrary: on(fc.constant('/extended/v1/tx'), txQuery(address, contract)) },
  at('/extended/v1/tx/*/raw', txId),
  { weight: 2, arbitrary: on(at('/extended/v1/tx/*', txId), detailQuery) },
  on(fc.constant('/extended/v1/tx/multiple'), severalQuery(txId)),
  {
    weight: 3,
    arbitrary: on(
      fc.constant('/extended/v1/tx/events'),
      eventsQuery(fc.oneof(named('address', principal), named('tx_id', txId))),
    ),
  },
  { weight: 3, arbitrary: on(at('/extended/v1/search/*', fc.oneof(txId, hash, address, contract)), metadataQuery) },
  fc.constant('/extended/v2/mempool/fees'),
  fc.constant('/extended/v1/tx/mempool/stats'),
  on(fc.constant('/extended/v1/tx/mempool/dropped'), pageQuery(50)),
  { weight: 3, arbitrary: on(fc.constant('/extended/v1/tx/mempool'), mempoolQuery(principal)) },
  on(at('/extended/v1/address/*/mempool', principal), pageQuery(50)),
];

const txQuery = (address: fc.Arbitrary<string>, contract: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  query(
    ...pageParts(50),
    named('type', fc.constantFrom('coinbase', 'token_transfer', 'smart_contract', 'contract_call')),
    named('from_address', address),
    named('to_address', address),
    named('contract_id', contract),
    named('function_name', fc.constantFrom(...FUNCTION_NAMES, 'fund')),
    numbers('nonce', 4),
    named('sort_by', fc.constantFrom('block_height', 'burn_block_time', 'fee')),
    named('order', fc.constantFrom('asc', 'desc')),
    flag('unanchored'),
  );

/** The form of transactions that are requested by id. */
const detailQuery = query(
  numbers('event_limit', 4),
  numbers('event_offset', 3),
  flag('unanchored'),
  flag('exclude_function_args'),
);

const severalQuery = (txId: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(txId, { minLength: 1, maxLength: 4 }), fc.constantFrom(',', '&tx_id='), detailQuery)
    .map(([ids, separator, rest]) => [`tx_id=${ids.join(separator)}`, rest].filter(Boolean).join('&'));

const eventsQuery = (of: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(of, eventFilters).map(parts => parts.filter(Boolean).join('&'));

const eventFilters = query(
  ...pageParts(100),
  named(
    'type',
    fc
      .subarray(['smart_contract_log', 'stx_lock', 'stx_asset', 'fungible_token_asset', 'non_fungible_token_asset'], {
        minLength: 1,
      })
      .map(types => types.join(',')),
  ),
);

/** One address on either side, or a side for each. */
const mempoolQuery = (principal: fc.Arbitrary<string>): fc.Arbitrary<string> => {
  const rest = [
    ...pageParts(50),
    named('order_by', fc.constantFrom('age', 'size', 'fee')),
    named('order', fc.constantFrom('asc', 'desc')),
    flag('unanchored'),
  ];
  return fc.oneof(
    query(named('sender_address', principal), named('recipient_address', principal), ...rest),
    query(named('address', principal), ...rest),
  );
};

const metadataQuery = query(flag('include_metadata'));
