import type { Delivery } from '../../../src/ingest/journal/entries.ts';
import { BNS, BNS_V2 } from '../../support/sample-names.ts';
import { ACCOUNTS, CYCLES, LABELS, MANAGERS, NAMESPACE, POX5, SBTC_ASSET, SLOT_HOLDER, TOKENS } from './cast.ts';

const ASSETS = [`${BNS_V2}::BNS-V2`, `${BNS}::names`].map(encodeURIComponent);
const SBTC = encodeURIComponent(SBTC_ASSET);
const CONTRACTS = [...MANAGERS, BNS, BNS_V2, POX5];
const NAMES = [...LABELS, 'bea', 'eve'].map(label => `${label}.${NAMESPACE}`);

interface Payload {
  readonly block_hash?: string;
  readonly block_height?: number;
  readonly index_block_hash?: string;
  readonly transactions?: readonly { readonly txid: string }[];
  readonly burn_block_hash: string;
  readonly burn_block_height: number;
}

/** Requests about everything in the simulated chain, on either side of its forks. */
export function requestsAbout(deliveries: readonly Delivery[]): string[] {
  const payloads = deliveries.map(({ body }): Payload => JSON.parse(Buffer.from(body).toString()));
  const blocks = payloads.filter(({ block_hash }) => block_hash !== undefined);
  const txIds = blocks.flatMap(({ transactions = [] }) => transactions.map(({ txid }) => txid));
  return [
    ...[
      '/extended/v2/blocks?limit=30',
      '/extended/v1/block?limit=30',
      '/extended/v1/tx?limit=50',
      '/extended/v1/tx/mempool',
    ],
    ...[
      '/extended/v1/stx_supply',
      '/extended/v2/pox/cycles',
      '/v1/namespaces',
      '/v1/names',
      `/v1/namespaces/${NAMESPACE}/names`,
    ],
    ...[
      '/extended/v2/burn-blocks?limit=30',
      '/extended/v1/burnchain/rewards',
      '/extended/v1/burnchain/reward_slot_holders',
    ],
    ...[
      `/extended/v1/burnchain/rewards/${SLOT_HOLDER}/total`,
      `/extended/v2/addresses/${SLOT_HOLDER}/pox-transactions`,
    ],
    `/extended/v1/tokens/ft/${SBTC}/holders`,
    ...blocks.flatMap(({ block_hash, index_block_hash, block_height }) => [
      ...[`/extended/v2/blocks/${index_block_hash}`, `/extended/v2/blocks/${block_height}/transactions?limit=50`],
      ...[`/extended/v1/block/${block_hash}`, `/extended/v1/search/${block_hash}`],
      `/extended/v2/block-tenures/${block_height}/blocks`,
    ]),
    ...payloads.map(({ burn_block_hash }) => `/extended/v2/burn-blocks/${burn_block_hash}/blocks`),
    ...txIds.flatMap(id => [`/extended/v1/tx/${id}?event_limit=50`, `/extended/v1/tx/events?tx_id=${id}`]),
    ...[...ACCOUNTS, ...CONTRACTS].flatMap(principal => [
      ...['', '/balances', '/nonces', '/assets', '/stx_inbound', '/transactions'].map(
        part => `/extended/v1/address/${principal}${part || '/stx'}`,
      ),
      `/extended/v2/addresses/${principal}/transactions?limit=50`,
      ...['stx', 'ft', `ft/${SBTC}`].map(kind => `/extended/v2/addresses/${principal}/balances/${kind}`),
      ...[`/extended/v1/tokens/nft/holdings?principal=${principal}`, `/extended/v1/search/${principal}`],
    ]),
    ...ACCOUNTS.map(account => `/v1/addresses/stacks/${account}`),
    ...CONTRACTS.flatMap(id => [
      ...[`/extended/v1/contract/${id}`, `/extended/v1/contract/${id}/events?limit=50`],
      `/extended/v2/smart-contracts/${id}/logs?limit=20`,
    ]),
    ...NAMES.flatMap(name => [`/v1/names/${name}`, `/v1/names/${name}/zonefile`]),
    ...ASSETS.map(asset => `/extended/v1/tokens/nft/mints?asset_identifier=${asset}`),
    ...TOKENS.map(
      id => `/extended/v1/tokens/nft/history?asset_identifier=${ASSETS[0]}&value=0x01${String(id).padStart(32, '0')}`,
    ),
    ...stakingRequests(),
    ...CYCLES.flatMap(cycle => [`/extended/v2/pox/cycles/${cycle}`, `/extended/v2/pox/cycles/${cycle}/signers`]),
  ];
}

/** Version 3: bonds and who takes part, managers and their stakers, what a principal stakes and does. */
function stakingRequests(): string[] {
  const bond = '/extended/v3/staking/bonds/1';
  return [
    ...['', '/bonds', '/rewards', '/signers'].map(list => `/extended/v3/staking${list}`),
    ...['', '/allowlist', '/allowlist?limit=2', '/registrations'].map(part => `${bond}${part}`),
    ...['current', 'previous', 'next', ...CYCLES].flatMap(cycle =>
      ['', '/signers'].map(part => `/extended/v3/staking/cycles/${cycle}${part}`),
    ),
    ...MANAGERS.flatMap(manager => ['', '/stakers'].map(part => `/extended/v3/staking/signers/${manager}${part}`)),
    ...ACCOUNTS.flatMap(account => [
      ...[`${bond}/allowlist/${account}`, `${bond}/registrations/${account}`],
      ...['staking', 'staking/bonds', 'transactions', 'balances/stx', 'transfers/stx/inbound'].map(
        part => `/extended/v3/principals/${account}/${part}`,
      ),
    ]),
  ];
}
