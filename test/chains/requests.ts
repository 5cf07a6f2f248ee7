import { encodeClarityUint } from '../../src/codec/index.ts';
import { toHex } from '../../src/lib/hex.ts';
import fc from '../support/fast-check.ts';
import { accountAddress } from '../support/transaction-builder.ts';
import { BONDS } from './bond-operations.ts';
import { type BuiltChain, SLOT_HOLDERS } from './build.ts';
import { NAMES } from './name-operations.ts';
import { CYCLES, POOLS } from './pox-operations.ts';
import { MANAGERS } from './staking-operations.ts';
import { ACCOUNTS, CONTRACT_NAMES, contractId, DEPLOYER, FT_ASSET, FUNCTION_NAMES, NFT_ASSET } from './transactions.ts';

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
    '/extended/v1/block?limit=30',
    '/extended/v1/microblock?limit=200',
    '/extended/v1/stx_supply?unanchored=true',
    ...heights.map(height => `/extended/v1/stx_supply?height=${height}`),
    '/extended/v2/burn-blocks?limit=30',
    '/extended/v2/blocks/average-times',
    ...heights.map(height => `/extended/v2/block-tenures/${height}/blocks`),
    '/extended/v1/tx?limit=50',
    ...heights.map(height => `/extended/v2/blocks/${height}`),
    ...heights.map(height => `/extended/v2/blocks/${height}/signer-signatures`),
    ...ADDRESSES.slice(0, 3).map(address => `/extended/v2/addresses/${address}/transactions?limit=50`),
    ...ADDRESSES.slice(0, 3).map(address => `/v1/addresses/stacks/${address}`),
    `/extended/v3/names?principal=${ADDRESSES.join(',')}`,
    ...ADDRESSES.slice(0, 3).map(address => `/extended/v1/address/${address}/nonces?block_height=2`),
    ...heights.map(height => `/extended/v1/address/${ADDRESSES[0]}/balances?until_block=${height}`),
    ...CONTRACTS.slice(0, 2).map(contract => `/extended/v1/contract/${contract}/events`),
    '/extended/v1/pox4/events?limit=200',
    '/extended/v3/staking',
    '/extended/v3/staking/bonds',
    '/extended/v3/staking/cycles/current/signers',
    ...BONDS.flatMap(bond => [
      `/extended/v3/staking/bonds/${bond}/allowlist`,
      `/extended/v3/staking/bonds/${bond}/registrations`,
    ]),
    ...MANAGERS.map(manager => `/extended/v3/staking/signers/${manager}/stakers`),
    ...ADDRESSES.slice(0, 3).flatMap(address => [
      `/extended/v3/principals/${address}/staking`,
      `/extended/v3/principals/${address}/staking/bonds`,
    ]),
    '/extended/v2/pox/cycles',
    ...CYCLES.map(cycle => `/extended/v2/pox/cycles/${cycle}/signers`),
    ...CYCLES.flatMap(cycle => KEYS.map(key => `/extended/v2/pox/cycles/${cycle}/signers/${key}/stackers`)),
    ...POOLS.map(pool => `/extended/v1/pox4/${accountAddress(pool)}/delegations`),
    '/extended/v1/tokens/ft/stx/holders',
    `/extended/v1/tokens/ft/${encodeURIComponent(FT_ASSET)}/holders`,
    ...ADDRESSES.slice(0, 3).map(address => `/extended/v1/tokens/nft/holdings?principal=${address}`),
    `/extended/v1/tokens/nft/mints?asset_identifier=${encodeURIComponent(NFT_ASSET)}`,
    '/extended/v1/burnchain/reward_slot_holders',
    '/extended/v1/burnchain/rewards',
    ...SLOT_HOLDERS.map(address => `/extended/v1/burnchain/rewards/${address}/total`),
    ...SLOT_HOLDERS.map(address => `/extended/v2/addresses/${address}/pox-transactions`),
  ];
}

