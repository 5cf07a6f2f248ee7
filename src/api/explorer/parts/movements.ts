/** Incoming and outgoing movements of all assets of an account, with a filter of days. */
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { grouped, stx, tokens } from '../format/amounts.ts';
import { assetParts, nftLink, pathTo, principalLink, query as queryText, tokenLink, txLink } from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { dayOf, option } from './history.ts';
import { dataTable } from './lists.ts';
import { periodTotals } from './period.ts';
import { valueText } from './tokens.ts';

const ROWS = 50;

const WAYS = [
  ['in', 'received'],
  ['out', 'sent, and fees'],
] as const;

/** The movements of an account, the newest first. @param path of the account below `/explorer/` */
export async function accountMovements(api: ApiClient, { params, query }: PageRequest, path: string): Promise<Html> {
  const days = { from: dayOf(query.from), to: dayOf(query.to) };
  const direction = WAYS.find(([name]) => name === query.direction)?.[0];
  const id = pathTo(params.principal ?? '');
  const [list, totals] = await Promise.all([
    api.get<Api.MovementsOfPrincipal>(
      `/extended/v3/principals/${id}/movements${queryText({ limit: ROWS, ...days, direction, cursor: query.cursor })}`,
    ),
    query.cursor === undefined ? periodTotals(api, id, days) : undefined,
  ]);
  const kept = { tab: 'movements', ...days, direction };
  return html`<form class="filter" action="${path}" aria-label="Filter the movements"><input type="hidden" name="tab" value="movements"><select name="direction" aria-label="Which way">${[['', 'in and out'], ...WAYS].map(([value = '', words = '']) => option(value, words, direction))}</select> <label>from <input type="date" name="from" value="${days.from}"></label> <label>to <input type="date" name="to" value="${days.to}"></label> <button>Show</button></form>
${totals}
${dataTable<Api.MovementRow>(
  'Movements, the newest first',
  [
    { head: 'Movement', cell: movementText },
    { head: 'Amount', numeric: true, cell: amountText },
    { head: 'With', cell: ({ counterparty }) => counterparty !== null && principalLink(counterparty) },
    { head: 'Balance after', isMinor: true, numeric: true, cell: balanceText },
    { head: 'Time', cell: ({ time: seconds }) => time(seconds) },
    { head: 'Transaction', isMain: true, cell: ({ tx_id }) => tx_id !== null && txLink(tx_id) },
  ],
  list.results,
  list.cursor.next === null ? 'Nothing moved.' : 'Nothing moved here: the next page goes on.',
)}<nav class="pager" aria-label="Pages">${query.cursor !== undefined && html`<a href="${path}${queryText(kept)}">First</a>`} ${list.cursor.next !== null && html`<a href="${path}${queryText({ ...kept, cursor: list.cursor.next })}" rel="next">Next</a>`}</nav>
${takeHome(id, { ...days, direction })}`;
}

/** Links to files of the API with all movements of all assets. @param id of the account, encoded  @param chosen days and direction */
export const takeHome = (id: string, chosen: Readonly<Record<string, string | undefined>> = {}): Html => {
  const file = (format: string) => `../extended/v3/principals/${id}/movements${queryText({ format, ...chosen })}`;
  return html`<p>Take the list home: <a href="${file('csv')}" download>all that moved, as CSV</a>, <a href="${file('koinly')}" download>for Koinly</a></p>`;
};

function movementText({ type, direction }: Api.MovementRow): string {
  if (type === 'fee') return 'Fee paid';
  if (type === 'reward') return 'Miner reward';
  if (direction === 'self') return 'Sent to itself';
  if (direction === 'in') return type === 'mint' ? 'Minted' : 'Received';
  return type === 'burn' ? 'Burned' : 'Sent';
}

const unitOf = ({ identifier, symbol, decimals }: Api.MovementRow['asset']) => ({
  symbol: symbol ?? assetParts(identifier ?? '').name,
  decimals: decimals ?? undefined,
});

function amountText({ type, asset, amount, fee }: Api.MovementRow): Html {
  const { identifier, value } = asset;
  if (identifier === null) return stx(type === 'fee' ? fee : amount);
  if (value !== null) {
    return nftLink(identifier, value.hex, `${assetParts(identifier).name} ${valueText(value)}`);
  }
  const unit = unitOf(asset);
  return html`${tokens(amount, { ...unit, symbol: '' })}${tokenLink(identifier, unit.symbol)}`;
}

function balanceText({ asset, balance }: Api.MovementRow): Html | string {
  if (asset.identifier === null) return stx(balance);
  return asset.value === null ? tokens(balance, unitOf(asset)) : grouped(balance);
}
