import fc from 'fast-check';
import { accountAddress } from '../support/transaction-builder.ts';
import { type BuiltChain, SLOT_HOLDERS } from './build.ts';
import { CYCLES, POOLS } from './pox-operations.ts';
import { ACCOUNTS, CONTRACT_NAMES, contractId, DEPLOYER, FUNCTION_NAMES, NFT_ASSET } from './transactions.ts';

const ADDRESSES = [...ACCOUNTS, 1, DEPLOYER, 40].map(accountAddress);
const CONTRACTS = [
  ...CONTRACT_NAMES.map(contractId),
  'ST000000000000000000002AMW42H.bns',
  'ST000000000000000000002AMW42H.pox-4',
];
const KEYS = [2, 3, 4].map(byte => `0x${Buffer.alloc(33, byte).toString('hex')}`);
const TRAIT = encodeURIComponent(
  JSON.stringify({
    functions: [
      { name: 'ping', access: 'public', args: [], outputs: { type: { response: { ok: 'bool', error: 'uint128' } } } },
    ],
  }),
);

/** Paths whose answers depend on the canonical chain only, whatever else was seen. */
export function canonicalPaths({ plan }: BuiltChain): string[] {
  const heights = Array.from({ length: plan.steps.length % 7 }, (_, i) => i + 1);
  return [
    '/extended/v2/blocks?limit=30',
    '/extended/v1/tx?limit=50',
    ...heights.map(height => `/extended/v2/blocks/${height}`),
    ...ADDRESSES.slice(0, 3).map(address => `/extended/v2/addresses/${address}/transactions?limit=50`),
    ...ADDRESSES.slice(0, 3).map(address => `/v1/addresses/stacks/${address}`),
    ...CONTRACTS.slice(0, 2).map(contract => `/extended/v1/contract/${contract}/events`),
    ...CYCLES.map(cycle => `/extended/v2/pox/cycles/${cycle}/signers`),
    ...POOLS.map(pool => `/extended/v1/pox4/${accountAddress(pool)}/delegations`),
    `/extended/v1/tokens/nft/mints?asset_identifier=${encodeURIComponent(NFT_ASSET)}`,
    '/extended/v1/burnchain/reward_slot_holders',
  ];
}

const NOBODY = 'ST3J2GVMMM2R07ZFBJDWTYEYAR8FZH5WKDTFJ9AHA';
const UNKNOWN = `0x${'ab'.repeat(32)}`;

/**
 * Requests of all 22 endpoints of the chain about what the chain has, and now and then about what it has not. Their
 * parameters are valid; test/requests.test.ts tries others.
 */
