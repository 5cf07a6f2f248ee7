import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted, grouped, signedStx, stx, tokens } from '../format/amounts.ts';
import { blockLink, nameLink, pathTo, tokenLink, txLink } from '../format/links.ts';
import { aboutBitcoinBlocks, time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import {
  balanceChart,
  CHART_POINTS,
  changeOf,
  filteredHistory,
  filterForm,
  filterOf,
  runningBalances,
} from './history.ts';
import { dataTable, pageRangeOf, pager, section } from './lists.ts';
import { stakingPosition } from './stacking.ts';
import {
  contractOf,
  type FoundTokens,
  fetchTokens,
  itemKey,
  nftCard,
  picture,
  type TokenUnits,
  unitOf,
  unitsIn,
} from './tokens.ts';
import { chip, sentence, stateOf, transactionTable } from './transactions.ts';

const ROWS = 25;

/**
 * The common parts of addresses and contracts: balances, pending transactions, and the history with its running
 * balance.
 * @param path of the page below `/explorer/`
 */
export async function accountOverview(
  api: ApiClient,
  { params, query }: PageRequest,
  path: string,
): Promise<{ readonly body: Html; readonly balance: Api.StxBalance }> {
  const principal = params.principal ?? '';
  const id = pathTo(principal);
  const place = pageRangeOf(query.page, ROWS);
  const filter = filterOf(query);
  const [balance, held, waiting, history, nfts, names, staking, chart, filtered] = await Promise.all([
    api.get<Api.StxBalance>(`/extended/v1/address/${id}/stx`),
    api.get<Api.PageByCursor<Api.FtPosition>>(`/extended/v3/principals/${id}/balances/ft?limit=20`),
    api.get<Api.OffsetPage<Api.Transaction>>(`/extended/v1/address/${id}/mempool?limit=20`),
    api.get<Api.OffsetPage<Api.HistoryRow>>(
      `/extended/v2/addresses/${id}/transactions?limit=${place.limit}&offset=${place.offset}`,
    ),
    api.get<Api.PageByCursor<Api.NftPosition>>(`/extended/v3/principals/${id}/balances/nft?limit=24`),
    api.get<Api.Names>(`/v1/addresses/stacks/${id}`),
    api.get<Api.StakingSummary>(`/extended/v3/principals/${id}/staking`),
    filter
      ? undefined
      : api.get<Api.StxHistory>(`/extended/v3/principals/${id}/balances/stx/history?points=${CHART_POINTS}`),
    filter && filteredHistory(api, principal, filter, place, path),
  ]);
  const assets = held.results.map(({ asset_identifier }) => asset_identifier);
  const hasNonces = waiting.total > 0 && !principal.includes('.');
  const [status, nonces, found, balances] = await Promise.all([
    balance.locked === '0' ? undefined : api.get<Api.Status>('/extended'),
    hasNonces ? api.get<Api.NoncesOfPrincipal>(`/extended/v3/principals/${id}/nonces`) : undefined,
    fetchTokens(api, [...assets.map(contractOf), ...nfts.results.flatMap(nft => itemKey(nft) ?? [])]),
    filter ? [] : runningBalances(api, id, history.results, place.offset === 0 ? balance : undefined),
  ]);
  const used = history.total > 0 || balance.balance !== '0' || waiting.total > 0;
  const body = html`<p class="lead" data-part="lead">${used ? stxLine(balance, status) : 'It was never used on this chain.'}${
    names.names.length > 0 &&
    html` Its names: ${names.names.slice(0, 5).map((name, i) => [i > 0 && ', ', nameLink(name)])}${names.names.length > 5 && ` and ${names.names.length - 5} more`}.`
  }</p>
<div data-part="staking">${stakingPosition(staking)}</div>
<div data-part="waiting">${waiting.total > 0 && section(`${counted(waiting.total, 'transaction')} waiting`, html`${nonces && nonceLine(nonces)}${transactionTable('Waiting for a block', waiting.results, ['state', 'what', 'fee', 'nonce', 'when', 'id'], '')}`)}</div>
<div class="columns-2" data-part="assets">${section('Tokens', tokenTable(held, unitsIn(found, assets)))}
${section('NFTs', gallery(nfts, found))}</div>
<div data-part="history">${section(
    `History: ${counted(history.total, 'transaction')}`,
    html`${chart && balanceChart(chart)}${history.total > 0 && filterForm(path, query)}${
      filtered ?? html`${historyTable(history.results, balances)}${pager(place, history.total, path)}`
    }
<p><a href="${pathTo('address', principal, 'history.csv')}">As CSV</a> <small>(1,000 rows a file)</small></p>`,
  )}</div>`;
  return { body, balance };
}

function stxLine(balance: Api.StxBalance, status: Api.Status | undefined): Html {
  const locked = BigInt(balance.locked);
  const { burnchain_unlock_height: until, pending_balance_inbound: coming, pending_balance_outbound: going } = balance;
  const blocksLeft = until - (status?.chain_tip?.burn_block_height ?? 0);
  const when = blocksLeft > 0 ? `, ${aboutBitcoinBlocks(blocksLeft)} from now` : '';
  const isMoving = BigInt(coming ?? 0) > 0n || BigInt(going ?? 0) > 0n;
  return html`<b class="big">${stx(balance.balance)}</b>${
    locked > 0n &&
    html`, of which ${stx(locked)} are locked until Bitcoin block ${until.toLocaleString('en')}${when}, and ${stx(BigInt(balance.balance) - locked)} free`
  }.${isMoving && html` After what waits: ${stx(balance.estimated_balance ?? balance.balance)}.`}${
    BigInt(balance.total_miner_rewards_received) > 0n &&
    html` Rewards of mining: ${stx(balance.total_miner_rewards_received)}.`
  }`;
}

const nonceLine = ({ next_nonce: next, mempool: { missing_nonces: missing } }: Api.NoncesOfPrincipal): Html =>
  html`<p>The next nonce is ${next}.${missing.length > 0 && html` <b class="out">Missing: ${missing.slice(0, 10).join(', ')}</b>: what has a later nonce waits for ${missing.length === 1 ? 'it' : 'them'}.`}</p>`;

const tokenTable = (held: Api.PageByCursor<Api.FtPosition>, units: TokenUnits): Html =>
  html`${dataTable<Api.FtPosition>(
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
    ],
    held.results,
    'None.',
  )}${held.total > held.results.length && html`<p class="dim">The first ${held.results.length} of ${held.total}.</p>`}`;

/** In groups by collection, as the API sorts them. */
function gallery(nfts: Api.PageByCursor<Api.NftPosition>, items: FoundTokens): Html {
  if (nfts.total === 0) return html`<p class="none">None.</p>`;
  return html`<ul class="gallery">${nfts.results.map(holding => html`<li>${nftCard(holding, items)}</li>`)}</ul>
${nfts.total > nfts.results.length && html`<p class="dim">The first ${nfts.results.length} of ${grouped(nfts.total)}.</p>`}`;
}

const historyTable = (rows: readonly Api.HistoryRow[], balances: readonly (bigint | undefined)[]): Html =>
  dataTable<Api.HistoryRow>(
    'Transactions, the newest first',
    [
      { head: 'State', cell: ({ tx }) => chip(stateOf(tx)) },
      { head: 'What', cell: ({ tx }) => sentence(tx) },
      { head: 'Change', numeric: true, cell: row => signedStx(changeOf(row)) },
      { head: 'Balance after', numeric: true, cell: (_, i) => balances[i] !== undefined && stx(balances[i]) },
      { head: 'Block', numeric: true, cell: ({ tx }) => tx.block_height !== undefined && blockLink(tx.block_height) },
      { head: 'When', cell: ({ tx }) => time(tx.block_time || tx.burn_block_time) },
      { head: 'Transaction', cell: ({ tx }) => txLink(tx.tx_id) },
    ],
    rows,
    'None.',
  );
