import { keyText } from '../../support/pox-prints.ts';
import { accountAddress } from '../../support/transaction-builder.ts';
import {
  ANCHORED,
  type EveryChain,
  GAPS,
  NAME,
  SLOT_HOLDER,
  STREAMED,
  SUBDOMAIN,
  UNDEPLOYED,
  WAITING,
} from './chain.ts';
import { POOL } from './pox.ts';
import { ALONE, BONDED } from './staking.ts';
import { CONTRACT, deployedBy, FT, NFT, OWNER, RECIPIENT, SPONSOR, TOKEN } from './transactions.ts';

/** Requests of versions 1 and 2 about that chain. */
export function questionsOfOlderVersions({ blocks, forks, microblocks, txIds }: EveryChain): string[] {
  const [txId = ''] = txIds.anchored;
  const principals = [...[OWNER, RECIPIENT, SPONSOR, WAITING, GAPS].map(accountAddress), ALONE, BONDED];
  const failed = deployedBy(ANCHORED, 'abort_by_response');
  const contracts = [CONTRACT, UNDEPLOYED, ...[STREAMED, WAITING].map(account => deployedBy(account, 'success'))];
  return [
    '/extended',
    ...Object.values(txIds)
      .flat()
      .map(id => `/extended/v1/tx/${id}?unanchored=true`),
    ...[...Object.values(txIds).flat(), ...principals, ...contracts].map(
      id => `/extended/v1/search/${id}?include_metadata=true`,
    ),
    ...principals.flatMap(principal => [
      ...['nonces', 'mempool', 'transactions', 'transactions_with_transfers', 'assets', 'stx_inbound'].map(
        list => `/extended/v1/address/${principal}/${list}?unanchored=true`,
      ),
      ...['stx', 'balances', `${txId}/with_transfers`].map(rest => `/extended/v1/address/${principal}/${rest}`),
      ...[`transactions/${txId}/events`, 'balances/stx', 'balances/ft', `balances/ft/${FT}`].map(
        rest => `/extended/v2/addresses/${principal}/${rest}`,
      ),
      `/extended/v1/tokens/nft/holdings?principal=${principal}`,
    ]),
    `/extended/v1/contract/${failed}`,
    // The middle of a list, and a page behind its end.
    ...['limit=1&offset=2', 'offset=1000'].flatMap(page => [
      `/extended/v2/blocks?${page}`,
      `/extended/v2/smart-contracts/${CONTRACT}/logs?${page}`,
      `/extended/v2/addresses/${accountAddress(OWNER)}/transactions?${page}`,
    ]),
    `/extended/v1/tokens/nft/history?asset_identifier=${NFT}&value=${TOKEN}&unanchored=true`,
    ...microblocks.map(hash => `/extended/v1/microblock/${hash}`),
    '/extended/v1/microblock/unanchored/txs',
    ...blocks.map(({ hash }) => `/extended/v1/block/${hash}`),
    ...blocks.map(({ burn }) => `/extended/v2/burn-blocks/${burn.hash}/pox-transactions`),
    ...forks.map(({ burn }) => `/extended/v2/burn-blocks/${burn.hash}`),
    `/extended/v2/addresses/${SLOT_HOLDER}/pox-transactions`,
    ...['pox2', 'pox4'].map(pox => `/extended/v1/${pox}/events`),
    `/extended/v1/pox4/${POOL}/delegations`,
    `/extended/v2/pox/cycles/7/signers/${keyText(2)}/stackers`,
    ...[NAME, SUBDOMAIN].map(name => `/v1/names/${name}`),
  ];
}

/** Requests to a chain that has no block yet. */
export const QUESTIONS_OF_THE_EMPTY_CHAIN = [
  '/extended',
  '/extended/v1/stx_supply',
  '/extended/v1/stx_supply/legacy_format',
  '/extended/v2/blocks',
  '/metadata/v1',
];
