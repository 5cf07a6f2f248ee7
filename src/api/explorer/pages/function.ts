import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { pathTo, principalLink, query } from '../format/links.ts';
import { html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { type DeclaredFunction, fetchFunctions, SIGNATURE_COLUMNS } from '../parts/contract.ts';
import { dataTable, heading, pageRangeOf, pager, section } from '../parts/lists.ts';
import { transactionTable } from '../parts/transactions.ts';

const ROWS = 25;

/** The calls of all functions of a name in any contract, below the signatures of the last called ones. */
export const functionPage: PageRenderer = async (api, { params, query: asked }) => {
  const name = params.function ?? '';
  const place = pageRangeOf(asked.page, ROWS);
  const calls = await api.get<Api.OffsetPage<Api.Transaction>>(
    `/extended/v1/tx${query({ function_name: name, ...place })}`,
  );
  const declared = await declaredIn(api, name, calls.results);
  const body = html`${heading('Function', html`<bdi>${name}</bdi>`)}
<p class="lead">${counted(calls.total, 'call')} of functions of this name, in all contracts.</p>
${
  declared.length > 0 &&
  section(
    'What it takes',
    dataTable<DeclaredFunction>(
      'Functions of this name in the contracts that were called last',
      [{ head: 'Contract', cell: ({ contract }) => principalLink(contract) }, ...SIGNATURE_COLUMNS],
      declared,
      '',
    ),
  )
}
<div data-part="list">${transactionTable('Calls, the newest first', calls.results, ['state', 'what', 'fee', 'block', 'when', 'id'], 'No transaction has called one.')}</div>
${pager(place, calls.total, pathTo('function', name))}`;
  return { title: `${name} · function`, body, live: place.offset === 0 ? ['block'] : [] };
};

/** Most contracts whose functions a page shows: each costs a request. */
const MOST_CONTRACTS = 5;

/** The function of this name in each of the contracts that these transactions call. */
async function declaredIn(
  api: ApiClient,
  name: string,
  calls: readonly Api.Transaction[],
): Promise<readonly DeclaredFunction[]> {
  const ids = new Set(calls.flatMap(({ contract_call: call }) => (call ? [call.contract_id] : [])));
  const found = await Promise.all([...ids].slice(0, MOST_CONTRACTS).map(contract => fetchFunctions(api, contract)));
  return found.flat().filter(one => one.name === name);
}
