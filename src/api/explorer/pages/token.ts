import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { amountOfToken, counted, decimalText, grouped, type TokenUnit, tokens, unitHead } from '../format/amounts.ts';
import { assetParts, blockLink, fullId, pathTo, principalLink, query, tokenLink, txLink } from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageContent, PageRenderer } from '../page.ts';
import { stepChart } from '../parts/charts.ts';
import { cursorPager, dataTable, facts, heading, pageRangeOf, pager, section, summary } from '../parts/lists.ts';
import { bar } from '../parts/picture.ts';
import { picture, tokenKinds, tokenUnits, unitOf } from '../parts/tokens.ts';

/** A fungible token and its holders. */
export const tokenPage: PageRenderer = async (api, { params, query: asked }) => {
  const asset = params.asset ?? '';
  if (asked.plot === 'supply') return supplyPage(api, asset);
  const place = pageRangeOf(asked.page, 50);
  const { contract } = assetParts(asset);
  const [holders, totals, similar, units] = await Promise.all([
    api.get<Api.Holders>(`/extended/v1/tokens/ft/${pathTo(asset)}/holders${query({ ...place })}`),
    totalsOf(api, asset),
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
<div data-part="lead">${summary([
    [
      'Supply',
      html`<b>${tokens(supply, unit)}</b> <small><a href="${pathTo('token', asset)}${query({ plot: 'supply' })}">over time</a></small>`,
    ],
    ['Holders', grouped(totals.holders)],
    [
      'Transfers, mints, burns',
      html`<a href="${pathTo('token', asset, 'transfers')}">${grouped(totals.transfers.total)}</a> <small>${grouped(totals.transfers.last_7d)} in 7 days</small>`,
    ],
    ['Decimals', unit.decimals ?? 'not known'],
    ['Contract', principalLink(contract)],
  ])}</div>
${similar && lookalikes(contract, similar)}
${
  (token?.description || token?.token_uri) &&
  section(
    'Metadata of its contract',
    facts([
      ['Description', token.description && html`<bdi>${token.description.slice(0, 500)}</bdi>`],
      ['Document', token.token_uri && html`<span class="dim">${token.token_uri}</span>`],
    ]),
  )
}
<div data-part="holders">${section('Holders', html`${place.offset === 0 && richestText(held, supply)}${holderTable(held, supply, unit)}${inContracts > 0 && html`<p class="dim">${counted(inContracts, 'holder on this page is a contract', 'holders on this page are contracts')}.</p>`}`)}</div>
${pager(place, totals.holders, pathTo('token', asset))}`;
  return { title: `${unit.symbol} · token`, body, live: ['block'] };
};

const totalsOf = (api: ApiClient, asset: string): Promise<Api.FtTotals> =>
  api.get(`/extended/v3/tokens/ft/${pathTo(asset)}/totals`);

/** Points of the picture of a supply. */
const SUPPLIES = 120;

/** The supply of a token, after the blocks that changed it. */
async function supplyPage(api: ApiClient, asset: string): Promise<PageContent> {
  const [history, units] = await Promise.all([
    api.get<Api.FtSupplyHistory>(
      `/extended/v3/tokens/ft/${pathTo(asset)}/supply/history${query({ points: SUPPLIES })}`,
    ),
    tokenUnits(api, [asset]),
  ]);
  const unit = unitOf(units, asset);
  const chart = stepChart({
    name: 'supply',
    title: 'The supply over time, from the first block that changed it to the last',
    points: history.results.map(({ block, total }) => ({ at: block.time, amount: BigInt(total) })),
    text: amount => `${decimalText(amount, unit.decimals ?? 0)} ${unit.symbol}`,
    amount: amount => tokens(amount, unit),
    place: time,
    heads: ['Time', 'Supply'],
  });
  const body = html`${heading('Supply of', tokenLink(asset, units.get(asset)?.token?.name || unit.symbol), fullId(asset))}
<p class="lead">Now <b>${tokens(history.total, unit)}</b>.</p>
<div data-part="chart">${chart ?? html`<p class="none">It has changed too seldom for a picture.</p>`}</div>`;
  return { title: `Supply of ${unit.symbol}`, body, live: ['block'] };
}

/** Lists tokens of the same symbol, the oldest first, without judgement: the reader must know which one is meant. */
function lookalikes(contract: string, { total, results }: Api.OffsetPage<Api.FungibleToken>): Html {
  const others = results.filter(token => token.contract_principal !== contract);
  const [oldest] = results;
  const compared = html`<small>Compared: symbols and names; of tokens without them, the names of asset and contract.</small>`;
  if (total <= 1)
    return html`<p class="dim">No other token has a symbol or a name that looks like this one’s. ${compared}</p>`;
  return html`<p class="band">${counted(total - 1, 'other token')} ${total === 2 ? 'has' : 'have'} a symbol or a name that looks like this one’s, the oldest first: ${others.map(
    ({ symbol, name, contract_principal, asset_identifier }, i) =>
      html`${i > 0 && ', '}${tokenLink(asset_identifier, symbol || name || assetParts(asset_identifier).name)} <small>of</small> ${principalLink(contract_principal)}`,
  )}${total - 1 > others.length && ' and more'}. ${
    oldest?.contract_principal === contract
      ? 'This one is the oldest.'
      : oldest && html`The oldest is that of ${principalLink(oldest.contract_principal)}.`
  } ${compared}</p>`;
}

const RICHEST = 10;

/** The combined share of the richest holders, if there are further holders. @param held by the first holders */
function richestText(held: Api.Holders['results'], supply: bigint): Html | false {
  if (held.length <= RICHEST || supply <= 0n) return false;
  const sum = held.slice(0, RICHEST).reduce((total, { balance }) => total + BigInt(balance), 0n);
  return html`<p>The ${RICHEST} richest hold ${Number((sum * 10_000n) / supply) / 100} % together.</p>`;
}

function holderTable(holders: Api.Holders['results'], supply: bigint, unit: TokenUnit): Html {
  // In ten-thousandths: the share is rounded, the balance beside it is exact.
  const percentOf = (balance: string) => (supply > 0n ? Number((BigInt(balance) * 10_000n) / supply) / 100 : 0);
  return dataTable<Api.Holders['results'][number]>(
    'Holders, the richest first',
    [
      { head: 'Holder', cell: ({ address }) => principalLink(address) },
      { head: unitHead('Balance', unit), numeric: true, cell: ({ balance }) => amountOfToken(balance, unit) },
      {
        head: 'Share',
        numeric: true,
        cell: ({ balance }) => (percentOf(balance) > 0 ? `${percentOf(balance)} %` : '< 0.01 %'),
      },
      { head: 'Share of all', cell: ({ balance }) => bar(percentOf(balance)) },
    ],
    holders,
    'No account holds any.',
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
<p class="lead">${counted(transfers.total, 'transfer, mint or burn', 'transfers, mints and burns')}.</p>
<div data-part="list">${dataTable<Api.FtTransfer>(
    'Transfers, the newest first',
    [
      { head: 'From', cell: ({ sender }) => (sender === null ? 'minted' : principalLink(sender)) },
      { head: 'To', cell: ({ recipient }) => (recipient === null ? 'burned' : principalLink(recipient)) },
      { head: unitHead('Amount', unit), numeric: true, cell: ({ amount }) => amountOfToken(amount, unit) },
      { head: 'Time', cell: ({ block }) => time(block.time) },
      { head: 'Block', isMinor: true, numeric: true, cell: ({ block }) => blockLink(block.height) },
      { head: 'Transaction', isMain: true, cell: ({ transaction }) => txLink(transaction.tx_id) },
    ],
    transfers.results,
    'Nothing has moved it yet.',
  )}${cursorPager(transfers, path)}</div>`;
  return { title: `Transfers of ${unit.symbol}`, body, live: asked.cursor === undefined ? ['block'] : [] };
};

/** Each row costs a request. */
const TOKENS_A_PAGE = 15;

/** A token of the list, with the sums of its events. */
interface ListedToken {
  readonly token: Api.FungibleToken;
  readonly totals: Api.FtTotals;
}

/** All fungible tokens that follow the standard. */
export const tokensPage: PageRenderer = async (api, { query: asked }) => {
  const place = pageRangeOf(asked.page, TOKENS_A_PAGE);
  const list = await api.get<Api.OffsetPage<Api.FungibleToken>>(`/metadata/v1/ft${query({ ...place })}`);
  const rows = await Promise.all(
    list.results.map(async token => ({ token, totals: await totalsOf(api, token.asset_identifier) })),
  );
  const body = html`${heading('Stacks', 'Tokens')}
${tokenKinds('tokens')}
<div data-part="list">${dataTable<ListedToken>(
    'Fungible tokens, the newest first',
    [
      {
        head: 'Token',
        cell: ({ token }) =>
          html`${picture(token, token.asset_identifier)}${tokenLink(token.asset_identifier, nameOf(token))}`,
      },
      { head: 'Symbol', isMinor: true, cell: ({ token: { symbol } }) => html`<bdi>${symbol}</bdi>` },
      {
        head: 'Supply',
        numeric: true,
        cell: ({ token: { asset_identifier, decimals }, totals }) =>
          tokens(totals.supply, {
            symbol: decimals === undefined ? assetParts(asset_identifier).name : '',
            decimals,
          }),
      },
      { head: 'Decimals', isMinor: true, numeric: true, cell: ({ token }) => token.decimals ?? 'unknown' },
      { head: 'Holders', numeric: true, cell: ({ totals }) => grouped(totals.holders) },
      {
        head: 'Moves in 7 days',
        isMinor: true,
        numeric: true,
        cell: ({ totals }) =>
          html`<span title="Transfers, mints and burns of the seven days before the newest block">${grouped(totals.transfers.last_7d)}</span>`,
      },
      { head: 'Contract', isMinor: true, cell: ({ token }) => principalLink(token.contract_principal) },
    ],
    rows,
    'There are none yet.',
  )}</div>
${pager(place, list.total, 'tokens')}`;
  return { title: 'Tokens', body };
};

const nameOf = ({ name, asset_identifier }: Api.FungibleToken): string => name || assetParts(asset_identifier).name;
