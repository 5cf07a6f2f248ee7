import type * as Api from '../../routes/records.ts';
import { counted, tokens } from '../format/amounts.ts';
import { assetParts, blockLink, fullId, pathTo, principalLink, query, tokenLink, txLink } from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { cursorPager, dataTable, facts, heading, pageRangeOf, pager, section } from '../parts/lists.ts';
import { bar } from '../parts/picture.ts';
import { picture, tokenUnits, unitOf } from '../parts/tokens.ts';

/** A fungible token and its holders. */
export const tokenPage: PageRenderer = async (api, { params, query: asked }) => {
  const asset = params.asset ?? '';
  const place = pageRangeOf(asked.page, 50);
  const { contract } = assetParts(asset);
  const [holders, similar, units] = await Promise.all([
    api.get<Api.Holders>(`/extended/v1/tokens/ft/${pathTo(asset)}/holders${query({ ...place })}`),
    api.find<Api.OffsetPage<Api.FungibleToken>>(
      `/metadata/v1/ft/${pathTo(contract)}/lookalikes${query({ limit: 10 })}`,
    ),
    tokenUnits(api, [asset]),
  ]);
  const unit = unitOf(units, asset);
  const token = units.get(asset)?.token;
  const held = holders.results.filter(({ balance }) => BigInt(balance) > 0n);
  const supply = BigInt(holders.total_supply);
  const inContracts = held.filter(({ address }) => address.includes('.')).length;
  const body = html`${heading('Token', html`${picture(token, asset, 40)}<bdi>${token?.name || unit.symbol}</bdi>`, fullId(asset))}
<p class="lead">${tokens(supply, unit)} are held by ${counted(holders.total, 'account')}. <a href="${pathTo('token', asset, 'transfers')}">All its transfers</a></p>
${similar && similar.total > 1 && lookalikes(contract, similar)}
<div class="columns-2">${section(
    'About',
    facts([
      ['Contract', principalLink(contract)],
      ['Symbol', unit.symbol],
      ['Decimals', unit.decimals ?? 'not known'],
      ['Said to be', token?.description && html`<bdi>${token.description.slice(0, 500)}</bdi>`],
      ['Metadata', token?.token_uri && html`<span class="dim">${token.token_uri}</span>`],
    ]),
  )}
${section('On this page', html`<p>${counted(inContracts, 'of these holders is a contract', 'of these holders are contracts')}.</p>`)}</div>
<div data-part="holders">${section('Holders', holderTable(held, supply, unit))}</div>
${pager(place, holders.total, pathTo('token', asset))}`;
  return { title: `${unit.symbol} · token`, body, live: ['block'] };
};

/** Facts alone: which of them is meant, a reader must know. */
function lookalikes(contract: string, { total, results }: Api.OffsetPage<Api.FungibleToken>): Html {
  const others = results.filter(token => token.contract_principal !== contract);
  const [oldest] = results;
  return html`<p class="band">${counted(total - 1, 'other token')} ${total === 2 ? 'has' : 'have'} a symbol or a name that looks like this one’s: ${others.map(
    ({ symbol, name, contract_principal, asset_identifier }, i) =>
      html`${i > 0 && ', '}${tokenLink(asset_identifier, symbol || name || assetParts(asset_identifier).name)} <small>of</small> ${principalLink(contract_principal)}`,
  )}${total - 1 > others.length && ' and more'}. ${
    oldest?.contract_principal === contract
      ? 'This one is the oldest.'
      : oldest && html`The oldest is that of ${principalLink(oldest.contract_principal)}.`
  }</p>`;
}

function holderTable(holders: Api.Holders['results'], supply: bigint, unit: Parameters<typeof tokens>[1]): Html {
  // In ten-thousandths: the share is for the eye, the balance beside it is exact.
  const percentOf = (balance: string) => (supply > 0n ? Number((BigInt(balance) * 10_000n) / supply) / 100 : 0);
  return dataTable<Api.Holders['results'][number]>(
    'Holders, the richest first',
    [
      { head: 'Holder', cell: ({ address }) => principalLink(address) },
      { head: 'Balance', numeric: true, cell: ({ balance }) => tokens(balance, unit) },
      {
        head: 'Share',
        numeric: true,
        cell: ({ balance }) => (percentOf(balance) > 0 ? `${percentOf(balance)} %` : '< 0.01 %'),
      },
      { head: 'Of all', cell: ({ balance }) => bar(percentOf(balance)) },
    ],
    holders,
    'Nobody holds any.',
  );
}

/** The transfers, mints and burns of a fungible token. */
export const tokenTransfersPage: PageRenderer = async (api, { params, query: asked }) => {
  const asset = params.asset ?? '';
  const [transfers, units] = await Promise.all([
    api.get<Api.PageByCursor<Api.FtTransfer>>(
      `/extended/v3/tokens/ft/${pathTo(asset)}/transfers${query({ limit: 25, cursor: asked.cursor })}`,
    ),
    tokenUnits(api, [asset]),
  ]);
  const unit = unitOf(units, asset);
  const path = pathTo('token', asset, 'transfers');
  const body = html`${heading('Transfers of', tokenLink(asset, units.get(asset)?.token?.name || unit.symbol), fullId(asset))}
<p class="lead">${counted(transfers.total, 'event')} moved, made or burned it.</p>
<div data-part="list">${dataTable<Api.FtTransfer>(
    'Transfers, the newest first',
    [
      { head: 'From', cell: ({ sender }) => (sender === null ? 'made' : principalLink(sender)) },
      { head: 'To', cell: ({ recipient }) => (recipient === null ? 'burned' : principalLink(recipient)) },
      { head: 'Amount', numeric: true, cell: ({ amount }) => tokens(amount, unit) },
      { head: 'When', cell: ({ block }) => time(block.time) },
      { head: 'Block', numeric: true, cell: ({ block }) => blockLink(block.height) },
      { head: 'Transaction', cell: ({ transaction }) => txLink(transaction.tx_id) },
    ],
    transfers.results,
    'Nothing has moved it yet.',
  )}${cursorPager(transfers, path)}</div>`;
  return { title: `Transfers of ${unit.symbol}`, body, live: asked.cursor === undefined ? ['block'] : [] };
};

/** All fungible tokens that follow the standard. */
export const tokensPage: PageRenderer = async (api, { query: asked }) => {
  const place = pageRangeOf(asked.page, 30);
  const list = await api.get<Api.OffsetPage<Api.FungibleToken>>(`/metadata/v1/ft${query({ ...place })}`);
  const body = html`${heading('Stacks', 'Tokens')}
${dataTable<Api.FungibleToken>(
  'Fungible tokens, the newest first',
  [
    {
      head: 'Token',
      cell: token => html`${picture(token, token.asset_identifier)}${tokenLink(token.asset_identifier, nameOf(token))}`,
    },
    { head: 'Symbol', cell: ({ symbol }) => html`<bdi>${symbol}</bdi>` },
    { head: 'Contract', cell: ({ contract_principal }) => principalLink(contract_principal) },
  ],
  list.results,
  'There are none yet.',
)}
${pager(place, list.total, 'tokens')}`;
  return { title: 'Tokens', body };
};

const nameOf = ({ name, asset_identifier }: Api.FungibleToken): string => name || assetParts(asset_identifier).name;
