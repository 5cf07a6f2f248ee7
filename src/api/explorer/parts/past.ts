/** An account as of the block that `?at=` names (docs/past.md). Such a page has no pending data, and does not change. */
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { grouped, signedStx, stx, tokens } from '../format/amounts.ts';
import { blockLink, pathTo, query as queryText, tokenLink, txLink } from '../format/links.ts';
import { DAY, time, timeOfBlock } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { chip, stateOf } from '../words/states.ts';
import { changeOf } from './history.ts';
import { dataTable, pageRangeOf, pager, section, summary } from './lists.ts';
import { newestBlock } from './newest-block.ts';
import { contractOf, fetchTokens, unitOf, unitsIn } from './tokens.ts';
import { sentence } from './transactions.ts';

const ROWS = 25;
const TOKENS = 50;

const HEIGHT = /^\d{1,9}$/;

/** The value of `?at=` for the API: a height, or the end of a day in UTC; undefined for any other text. */
function placeOf(at: string): string | undefined {
  if (HEIGHT.test(at)) return at;
  const start = /^\d{4}-\d\d-\d\d$/.test(at) ? Date.parse(at) / 1000 : Number.NaN;
  return Number.isNaN(start) || start < 0 ? undefined : `time:${start + DAY - 1}`;
}

/** A form without scripts: for a day or a height. @param path of the account below `/explorer/` */
export const pastForm = (path: string, at: string | undefined): Html => {
  const isHeight = at !== undefined && HEIGHT.test(at);
  return html`<form class="filter" action="${path}" aria-label="The account in the past"><label>As of the end of <input type="date" name="at" value="${!isHeight && at}"></label> <label>or of Stacks block <input name="block" value="${isHeight && at}" inputmode="numeric" pattern="[0-9]{1,9}" maxlength="9" size="9" placeholder="height"></label> <button>Show</button>${at !== undefined && html` <a href="${path}">now</a>`}</form>`;
};

/** The day or the height that a page of an account shows: `?at=`, or a height in the second field of the form; undefined for now. */
export const pastOf = ({ at, block }: PageRequest['query']): string | undefined => at || block || undefined;

/**
 * The account as of the block that `?at=` names.
 * @param path of the account below `/explorer/`
 * @throws ApiError for an invalid account
 */
export async function accountInThePast(api: ApiClient, { params, query }: PageRequest, path: string): Promise<Html> {
  const at = pastOf(query) ?? '';
  const place = placeOf(at);
  const form = pastForm(path, at);
  if (place === undefined) return html`${form}<p class="none">Not a day or a height: ${at.slice(0, 100)}</p>`;
  const { block, tip } = await blockAt(api, place);
  if (!block)
    return html`${form}<p class="none">${await outsideText(api, place, tip)} <a href="${path}">The account now</a></p>`;
  return html`${form}${await stateAt(api, params.principal ?? '', block, { page: query.page, at }, path)}`;
}

/** Explains why the chain has no block at a place: it is above the tip, or before the first block. */
async function outsideText(api: ApiClient, at: string, tip: Api.Block | undefined): Promise<Html> {
  const first = await api.find<Api.Block>('/extended/v2/blocks/1');
  if (!first || !tip) return html`There is no block yet.`;
  const end = at.startsWith('time:') ? Number(at.slice('time:'.length)) : Number.POSITIVE_INFINITY;
  return end < timeOfBlock(first)
    ? html`The first block is of ${time(timeOfBlock(first))}: before it, no account had anything.`
    : html`The newest block is ${blockLink(tip.height)}, of ${time(timeOfBlock(tip))}.`;
}

/**
 * The block at a place, or the newest block if the API has none there: it has none for a time after the tip, and for the day of the newest block, that
 * is the block to show.
 */
async function blockAt(
  api: ApiClient,
  at: string,
): Promise<{ readonly block: Api.Block | undefined; readonly tip: Api.Block | undefined }> {
  const found = await api.find<Api.OffsetPage<Api.Block>>(`/extended/v2/blocks${queryText({ limit: 1, at })}`);
  if (found) return { block: found.results[0], tip: undefined };
  const tip = await newestBlock(api);
  const end = at.startsWith('time:') ? Number(at.slice('time:'.length)) : 0;
  const moment = tip ? timeOfBlock(tip) : 0;
  return { block: moment <= end && moment > end - DAY ? tip : undefined, tip };
}

async function stateAt(
  api: ApiClient,
  principal: string,
  block: Api.Block,
  query: PageRequest['query'],
  path: string,
): Promise<Html> {
  const id = pathTo(principal);
  const place = pageRangeOf(query.page, ROWS);
  const [balance, history] = await Promise.all([
    api.get<Api.AccountBalance>(`/extended/v1/address/${id}/balances${queryText({ until_block: block.height })}`),
    api.get<Api.OffsetPage<Api.HistoryRow>>(
      `/extended/v2/addresses/${id}/transactions${queryText({ ...place, at: block.height })}`,
    ),
  ]);
  const held = Object.entries(balance.fungible_tokens).filter(([, { balance }]) => balance !== '0');
  const assets = held.slice(0, TOKENS).map(([asset]) => asset);
  const units = unitsIn(await fetchTokens(api, assets.map(contractOf)), assets);
  const items = Object.values(balance.non_fungible_tokens).reduce((sum, { count }) => sum + BigInt(count), 0n);
  return html`<p class="band">As of block ${blockLink(block.height)}, ${time(timeOfBlock(block))}. Later changes are not on this page.</p>
${summary([
  ['Balance', html`<b>${stx(balance.stx.balance)}</b>`],
  ['Transactions', grouped(history.total)],
  ['Received', stx(balance.stx.total_received)],
  ['Sent', stx(balance.stx.total_sent)],
  ['Fees paid', stx(balance.stx.total_fees_sent)],
  ['NFTs', grouped(items)],
])}
${section(
  'Tokens',
  html`${dataTable<string>(
    'Fungible tokens',
    [
      { head: 'Token', cell: asset => tokenLink(asset, unitOf(units, asset).symbol) },
      {
        head: 'Balance',
        numeric: true,
        cell: asset => tokens(balance.fungible_tokens[asset]?.balance ?? '0', unitOf(units, asset)),
      },
    ],
    assets,
    'It held no fungible tokens.',
  )}${held.length > assets.length && html`<p class="dim">The first ${assets.length} of ${held.length}.</p>`}`,
)}
${section(
  'History',
  html`${dataTable<Api.HistoryRow>(
    'Transactions, the newest first',
    [
      { head: 'Status', cell: ({ tx }) => chip(stateOf(tx)) },
      { head: 'Action', cell: ({ tx }) => sentence(tx) },
      { head: 'Change', numeric: true, cell: row => signedStx(changeOf(row)) },
      {
        head: 'Block',
        isMinor: true,
        numeric: true,
        cell: ({ tx }) => tx.block_height !== undefined && blockLink(tx.block_height),
      },
      { head: 'Time', cell: ({ tx }) => time(tx.block_time || tx.burn_block_time) },
      { head: 'Transaction', isMain: true, cell: ({ tx }) => txLink(tx.tx_id) },
    ],
    history.results,
    'None.',
  )}${pager(place, history.total, path, { at: query.at })}`,
)}`;
}
