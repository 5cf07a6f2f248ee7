import type { OperationText, ParameterText, Texts } from '../http/openapi/document.ts';

/** The words of `/doc` and `/openapi.json`: all that the routes and their schemas do not say themselves. */
export const documentation = (version: string): Texts => ({
  title: 'stacks-index',
  version,
  description:
    'The Stacks blockchain, indexed: blocks, transactions, addresses, contracts, tokens, stacking, names and the mempool. ' +
    'All answers are JSON, nothing needs a key, and only reading is offered (GET and HEAD).\n\n' +
    'Lists come in pages: `limit` and `offset` go in, and come back with the `total`. Amounts are text, as they exceed ' +
    'what a JSON number holds. Hashes are lower-case hex with `0x`. Names of parameters that are not known are ignored.\n\n' +
    'Most answers carry an `ETag`: send it back in `If-None-Match`, and while nothing has changed the answer is a 304.',
  tags: [
    { name: 'Blocks', description: 'Blocks of the Stacks chain, and of the burn chain they stand on.' },
    { name: 'Transactions', description: 'Transactions that a block has, or a microblock on the tip.' },
    { name: 'Mempool', description: 'Transactions that wait for a block.' },
    { name: 'Addresses', description: 'What a principal took part in: an address or a contract.' },
    { name: 'Contracts', description: 'Deployed contracts and what they printed.' },
    { name: 'Tokens', description: 'Tokens: what was minted, and their metadata.' },
    { name: 'Stacking', description: 'Signers, pools and reward slots of Proof of Transfer.' },
    { name: 'Names', description: 'Names of the Bitcoin Name System.' },
    { name: 'Search', description: 'Whatever an id stands for.' },
    { name: 'Status', description: 'How far the index is.' },
  ],
  operations: OPERATIONS,
  parameters: PARAMETERS,
});

const TX_ID = '0x66c26d0e4b1e4b1ab4b5d0b1ddf0e1b7d6b3f0a2c6f2d0c3a5f1b9e2c7d80f11';
const ADDRESS = 'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7';

const LAST_GOOD =
  'What was fetched once is served, also while it is fetched anew, and when that fails. Without a Stacks node to ask, what was ' +
  'never fetched is a 503.';

const TOKEN = {
  tag: 'Tokens',
  description: LAST_GOOD,
  notFound: 'No such contract of this standard, or no such token',
  unprocessable: 'The metadata is being fetched, could not be fetched, or is not there in this locale',
  parameters: { principal: { description: 'The contract: `<address>.<name>`.', example: `${ADDRESS}.my-token` } },
} as const;

const FUNGIBLE_TOKEN = { ...TOKEN, notFound: 'No such contract of this standard' } as const;

const FUNGIBLE_TOKENS = {
  tag: 'Tokens',
  description:
    'One record a contract; what was not fetched yet is left out of it. Without a name, or a symbol, comes last.',
  parameters: {
    address: { description: 'Only contracts whose id begins like this.', example: ADDRESS },
    order_by: { description: 'By name, or by symbol; letter case does not matter.' },
  },
} as const;

