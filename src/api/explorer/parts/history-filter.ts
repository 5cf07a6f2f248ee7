import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { query as queryText } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { type PageRange, pager } from './pager.ts';
import { transactionTable } from './transactions.ts';

const WAYS = { sent: 'from_address', received: 'to_address' } as const;
const TYPES = [
  ['token_transfer', 'transfers'],
  ['contract_call', 'calls'],
  ['smart_contract', 'deployments'],
] as const;

/** The requested part of a history. The API finds it in the whole history, not only in the rows of this page. */
interface HistoryFilter {
  readonly way: keyof typeof WAYS;
  readonly type: string | undefined;
  /** Days as `2026-11-22`, in UTC; both included. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly nonce: string | undefined;
}

/** The filter of a URL; undefined without one. An invalid day, type or nonce is left out. */
export function filterOf({ show, type, from, to, nonce }: PageRequest['query']): HistoryFilter | undefined {
  if (show !== 'sent' && show !== 'received') return undefined;
  return {
    way: show,
    type: TYPES.find(([name]) => name === type)?.[0],
    from: dayOf(from),
    to: dayOf(to),
    nonce: show === 'sent' && /^[1-9]\d{0,14}$/.test(nonce ?? '') ? nonce : undefined,
  };
}

const dayOf = (text: string | undefined): string | undefined =>
  /^\d{4}-\d\d-\d\d$/.test(text ?? '') && !Number.isNaN(Date.parse(text ?? '')) ? text : undefined;

const DAY = 86_400;
const secondsOf = (day: string): number => Date.parse(day) / 1000;

/** The rows of a filtered history, the newest first. */
export async function filteredHistory(
  api: ApiClient,
  principal: string,
  { way, type, from, to, nonce }: HistoryFilter,
  { limit, offset }: PageRange,
  path: string,
): Promise<Html> {
  const asked = queryText({
    [WAYS[way]]: principal,
    type,
    nonce,
    start_time: from && secondsOf(from),
    end_time: to && secondsOf(to) + DAY - 1,
    limit,
    offset,
  });
  const found = await api.get<Api.OffsetPage<Api.Transaction>>(`/extended/v1/tx${asked}`);
  const columns = ['state', 'what', 'fee', 'nonce', 'block', 'when', 'id'] as const;
  return html`${transactionTable('Transactions, the newest first', found.results, columns, 'No transaction is like this.')}${pager(
    { limit, offset },
    found.total,
    path,
    { show: way, type, from, to, nonce },
  )}`;
}

/** A form that works without scripts; its fields go into the URL. @param path of the page below `/explorer/` */
export const filterForm = (path: string, { show, type, from, to, nonce }: PageRequest['query']): Html =>
  html`<form class="filter" action="${path}" aria-label="Filter the history">
<select name="show" aria-label="Which way">${[
    ['', 'all'],
    ['sent', 'sent'],
    ['received', 'STX received'],
  ].map(([value = '', words = '']) => option(value, words, show))}</select>
<select name="type" aria-label="Type">${option('', 'every type', type)}${TYPES.map(([value, words]) => option(value, words, type))}</select>
<label>from <input type="date" name="from" value="${from}"></label>
<label>to <input type="date" name="to" value="${to}"></label>
<label>nonce <input name="nonce" value="${nonce}" inputmode="numeric" maxlength="15" size="6"></label>
<button>Filter</button>${show && html` <a href="${path}">all of it</a>`}</form>`;

const option = (value: string, words: string, chosen: string | undefined): Html =>
  value === (chosen ?? '')
    ? html`<option value="${value}" selected>${words}</option>`
    : html`<option value="${value}">${words}</option>`;
