/** What an account holds, and its transfers of STX: one list a page. */
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { stx, tokens } from '../format/amounts.ts';
import { blockLink, pathTo, principalLink, query as queryText, tokenLink, txLink } from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { cursorPager, dataTable, tabs } from './lists.ts';
import { contractOf, fetchTokens, itemKey, nftCard, picture, unitOf, unitsIn } from './tokens.ts';

const TOKENS = 50;
const ITEMS = 48;
const TRANSFERS = 25;

/** Fungible tokens with balances. @param path of the account below `/explorer/` */
export async function tokenHoldings(api: ApiClient, { params, query }: PageRequest, path: string): Promise<Html> {
  const id = pathTo(params.principal ?? '');
  const held = await api.get<Api.PageByCursor<Api.FtPosition>>(
    `/extended/v3/principals/${id}/balances/ft${queryText({ limit: TOKENS, cursor: query.cursor })}`,
  );
  const assets = held.results.map(({ asset_identifier }) => asset_identifier);
  const units = unitsIn(await fetchTokens(api, assets.map(contractOf)), assets);
  return html`${dataTable<Api.FtPosition>(
    'Fungible tokens',
    [
      {
        head: 'Token',
        cell: ({ asset_identifier: token }) =>
          html`${picture(units.get(token)?.token, token)}${tokenLink(token, units.get(token)?.token?.name || unitOf(units, token).symbol)}`,
      },
      {
        head: 'Balance',
        numeric: true,
        cell: ({ asset_identifier: token, balance }) => tokens(balance, unitOf(units, token)),
      },
      { head: 'Contract', cell: ({ asset_identifier: token }) => principalLink(contractOf(token)) },
    ],
    held.results,
    'It holds no fungible tokens.',
  )}${cursorPager(held, path, { tab: 'tokens' })}`;
}

/** NFTs in groups by collection, as the API sorts them. @param path of the account below `/explorer/` */
export async function nftHoldings(api: ApiClient, { params, query }: PageRequest, path: string): Promise<Html> {
  const id = pathTo(params.principal ?? '');
  const nfts = await api.get<Api.PageByCursor<Api.NftPosition>>(
    `/extended/v3/principals/${id}/balances/nft${queryText({ limit: ITEMS, cursor: query.cursor })}`,
  );
  if (nfts.results.length === 0) return html`<p class="none">It holds no NFTs.</p>`;
  const items = await fetchTokens(
    api,
    nfts.results.flatMap(nft => itemKey(nft) ?? []),
  );
  return html`<ul class="gallery">${nfts.results.map(holding => html`<li>${nftCard(holding, items)}</li>`)}</ul>${cursorPager(nfts, path, { tab: 'nfts' })}`;
}

/** Incoming or outgoing STX, an entry for each event. @param path of the account below `/explorer/` */
export async function stxTransfers(api: ApiClient, { params, query }: PageRequest, path: string): Promise<Html> {
  const id = pathTo(params.principal ?? '');
  const way = query.way === 'out' ? 'outbound' : 'inbound';
  const list = await api.get<Api.PageByCursor<Api.StxTransfer>>(
    `/extended/v3/principals/${id}/transfers/stx/${way}${queryText({ limit: TRANSFERS, cursor: query.cursor })}`,
  );
  const link = (to: string | undefined) => `${path}${queryText({ tab: 'transfers', way: to })}`;
  return html`${tabs('Direction', [
    { text: 'Received', path: link(undefined), isCurrent: way === 'inbound' },
    { text: 'Sent', path: link('out'), isCurrent: way === 'outbound' },
  ])}
${dataTable<Api.StxTransfer>(
  way === 'inbound' ? 'STX received, the newest first' : 'STX sent, the newest first',
  [
    {
      head: way === 'inbound' ? 'From' : 'To',
      cell: ({ sender, recipient }) => partyText(way === 'inbound' ? sender : recipient, way),
    },
    { head: 'Amount', numeric: true, cell: ({ amount }) => stx(amount) },
    { head: 'Block', isMinor: true, numeric: true, cell: ({ block }) => blockLink(block.height) },
    { head: 'Time', cell: ({ block }) => time(block.time) },
    { head: 'Transaction', isMain: true, cell: ({ transaction }) => txLink(transaction.tx_id) },
  ],
  list.results,
  way === 'inbound' ? 'It has received no STX.' : 'It has sent no STX.',
)}${cursorPager(list, path, { tab: 'transfers', way: query.way })}`;
}

const partyText = (principal: string | null, way: 'inbound' | 'outbound'): Html =>
  principal === null ? html`${way === 'inbound' ? 'minted' : 'burned'}` : principalLink(principal);