/** By path as it is routed. */
const OPERATIONS: Readonly<Record<string, OperationText>> = {
  '/extended/v2/blocks': {
    operationId: 'listBlocks',
    tag: 'Blocks',
    summary: 'List blocks',
    description:
      'The canonical blocks, newest first. `prev_cursor` leads towards genesis, `next_cursor` towards the tip; with a ' +
      'cursor, `offset` counts from its block.',
    notFound: 'No canonical block has this cursor, or the offset leads off the chain',
    parameters: { offset: { description: 'Blocks to skip; below zero, towards the tip.' } },
  },
  '/extended/v2/blocks/:height_or_hash': {
    operationId: 'getBlock',
    tag: 'Blocks',
    summary: 'Get a block',
    notFound: 'No canonical block is that high, or has that hash',
  },
  '/extended/v2/blocks/:height_or_hash/transactions': {
    operationId: 'listBlockTransactions',
    tag: 'Blocks',
    summary: 'List the transactions of a block',
    description: 'In the order of the block.',
    notFound: 'No canonical block is that high or has that hash, or it has no transactions',
  },
  '/extended/v1/block/by_burn_block_hash/:burn_block_hash': {
    operationId: 'getBlockByBurnBlockHash',
    tag: 'Blocks',
    summary: 'Get the newest block of a burn block',
    description: 'An orphaned block is shown when the burn block has no canonical one.',
    notFound: 'The burn block has no known block',
    redirect: 'To the same path with `0x` before the hash',
  },
  '/extended/v2/burn-blocks/:height_or_hash': {
    operationId: 'getBurnBlock',
    tag: 'Blocks',
    summary: 'Get a burn block',
    notFound: 'No canonical block stands on that burn block',
    parameters: {
      height_or_hash: { description: 'Height or hash of the burn block, or `latest`.', example: 'latest' },
    },
  },
  '/extended/v1/tx': {
    operationId: 'listTransactions',
    tag: 'Transactions',
    summary: 'List recent transactions',
    description: 'Filters add up. The filters of time look at the burn block.',
  },
  '/extended/v1/tx/:tx_id/raw': {
    operationId: 'getRawTransaction',
    tag: 'Transactions',
    summary: 'Get the bytes of a transaction',
    description: 'Whatever became of it: confirmed, orphaned, pending or dropped.',
    notFound: 'No such transaction is known',
    redirect: 'To the same path with `0x` before the id',
    parameters: {
      event_limit: { description: 'Checked, and without effect.' },
      event_offset: { description: 'Checked, and without effect.' },
    },
  },
  '/extended/v1/tx/mempool': {
    operationId: 'listMempoolTransactions',
    tag: 'Mempool',
    summary: 'List pending transactions',
    parameters: {
      sender_address: { description: 'Only those that this principal sent.', example: ADDRESS },
      recipient_address: { description: 'Only transfers to this principal.', example: ADDRESS },
      address: {
        description: 'Only those that it sent, receives, deploys or calls; not beside the other two.',
        example: ADDRESS,
      },
      unanchored: { description: 'Whether to leave out those that a microblock on the tip has.' },
    },
  },
  '/extended/v2/mempool/fees': {
    operationId: 'getMempoolFees',
    tag: 'Mempool',
    summary: 'Get the fees of pending transactions',
    description: 'The 25th, 50th, 75th and 95th percentile of all, and of each kind that is pending.',
  },
  '/extended/v2/addresses/:address/transactions': {
    operationId: 'listAddressTransactions',
    tag: 'Addresses',
    summary: 'List the transactions of a principal',
    description: 'Newest first, with what the principal sent and received in each; fees it paid are in `stx_sent`.',
  },
  '/extended/v2/addresses/:address/transactions/:tx_id/events': {
    operationId: 'listAddressTransactionEvents',
    tag: 'Addresses',
    summary: 'List what a transaction moved from or to a principal',
    notFound: 'No block has ever had the transaction',
  },
  '/extended/v1/contract/by_trait': {
    operationId: 'listContractsByTrait',
    tag: 'Contracts',
    summary: 'List the contracts that have a trait',
    description: 'Newest first. A contract matches when its interface contains every function of the trait.',
    notFound: 'No contract has the trait, or the offset is past the last one',
  },
  '/extended/v1/contract/:contract_id': {
    operationId: 'getContract',
    tag: 'Contracts',
    summary: 'Get a contract',
    notFound: 'No such contract was deployed',
  },
  '/extended/v1/contract/:contract_id/events': {
    operationId: 'listContractEvents',
    tag: 'Contracts',
    summary: 'List what a contract printed',
    description: 'Newest first.',
  },
  '/extended/v1/tokens/nft/mints': {
    operationId: 'listNftMints',
    tag: 'Tokens',
    summary: 'List the mints of a non-fungible token',
    description: 'Newest first; what was burnt since is listed too.',
  },
  '/metadata/v1/nft/:principal/:token_id': {
    operationId: 'getNftMetadata',
    summary: 'Get the metadata of a non-fungible token',
    ...TOKEN,
  },
  '/metadata/nft/:principal/:token_id': {
    operationId: 'getNftMetadataUnversioned',
    summary: 'Get the metadata of a non-fungible token (path without version)',
    ...TOKEN,
  },
  '/metadata/v1/sft/:principal/:token_id': {
    operationId: 'getSftMetadata',
    summary: 'Get the metadata of a semi-fungible token',
    ...TOKEN,
  },
  '/metadata/sft/:principal/:token_id': {
    operationId: 'getSftMetadataUnversioned',
    summary: 'Get the metadata of a semi-fungible token (path without version)',
    ...TOKEN,
  },
  '/metadata/v1/ft/:principal': {
    operationId: 'getFtMetadata',
    summary: 'Get the metadata of a fungible token',
    ...FUNGIBLE_TOKEN,
  },
  '/metadata/ft/:principal': {
    operationId: 'getFtMetadataUnversioned',
    summary: 'Get the metadata of a fungible token (path without version)',
    ...FUNGIBLE_TOKEN,
  },
  '/metadata/v1/ft': {
    operationId: 'listFtMetadata',
    summary: 'List fungible tokens',
    ...FUNGIBLE_TOKENS,
  },
  '/metadata/ft': {
    operationId: 'listFtMetadataUnversioned',
    summary: 'List fungible tokens (path without version)',
    ...FUNGIBLE_TOKENS,
  },
  '/extended/v2/pox/cycles/:cycle_number/signers': {
    operationId: 'listSigners',
    tag: 'Stacking',
    summary: 'List the signers of a cycle',
    description: 'The heaviest first.',
    notFound: 'The cycle has no reward set',
  },
  '/extended/v2/pox/cycles/:cycle_number/signers/:signer_key': {
    operationId: 'getSigner',
    tag: 'Stacking',
    summary: 'Get a signer of a cycle',
    notFound: 'The cycle has no reward set, or not this signer',
  },
  '/extended/v1/:pox(^pox[0-9]$)/:pool_principal/delegations': {
    operationId: 'listDelegations',
    tag: 'Stacking',
    summary: 'List the members of a stacking pool',
    description: 'Newest first: the last delegation of each, while it is neither revoked nor expired.',
    notFound: 'There is no block of this height, or no such version of PoX',
  },
  '/extended/v1/burnchain/reward_slot_holders': {
    operationId: 'listRewardSlots',
    tag: 'Stacking',
    summary: 'List reward slots',
    description: 'Newest first.',
  },
  '/extended/v1/burnchain/reward_slot_holders/:address': {
    operationId: 'listRewardSlotsOfAddress',
    tag: 'Stacking',
    summary: 'List the reward slots of an address',
    description: 'Newest first.',
    parameters: {
      address: {
        description: 'A Bitcoin address, or a Stacks address that stands for the Bitcoin address of the same key.',
        example: '1FzTxL9Mxnm2fdmnQEArfhzJHevwbvcH6d',
      },
    },
  },
  '/v1/addresses/:blockchain/:address': {
    operationId: 'listNamesOfAddress',
    tag: 'Names',
    summary: 'List the names that an address owns',
    parameters: {
      address: { description: 'The owner.', example: ADDRESS },
      unanchored: { description: 'Checked, and without effect.' },
    },
  },
  '/extended/v1/search/:id': {
    operationId: 'search',
    tag: 'Search',
    summary: 'Find what an id stands for',
    notFound: 'Nothing has this id; the body says what kind of id it is',
  },
  '/extended': {
    operationId: 'getStatus',
    tag: 'Status',
    summary: 'Get the status of the index',
  },
  '/metadata/v1': {
    operationId: 'getMetadataStatus',
    tag: 'Status',
    summary: 'Get the status of token metadata',
  },
  '/metadata': {
    operationId: 'getMetadataStatusUnversioned',
    tag: 'Status',
    summary: 'Get the status of token metadata (path without version)',
  },
};

