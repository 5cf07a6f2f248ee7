import type * as Api from '../../routes/records.ts';
import { pathTo, query } from '../format/links.ts';
import { html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { heading, pageRangeOf, pager, section, tabs } from '../parts/lists.ts';
import { feeAdvice, feeBands } from '../parts/mempool.ts';
import { transactionTable } from '../parts/transactions.ts';

const ORDERS = [
  ['age', 'the newest first'],
  ['fee', 'by fee'],
  ['size', 'by size'],
] as const;

/** Transactions that wait for a block. */
export const mempoolPage: PageRenderer = async (api, { query: asked }) => {
  const order = ORDERS.find(([name]) => name === asked.order)?.[0] ?? 'age';
  const place = pageRangeOf(asked.page, 50);
  const [waiting, bands, fees, dropped] = await Promise.all([
    api.get<Api.OffsetPage<Api.Transaction>>(`/extended/v1/tx/mempool${query({ order_by: order, ...place })}`),
    api.get<Api.MempoolBands>('/extended/v3/mempool/bands'),
    api.get<Api.MempoolFees>('/extended/v2/mempool/fees'),
    api.get<Api.OffsetPage<Api.Transaction>>('/extended/v1/tx/mempool/dropped?limit=10'),
  ]);
  const kept = { order: order === 'age' ? undefined : order };
  const body = html`${heading('Stacks', 'Mempool')}
<div class="columns-2">${section('Pending, by fee', feeBands(bands), 'bands')}${section('Fees now', feeAdvice(fees), 'fees')}</div>
${tabs(
  'Order',
  ORDERS.map(([name, text]) => ({
    text,
    path: `mempool${query({ order: name === 'age' ? undefined : name })}`,
    isCurrent: name === order,
  })),
)}
<div data-part="list">${transactionTable('Pending transactions', waiting.results, ['what', 'fee', 'nonce', 'when', 'id'], 'No transaction is pending.')}</div>
${pager(place, waiting.total, pathTo('mempool'), kept)}
${dropped.results.length > 0 && section('Dropped recently', transactionTable('Dropped recently', dropped.results, ['state', 'what', 'fee', 'when', 'id'], ''))}`;
  return { title: 'Mempool', body, live: ['mempool', 'block'] };
};
