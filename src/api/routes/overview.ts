import type { Overview } from '../http/openapi/openapi.ts';

/** The introduction of the API's documentation. */
export const overview = (version: string): Overview => ({
  title: 'stacks-index',
  version,
  description:
    'The Stacks blockchain, indexed: blocks, transactions, addresses, contracts, tokens, stacking, names and the mempool. ' +
    'All responses are JSON, nothing needs a key, and all but a few routes are for reading (GET and HEAD).\n\n' +
    'Requests to `/v2/*` and `/v3/*` are forwarded to a Stacks node, if this server has one: read-only calls, accounts, fees, and ' +
    'broadcasts (`POST /v2/transactions`). The responses are those of the node.\n\n' +
    'Lists come in pages: `limit` and `offset` go in, and come back with the `total`. Amounts are text, as they exceed ' +
    'what a JSON number holds. Hashes are lower-case hex with `0x`. Names of parameters that are not known are ignored.\n\n' +
    'Most responses carry an `ETag`: send it back in `If-None-Match`, and while nothing has changed the response is a 304.\n\n' +
    'The examples are of the bundled sample chain, which `npm run demo` serves.',
  tags: [
    { name: 'Blocks', description: 'Blocks of the Stacks chain, and of the burn chain.' },
    { name: 'Transactions', description: 'Transactions that a block has, or a microblock on the tip.' },
    { name: 'Mempool', description: 'Pending and dropped transactions.' },
    { name: 'Addresses', description: 'Balances, transactions and events of a principal: an address or a contract.' },
    { name: 'Contracts', description: 'Deployed contracts and their logs.' },
    { name: 'Tokens', description: 'Tokens: mints, holders and metadata.' },
    { name: 'Stacking', description: 'Signers, pools and reward slots of Proof of Transfer.' },
    { name: 'Names', description: 'Names of the Bitcoin Name System.' },
    { name: 'Search', description: 'Entities by id or by the beginning of a text.' },
    { name: 'Live', description: 'Events of the chain and the mempool as they happen.' },
    { name: 'Status', description: 'How far the index is.' },
  ],
});
