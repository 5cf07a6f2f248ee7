import type * as Api from '../../routes/records.ts';
import { pathTo, query } from '../format/links.ts';
import { html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { heading, pageRangeOf, pager, section } from '../parts/lists.ts';
import { feeBands } from '../parts/mempool.ts';
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
  const [waiting, bands, dropped] = await Promise.all([
    api.get<Api.OffsetPage<Api.Transaction>>(`/extended/v1/tx/mempool${query({ order_by: order, ...place })}`),
    api.get<Api.MempoolBands>('/extended/v3/mempool/bands'),
    api.get<Api.OffsetPage<Api.Transaction>>('/extended/v1/tx/mempool/dropped?limit=10'),
  ]);
  const kept = { order: order === 'age' ? undefined : order };
  const body = html`${heading('Stacks', 'What waits for a block')}
<div class="waiting" data-part="bands">${feeBands(bands)}</div>
<nav class="tabs" aria-label="Order">${ORDERS.map(([name, words]) =>
    name === order
      ? html`<a aria-current="page" href="mempool${query({ order: name })}">${words}</a>`
      : html`<a href="mempool${query({ order: name === 'age' ? undefined : name })}">${words}</a>`,
  )}</nav>
<div data-part="list">${transactionTable('Waiting for a block', waiting.results, ['what', 'fee', 'nonce', 'when', 'id'], 'Nobody is waiting.')}</div>
${pager(place, waiting.total, pathTo('mempool'), kept)}
${dropped.results.length > 0 && section('Dropped lately', transactionTable('Dropped lately', dropped.results, ['state', 'what', 'fee', 'when', 'id'], ''))}`;
  return { title: 'Mempool', body, live: ['mempool', 'block'] };
};