const NOBODY = 'ST3J2GVMMM2R07ZFBJDWTYEYAR8FZH5WKDTFJ9AHA';
const UNKNOWN = `0x${'ab'.repeat(32)}`;

/** The microblocks that an event streams, or that its block accepts. */
const microblocksOf = (event: BuiltChain['sent'][number]): string[] => {
  if (event.kind === 'stream') return event.microblocks.map(({ hash }) => hash);
  const txs = event.kind === 'block' ? (event.block.body.transactions as { microblock_hash: string | null }[]) : [];
  return txs.map(({ microblock_hash }) => microblock_hash).filter(hash => hash !== null);
};

/**
 * Requests of the endpoints of the chain about what the chain has, and now and then about what it has not. Their
 * parameters are valid; test/requests.test.ts tries others.
 */
export function chainRequests({ blocks, burns, txIds, sent }: BuiltChain): fc.Arbitrary<string> {
  const hash = fc.constantFrom(UNKNOWN, ...blocks.map(block => block.hash));
  const indexHash = fc.constantFrom(UNKNOWN, ...blocks.map(block => block.indexHash));
  const microblockHash = fc.constantFrom(UNKNOWN, ...sent.flatMap(microblocksOf));
  const burnHash = fc.constantFrom(UNKNOWN, ...burns.map(burn => burn.hash));
  const height = fc.nat(Math.max(0, ...blocks.map(block => block.height)) + 1).map(String);
  const burnHeight = fc.constantFrom('5', ...burns.map(burn => String(burn.height)));
  const txId = fc.constantFrom(UNKNOWN, ...txIds);
  const address = fc.constantFrom(NOBODY, ...ADDRESSES);
  const contract = fc.constantFrom(`${NOBODY}.none`, ...CONTRACTS);
  const principal = fc.oneof(address, contract);
  const blockRef = fc.oneof(height, fc.constant('latest'), indexHash, hash);
  const cursor = fc.tuple(indexHash, fc.nat(5)).map(([hash, index]) => `${hash}:2147483647:${index}`);
  const token = fc.constantFrom('stx', encodeURIComponent(FT_ASSET), 'none::none');
  const momentQuery = fc.oneof(
    unanchored,
    fc.oneof(height, hash).map(until => `until_block=${until}`),
  );
  const times = blocks.map(({ body, burn }) => String(Number(body.block_time ?? burn.time) + (burn.height % 3) - 1));
  const cycle = fc.constantFrom('5', ...CYCLES.map(String));
  const name = fc.constantFrom(
    'none.id',
    'none',
    ...NAMES,
    ...NAMES.flatMap(parent => [`sub0.${parent}`, `sub1.${parent}`, `no.${parent}`]),
  );
  const zoneFileHash = fc.constantFrom('ab'.repeat(20), '0x', ...[1, 2, 3].map(byte => `0${byte}`.repeat(20)));
  const pox = fc.constantFrom('pox2', 'pox4', 'pox4', 'pox4', 'pox5');
  const pool = fc.constantFrom(...POOLS.map(accountAddress));
  const page = pageQuery;
  const on = (path: fc.Arbitrary<string>, query: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.tuple(path, query).map(([start, rest]) => (rest ? `${start}?${rest}` : start));
  const at = (template: string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.tuple(...parts).map(values => values.reduce((path, value) => path.replace('*', () => value), template));

  return fc.oneof(
    { weight: 2, arbitrary: on(fc.constant('/extended/v3/transactions'), placeQuery(height)) },
    { weight: 2, arbitrary: on(at('/extended/v3/blocks/*/transactions', blockRef), placeQuery(height)) },
    on(at('/extended/v3/transactions/*', txId), includeQuery),
    on(at('/extended/v3/transactions/*/events', txId), query(numbers('limit', 4, 1), numbers('cursor', 5))),
    { weight: 2, arbitrary: on(at('/extended/v3/principals/*/transactions', principal), placeQuery(height)) },
    on(
      at('/extended/v3/principals/*/transactions/*/balance-changes', principal, txId),
      query(numbers('limit', 3, 1), named('cursor', fc.constantFrom('0:a', '1:stx', '1:z', `2:${FT_ASSET}`, '3:z'))),
    ),
    on(at('/extended/v3/principals/*/balance-changes', principal), changesQuery(txId)),
    { weight: 2, arbitrary: at('/extended/v3/principals/*/balances/stx', principal) },
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
    fc.constant('/extended/v2/mempool/fees'),
    fc.constant('/extended/v1/tx/mempool/stats'),
    fc.constant('/extended/v1/microblock/unanchored/txs'),
    on(fc.constant('/extended/v1/microblock'), page(200)),
    at('/extended/v1/microblock/*', microblockHash),
    on(fc.constant('/extended/v1/tx/mempool/dropped'), page(50)),
    on(at('/extended/v1/tx/block/*', hash), page(200)),
    on(at('/extended/v1/tx/block_height/*', height), page(50)),
    on(fc.constant('/extended/v2/blocks'), page(30)),
    at('/extended/v2/blocks/*', blockRef),
    fc.constant('/extended/v2/blocks/average-times'),
    at('/extended/v2/blocks/by-block-time/*', fc.constantFrom('0', '9999999999', ...times)),
    { weight: 2, arbitrary: on(at('/extended/v2/block-tenures/*/blocks', height), tenureQuery(indexHash)) },
    on(fc.constant('/extended/v2/burn-blocks'), page(30)),
    on(at('/extended/v2/burn-blocks/*/blocks', fc.oneof(burnHash, burnHeight, fc.constant('latest'))), page(30)),
    on(at('/extended/v2/blocks/*/transactions', blockRef), page(50)),
    at('/extended/v1/block/by_burn_block_hash/*', burnHash),
    on(fc.constant('/extended/v1/block'), page(30)),
    on(at('/extended/v2/blocks/*/signer-signatures', blockRef), page(1000)),
    at('/extended/v1/block/*', hash),
    at('/extended/v1/block/by_height/*', height),
    at('/extended/v1/block/by_burn_block_height/*', burnHeight),
    at('/extended/v2/burn-blocks/*', fc.oneof(burnHash, burnHeight, fc.constant('latest'))),
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
    { weight: 3, arbitrary: on(fc.constant('/extended/v1/tx/mempool'), mempoolQuery(principal)) },
    on(at('/extended/v1/address/*/mempool', principal), page(50)),
    on(at('/extended/v1/address/*/nonces', principal), nonceQuery(height, hash)),
    { weight: 2, arbitrary: on(at('/extended/v1/address/*/transactions', principal), historyQuery(height, hash)) },
    {
      weight: 2,
      arbitrary: on(at('/extended/v1/address/*/transactions_with_transfers', principal), historyQuery(height, hash)),
    },
    at('/extended/v1/address/*/*/with_transfers', principal, txId),
    { weight: 2, arbitrary: on(at('/extended/v1/address/*/assets', principal), historyQuery(height, hash, false)) },
    { weight: 2, arbitrary: on(at('/extended/v1/address/*/stx_inbound', principal), historyQuery(height, hash)) },
    { weight: 3, arbitrary: on(at('/extended/v1/search/*', fc.oneof(txId, hash, address, contract)), metadataQuery) },
    {
      weight: 3,
      arbitrary: at(
        '/extended/v3/search?q=*&limit=*',
        beginningOf(fc.oneof(txId, hash, indexHash, burnHash, height, burnHeight, principal, fc.constant(FT_ASSET))),
        fc.constantFrom('1', '2', '10', '50', '50&type=transaction,token', '3&type=smart_contract&type=block'),
      ),
    },
    { weight: 2, arbitrary: on(at('/extended/v2/addresses/*/transactions', principal), page(50)) },
    { weight: 2, arbitrary: at('/extended/v2/addresses/*/transactions?limit=2&cursor=*', address, cursor) },
    { weight: 2, arbitrary: on(at('/extended/v2/addresses/*/transactions/*/events', principal, txId), page(50)) },
    {
      weight: 3,
      arbitrary: on(at('/extended/v1/address/*/*', principal, fc.constantFrom('stx', 'balances')), momentQuery),
    },
    on(
      at('/extended/v2/addresses/*/balances/stx', principal),
      query(named('include_mempool', fc.constantFrom('true', 'false'))),
    ),
    on(at('/extended/v2/addresses/*/balances/ft', principal), page(200)),
    at('/extended/v2/addresses/*/balances/ft/*', principal, token),
    { weight: 2, arbitrary: on(at('/extended/v1/tokens/ft/*/holders', token), page(200)) },
    { weight: 2, arbitrary: on(fc.constant('/extended/v1/tokens/nft/holdings'), holdingsQuery(principal)) },
    { weight: 2, arbitrary: on(fc.constant('/extended/v1/tokens/nft/history'), tokenHistoryQuery) },
    on(at('/extended/v1/contract/*', contract), unanchored),
    on(
      at('/extended/v3/smart-contracts/*', contract),
      query(named('include', fc.constantFrom('abi', 'source_code', 'source_code,abi'))),
    ),
    on(at('/extended/v1/contract/*/events', contract), page(50)),
    on(at('/extended/v2/smart-contracts/*/logs', contract), logsQuery),
    at('/extended/v2/smart-contracts/status?contract_id=*', contract),
    at('/extended/v2/smart-contracts/status?contract_id=*&contract_id=*', contract, contract),
    on(fc.constant(`/extended/v1/contract/by_trait?trait_abi=${TRAIT}`), fc.constant('')),
    on(at('/extended/v1/tokens/nft/mints', fc.constant('')), mintQuery),
    on(at('/extended/v1/*/events', pox), page(200)),
    at('/extended/v1/*/tx/*', pox, txId),
    on(at('/extended/v1/*/stacker/*', pox, fc.oneof(address, pool)), page(200)),
    on(fc.constant('/extended/v2/pox/cycles'), page(60)),
    at('/extended/v2/pox/cycles/*', cycle),
    on(at('/extended/v2/pox/cycles/*/signers', cycle), page(100)),
    on(at('/extended/v2/pox/cycles/*/signers/*/stackers', cycle, fc.constantFrom(...KEYS)), page(200)),
    at('/extended/v2/pox/cycles/*/signers/*', cycle, fc.constantFrom(`0x${'99'.repeat(33)}`, ...KEYS)),
    on(
      at(
        '/extended/v1/*/*/delegations',
        fc.constantFrom('pox4', 'pox4', 'pox3', 'pox2'),
        fc.constantFrom(...POOLS.map(accountAddress)),
      ),
      delegationQuery,
    ),
    fc.constantFrom('/extended/v3/tokens/stx/supply', `/extended/v3/tokens/ft/${encodeURIComponent(FT_ASSET)}/supply`),
    on(
      fc.constantFrom(
        '/extended/v3/tokens/stx/holders',
        `/extended/v3/tokens/ft/${encodeURIComponent(FT_ASSET)}/holders`,
      ),
      cursorPages(
        200,
        fc
          .tuple(fc.constantFrom('-5', '0', '1', '40', '999999999999'), address)
          .map(([balance, who]) => `${balance}:${who}`),
      ),
    ),
    on(
      fc
        .nat(6)
        .chain(id => fc.constantFrom(String(id), toHex(encodeClarityUint(id))))
        .map(value => `/extended/v3/tokens/nft/${encodeURIComponent(NFT_ASSET)}/${value}/history`),
      eventPages(height),
    ),
    ...stakingRequests({ principal, height, cycle, on, at }),
    on(fc.constant('/extended/v1/stx_supply'), supplyQuery),
    on(fc.constant('/extended/v1/stx_supply/legacy_format'), supplyQuery),
    fc.constantFrom('/extended/v1/stx_supply/total/plain', '/extended/v1/stx_supply/circulating/plain'),
    on(fc.constant('/extended/v1/burnchain/rewards'), page(250)),
    on(at('/extended/v1/burnchain/rewards/*', fc.constantFrom(...SLOT_HOLDERS)), page(250)),
    at('/extended/v1/burnchain/rewards/*/total', fc.constantFrom(...SLOT_HOLDERS)),
    on(
      at('/extended/v2/burn-blocks/*/pox-transactions', fc.oneof(burnHash, burnHeight, fc.constant('latest'))),
      page(30),
    ),
    on(at('/extended/v2/addresses/*/pox-transactions', fc.constantFrom(...SLOT_HOLDERS)), page(30)),
    on(fc.constant('/extended/v1/burnchain/reward_slot_holders'), page(250)),
    on(at('/extended/v1/burnchain/reward_slot_holders/*', fc.constantFrom(...SLOT_HOLDERS)), page(250)),
    at('/v1/addresses/stacks/*', address),
    fc
      .array(principal, { minLength: 1, maxLength: 3 })
      .map(principals => `/extended/v3/names?principal=${principals.join(',')}`),
    on(fc.constantFrom('/v1/names', '/v1/namespaces/id/names', '/v1/namespaces/none/names'), namePage),
    fc.constant('/v1/namespaces'),
    { weight: 2, arbitrary: at('/v1/names/*', name) },
    at('/v1/names/*/zonefile', name),
    at('/v1/names/*/zonefile/*', name, zoneFileHash),
    at('/v1/names/*/subdomains', name),
  );
}

interface StakingParts {
  readonly principal: fc.Arbitrary<string>;
  readonly height: fc.Arbitrary<string>;
  readonly cycle: fc.Arbitrary<string>;
  readonly on: (path: fc.Arbitrary<string>, query: fc.Arbitrary<string>) => fc.Arbitrary<string>;
  readonly at: (template: string, ...parts: fc.Arbitrary<string>[]) => fc.Arbitrary<string>;
}

/** Staking of version 3. */
function stakingRequests({ principal, height, cycle, on, at }: StakingParts): fc.Arbitrary<string>[] {
  const bond = fc.constantFrom(...BONDS.map(String), '7');
  const staker = fc.constantFrom(...ACCOUNTS.map(accountAddress));
  const manager = fc.oneof(fc.constantFrom(...MANAGERS), principal);
  const byBond = cursorPages(50, fc.constantFrom('0', '1', '2', '99999999999999999999'));
  const byEvent = eventPages(height);
  const ofBond = '/extended/v3/staking/bonds/*';
  return [
    fc.constantFrom('/extended/v3/staking', '/extended/v3/staking/rewards'),
    on(fc.constant('/extended/v3/staking/bonds'), byBond),
    at(ofBond, bond),
    on(at(`${ofBond}/allowlist`, bond), byEvent),
    at(`${ofBond}/allowlist/*`, bond, staker),
    on(at(`${ofBond}/registrations`, bond), byEvent),
    at(`${ofBond}/registrations/*`, bond, staker),
    at('/extended/v3/principals/*/staking', staker),
    on(at('/extended/v3/principals/*/staking/bonds', staker), byBond),
    on(fc.constant('/extended/v3/staking/signers'), cursorPages(250, manager)),
    at('/extended/v3/staking/signers/*', manager),
    on(at('/extended/v3/staking/signers/*/stakers', manager), cursorPages(200, staker)),
    on(
      at('/extended/v3/staking/cycles/*/signers', fc.oneof(fc.constant('current'), cycle)),
      cursorPages(250, fc.constantFrom(...KEYS)),
    ),
  ];
}

/** All of a text, or what was typed of it so far. */
const beginningOf = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 5, max: 12 })))
    .map(([text, end]) => encodeURIComponent(text.slice(0, end)));