/** By name, where a route says nothing else. */
const PARAMETERS: Readonly<Record<string, ParameterText>> = {
  limit: { description: 'Records of the page.' },
  offset: { description: 'Records to skip.' },
  cursor: { description: 'A cursor of another page: an index block hash.' },
  height_or_hash: {
    description: 'Height, block hash or index block hash (`0x` may be left out), or `latest`.',
    example: 'latest',
  },
  burn_block_hash: { description: 'Hash of the burn block.', example: TX_ID },
  tx_id: { description: 'Transaction id; `0x` may be left out.', example: TX_ID },
  type: { description: 'Only these kinds: `a,b`, or the parameter repeated.' },
  unanchored: { description: 'Whether to include what only a microblock on the tip has.' },
  order: { description: 'Direction.' },
  order_by: { description: 'By receipt, by length in bytes, or by fee.' },
  sort_by: { description: 'What the list is sorted by.' },
  from_address: { description: 'Only those that this address sent.', example: ADDRESS },
  to_address: { description: 'Only transfers to this principal.', example: ADDRESS },
  start_time: { description: 'Only those of burn blocks at or after it, in Unix seconds; 0 stands for no bound.' },
  end_time: { description: 'Only those of burn blocks at or before it, in Unix seconds; 0 stands for no bound.' },
  contract_id: { description: 'Contract: `<address>.<name>`.', example: 'SP000000000000000000002Q6VF78.pox-4' },
  function_name: { description: 'Only calls of functions of this name.', example: 'transfer' },
  nonce: { description: 'Only those with this nonce of the sender; 0 stands for any.' },
  exclude_function_args: { description: 'Whether to leave out the arguments of contract calls.' },
  address: { description: 'An address, or the id of a contract.', example: ADDRESS },
  trait_abi: {
    description: 'Interface of the trait as JSON.',
    example: '{"functions":[{"name":"transfer","access":"public"}]}',
  },
  asset_identifier: {
    description: '`<contract id>::<asset name>`',
    example: 'SP000000000000000000002Q6VF78.bns::names',
  },
  tx_metadata: { description: 'Whether to show the whole transaction in place of its id.' },
  cycle_number: { description: 'Number of the reward cycle.', example: '84' },
  signer_key: {
    description: 'Public key of the signer in hex; `0x` may be left out.',
    example: '0x038e3c4529395611be9abf6fa3b6987e81d402385e3d605a073f42f407565a4a3d',
  },
  pox: { description: 'Version of PoX.', example: 'pox4' },
  pool_principal: { description: 'The pool: an address, or the id of a contract.', example: ADDRESS },
  after_block: { description: 'Only delegations in blocks above this height.' },
  height: { description: 'As it was at this height.' },
  blockchain: { description: 'Only `stacks` is known.', example: 'stacks' },
  token_id: { description: 'Number of the token: decimal digits, up to 2^128 - 1.', example: '1' },
  locale: {
    description: 'Locale of the metadata, exactly as the token declares it; the default one where it is empty.',
  },
  name: { description: 'Only tokens whose name contains it, in any letter case.' },
  symbol: { description: 'Only tokens of this symbol, in any letter case.' },
  valid_metadata_only: { description: 'Whether to leave out tokens without metadata.' },
  id: { description: 'Id of a transaction, hash of a block, address, or id of a contract.', example: ADDRESS },
  include_metadata: { description: 'Whether to show the whole record.' },
};