export function chainRequests({ blocks, burns, txIds }: BuiltChain): fc.Arbitrary<string> {
  const hash = fc.constantFrom(UNKNOWN, ...blocks.map(block => block.hash));
  const indexHash = fc.constantFrom(UNKNOWN, ...blocks.map(block => block.indexHash));
  const burnHash = fc.constantFrom(UNKNOWN, ...burns.map(burn => burn.hash));
  const height = fc.nat(Math.max(0, ...blocks.map(block => block.height)) + 1).map(String);
  const burnHeight = fc.constantFrom('5', ...burns.map(burn => String(burn.height)));
  const txId = fc.constantFrom(UNKNOWN, ...txIds);
  const address = fc.constantFrom(NOBODY, ...ADDRESSES);
  const contract = fc.constantFrom(`${NOBODY}.none`, ...CONTRACTS);
  const principal = fc.oneof(address, contract);
  const blockRef = fc.oneof(height, fc.constant('latest'), indexHash, hash);
  const cursor = fc.tuple(indexHash, fc.nat(5)).map(([hash, index]) => `${hash}:2147483647:${index}`);
  const cycle = fc.constantFrom('5', ...CYCLES.map(String));
  const page = pageQuery;
  const on = (path: fc.Arbitrary<string>, query: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.tuple(path, query).map(([start, rest]) => (rest ? `${start}?${rest}` : start));
  const at = (template: string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.tuple(...parts).map(values => values.reduce((path, value) => path.replace('*', () => value), template));

  return fc.oneof(
    fc.constant('/extended/v2/mempool/fees'),
    on(fc.constant('/extended/v2/blocks'), page(30)),
    at('/extended/v2/blocks/*', blockRef),
    on(at('/extended/v2/blocks/*/transactions', blockRef), page(50)),
    at('/extended/v1/block/by_burn_block_hash/*', burnHash),
    at('/extended/v2/burn-blocks/*', fc.oneof(burnHash, burnHeight, fc.constant('latest'))),
    { weight: 3, arbitrary: on(fc.constant('/extended/v1/tx'), txQuery(address, contract)) },
    at('/extended/v1/tx/*/raw', txId),
    { weight: 3, arbitrary: on(fc.constant('/extended/v1/tx/mempool'), mempoolQuery(principal)) },
    { weight: 3, arbitrary: on(at('/extended/v1/search/*', fc.oneof(txId, hash, address, contract)), metadataQuery) },
    { weight: 2, arbitrary: on(at('/extended/v2/addresses/*/transactions', principal), page(50)) },
    { weight: 2, arbitrary: at('/extended/v2/addresses/*/transactions?limit=2&cursor=*', address, cursor) },
    { weight: 2, arbitrary: on(at('/extended/v2/addresses/*/transactions/*/events', principal, txId), page(50)) },
    on(at('/extended/v1/contract/*', contract), unanchored),
    on(at('/extended/v1/contract/*/events', contract), page(50)),
    on(fc.constant(`/extended/v1/contract/by_trait?trait_abi=${TRAIT}`), fc.constant('')),
    on(at('/extended/v1/tokens/nft/mints', fc.constant('')), mintQuery),
    on(at('/extended/v2/pox/cycles/*/signers', cycle), page(100)),
    at('/extended/v2/pox/cycles/*/signers/*', cycle, fc.constantFrom(`0x${'99'.repeat(33)}`, ...KEYS)),
    on(at('/extended/v1/pox4/*/delegations', fc.constantFrom(...POOLS.map(accountAddress))), delegationQuery),
    on(fc.constant('/extended/v1/burnchain/reward_slot_holders'), page(250)),
    on(at('/extended/v1/burnchain/reward_slot_holders/*', fc.constantFrom(...SLOT_HOLDERS)), page(250)),
    at('/v1/addresses/stacks/*', address),
  );
}

/** Parts of a query that are there or not, joined. */
const query = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts.map(part => fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: part })))
    .map(values => values.filter(Boolean).join('&'));

const named = (name: string, values: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  values.map(value => `${name}=${encodeURIComponent(value)}`);
const numbers = (name: string, max: number, min = 0): fc.Arbitrary<string> =>
  named(name, fc.integer({ min, max }).map(String));
const unanchored = query(named('unanchored', fc.constantFrom('true', 'false')));
const metadataQuery = query(named('include_metadata', fc.constantFrom('true', 'false')));

const pageParts = (maxLimit: number) => [numbers('limit', maxLimit, 1), numbers('offset', 12)];
const pageQuery = (maxLimit: number): fc.Arbitrary<string> => query(...pageParts(maxLimit));

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
    named('unanchored', fc.constantFrom('true', 'false')),
  );

/** One address on either side, or a side for each. */
const mempoolQuery = (principal: fc.Arbitrary<string>): fc.Arbitrary<string> => {
  const rest = [
    ...pageParts(50),
    named('order_by', fc.constantFrom('age', 'size', 'fee')),
    named('order', fc.constantFrom('asc', 'desc')),
    named('unanchored', fc.constantFrom('true', 'false')),
  ];
  return fc.oneof(
    query(named('sender_address', principal), named('recipient_address', principal), ...rest),
    query(named('address', principal), ...rest),
  );
};

const mintQuery = query(
  ...pageParts(50),
  named('tx_metadata', fc.constantFrom('true', 'false')),
  named('unanchored', fc.constantFrom('true', 'false')),
).map(rest => [`asset_identifier=${encodeURIComponent(NFT_ASSET)}`, rest].filter(Boolean).join('&'));

const delegationQuery = query(
  ...pageParts(50),
  numbers('after_block', 9, 1),
  named('unanchored', fc.constantFrom('true', 'false')),
);
