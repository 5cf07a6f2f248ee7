import type * as Api from '../../routes/records.ts';
import { counted } from '../format/amounts.ts';
import { pathTo, query } from '../format/links.ts';
import { html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { heading, pageRangeOf, pager } from '../parts/lists.ts';
import { transactionTable } from '../parts/transactions.ts';

const ROWS = 25;

/** The calls of all functions of a name, whatever their contract. */
export const functionPage: PageRenderer = async (api, { params, query: asked }) => {
  const name = params.function ?? '';
  const place = pageRangeOf(asked.page, ROWS);
  const calls = await api.get<Api.OffsetPage<Api.Transaction>>(
    `/extended/v1/tx${query({ function_name: name, ...place })}`,
  );
  const body = html`${heading('Function', html`<bdi>${name}</bdi>`)}
<p class="lead">${counted(calls.total, 'call')} of functions of this name, in all contracts.</p>
<div data-part="list">${transactionTable('Calls, the newest first', calls.results, ['state', 'what', 'fee', 'block', 'when', 'id'], 'No transaction has called one.')}</div>
${pager(place, calls.total, pathTo('function', name))}`;
  return { title: `${name} · function`, body, live: place.offset === 0 ? ['block'] : [] };
};
