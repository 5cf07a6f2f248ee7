/** The history of an account: balances after its rows, its filter, and the chart of its balance. */
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { decimalText, stx } from '../format/amounts.ts';
import { query as queryText } from '../format/links.ts';
import { DAY, time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { stepChart } from './charts.ts';
import { type PageRange, pager } from './lists.ts';
import { transactionTable } from './transactions.ts';

/** The change that a transaction made to the STX of its account; the sent amount includes the fee. */
export const changeOf = ({ stx_received, stx_sent }: Api.HistoryRow): bigint => BigInt(stx_received) - BigInt(stx_sent);

/**
 * The STX balance after each row of a page of a history, computed from a balance of the API and the changes of the rows. Undefined for
 * rows that this does not reach: rewards of miners change balances without transactions.
 * @param id of the account, encoded  @param now the balance after the first row, if that is the newest
 */
export async function runningBalances(
  api: ApiClient,
  id: string,
  rows: readonly Api.HistoryRow[],
  now: Api.StxBalance | undefined,
): Promise<readonly (bigint | undefined)[]> {
  const [first] = rows;
  if (first === undefined) return [];
  if (now !== undefined && now.total_miner_rewards_received === '0') return descending(rows, 0, BigInt(now.balance));
  // The previous page may have further rows of the first row's block, but the balance at the end of the next block below
  // is exact.
  const below = rows.findIndex(({ tx }) => tx.block_height !== first.tx.block_height);
  if (below < 0) return rows.map(() => undefined);
  const height = rows[below]?.tx.block_height;
  const anchor = await api.find<Api.StxBalance>(`/extended/v1/address/${id}/stx?until_block=${height}`);
  if (anchor === undefined || anchor.total_miner_rewards_received !== '0') return rows.map(() => undefined);
  return descending(rows, below, BigInt(anchor.balance));
}

/** Balances from the one after the row at `at`: downwards it subtracts the changes of rows, upwards it adds them. */
function descending(rows: readonly Api.HistoryRow[], at: number, balance: bigint): bigint[] {
  const balances: bigint[] = new Array(rows.length).fill(0n);
  let after = balance;
  for (let i = at; i < rows.length; i++) {
    balances[i] = after;
    after -= changeOf(rows[i] as Api.HistoryRow);
  }
  after = balance;
  for (let i = at - 1; i >= 0; i--) {
    after += changeOf(rows[i] as Api.HistoryRow);
    balances[i] = after;
  }
  return balances;
}

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

/** A day as `2026-11-22`; undefined for any other text. */
export const dayOf = (text: string | undefined): string | undefined =>
  /^\d{4}-\d\d-\d\d$/.test(text ?? '') && !Number.isNaN(Date.parse(text ?? '')) ? text : undefined;

/** The first second of a day. */
export const secondsOf = (day: string): number => Date.parse(day) / 1000;

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

/** An option of a select, chosen or not. */
export const option = (value: string, words: string, chosen: string | undefined): Html =>
  value === (chosen ?? '')
    ? html`<option value="${value}" selected>${words}</option>`
    : html`<option value="${value}">${words}</option>`;

/** The number of points that a picture of its width can show. */
export const CHART_POINTS = 120;

/** A chart of an account's STX from its first transaction to its last, and of mining rewards since. */
export function balanceChart({ balance, results }: Api.StxHistory): Html | undefined {
  const points = results.map(({ block, bitcoin_block, balance }) => ({
    at: block.time || bitcoin_block.time,
    amount: BigInt(balance),
  }));
  const last = points.at(-1);
  const now = BigInt(balance);
  return stepChart({
    name: 'balance',
    title: 'The STX balance over time, from the first transaction to the last',
    points: last && last.amount !== now ? [...points, { at: last.at, amount: now }] : points,
    text: amount => `${decimalText(amount, 6)} STX`,
    amount: stx,
    place: time,
    heads: ['Time', 'Balance'],
  });
}