/** Pages of what events made. */
const eventPages = (height: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  cursorPages(
    50,
    fc
      .tuple(height, fc.constantFrom(0, 2147483647), fc.nat(3), fc.constantFrom('', ':0', ':1', ':2', ':1:1'))
      .map(([height, sequence, index, rest]) => `${height}:${sequence}:${index}${rest}`),
  );

/** A page from a cursor. */
const cursorPages = (maxLimit: number, cursor: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  query(numbers('limit', maxLimit, 1), named('cursor', cursor));

/** Parts of a query that are there or not, joined. */
const query = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts.map(part => fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: part })))
    .map(values => values.filter(Boolean).join('&'));

const named = (name: string, values: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  values.map(value => `${name}=${encodeURIComponent(value)}`);
const numbers = (name: string, max: number, min = 0): fc.Arbitrary<string> =>
  named(name, fc.integer({ min, max }).map(String));
const namePage = query(numbers('page', 1));
const unanchored = query(named('unanchored', fc.constantFrom('true', 'false')));
const metadataQuery = query(named('include_metadata', fc.constantFrom('true', 'false')));

const pageParts = (maxLimit: number) => [numbers('limit', maxLimit, 1), numbers('offset', 12)];
const pageQuery = (maxLimit: number): fc.Arbitrary<string> => query(...pageParts(maxLimit));

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
      .subarray(['function_args', 'source_code', 'post_conditions', 'result'], { minLength: 1 })
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

const supplyQuery = query(numbers('height', 30), named('unanchored', fc.constantFrom('true', 'false')));

const tenureQuery = (indexHash: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  query(numbers('limit', 30, 1), numbers('offset', 3, -3), named('cursor', indexHash));

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

/** How transactions are shown that are asked for by id. */
const detailQuery = query(
  numbers('event_limit', 4),
  numbers('event_offset', 3),
  named('unanchored', fc.constantFrom('true', 'false')),
  named('exclude_function_args', fc.constantFrom('true', 'false')),
);

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

const severalQuery = (txId: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(txId, { minLength: 1, maxLength: 4 }), fc.constantFrom(',', '&tx_id='), detailQuery)
    .map(([ids, separator, rest]) => [`tx_id=${ids.join(separator)}`, rest].filter(Boolean).join('&'));

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

/** A page of all, up to a block, or of one. */
const historyQuery = (height: fc.Arbitrary<string>, hash: fc.Arbitrary<string>, ofOne = true): fc.Arbitrary<string> =>
  fc.oneof(
    query(...pageParts(50), named('unanchored', fc.constantFrom('true', 'false'))),
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

const logsQuery = query(
  ...pageParts(20),
  named(
    'cursor',
    fc.tuple(fc.nat(12), fc.constantFrom(0, 1, 2147483647), fc.nat(5), fc.nat(4)).map(numbers => numbers.join(':')),
  ),
);
const holdingsQuery = (principal: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      principal,
      query(
        ...pageParts(200),
        named('tx_metadata', fc.constantFrom('true', 'false')),
        named('asset_identifiers', fc.constantFrom(NFT_ASSET, `${NFT_ASSET},${NFT_ASSET}-none`)),
      ),
    )
    .map(([who, rest]) => [`principal=${who}`, rest].filter(Boolean).join('&'));

const tokenHistoryQuery = fc
  .tuple(
    fc.nat(6).map(id => toHex(encodeClarityUint(id))),
    query(
      ...pageParts(200),
      named('tx_metadata', fc.constantFrom('true', 'false')),
      named('unanchored', fc.constantFrom('true', 'false')),
    ),
  )
  .map(([value, rest]) =>
    [`asset_identifier=${encodeURIComponent(NFT_ASSET)}&value=${value}`, rest].filter(Boolean).join('&'),
  );

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
