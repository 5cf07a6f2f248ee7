import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted, grouped, stx } from '../format/amounts.ts';
import { assetParts, blockLink, pathTo, principalLink, query, txLink } from '../format/links.ts';
import { type Html, type HtmlValue, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { accountOverview } from '../parts/account.ts';
import { sourceCode } from '../parts/clarity.ts';
import {
  activityChart,
  type ContractFunction,
  contractHead,
  contractTabs,
  fetchFunctions,
  functionsOf,
  SIGNATURE_COLUMNS,
  standardsOf,
} from '../parts/contract.ts';
import { printed } from '../parts/events.ts';
import { cursorPager, dataTable, type PageRange, pageRangeOf, pager, section, summary } from '../parts/lists.ts';
import { transactionTable } from '../parts/transactions.ts';

const ROWS = 25;

const PENDING = 5;

/** Newest calls that the picture of activity counts: the API reads each record, so a thousand would take longer than the rest of the page. */
const COUNTED = 300;

/** A contract: facts, activity and functions. */
export const contractPage: PageRenderer = async (api, { params }) => {
  const id = params.id ?? '';
  const path = pathTo(id);
  const [contract, deployed, activity, tokens, twins, balance, pending, newest] = await Promise.all([
    api.find<Api.Contract>(`/extended/v1/contract/${path}`),
    api.find<Api.SmartContract>(`/extended/v3/smart-contracts/${path}`),
    api.get<Api.ContractActivity>(
      `/extended/v3/smart-contracts/${path}/activity${query({ bucket: 'hour', limit: COUNTED })}`,
    ),
    api.find<Api.OffsetPage<Api.FungibleToken>>(`/metadata/v1/ft${query({ address: id.split('.')[0], limit: 50 })}`),
    api.find<Api.PageByCursor<Api.Twin>>(`/extended/v3/smart-contracts/${path}/twins${query({ limit: TWINS })}`),
    api.get<Api.StxBalance>(`/extended/v1/address/${path}/stx`),
    api.get<Api.OffsetPage<Api.Transaction>>(`/extended/v1/address/${path}/mempool${query({ limit: PENDING })}`),
    api.get<Api.OffsetPage<Api.Transaction>>(`/extended/v1/tx${query({ contract_id: id, limit: NEWEST })}`),
  ]);
  const functions = functionsOf(contract?.abi);
  const standards = standardsOf(functions);
  // Version 1 also has contracts that only orphaned blocks deployed; their functions cannot be called.
  const isLost = functions.length > 0 && !deployed;
  const ft = tokens?.results.find(token => token.contract_principal === id);
  const body = html`${contractHead(id)}${contractTabs(id, 'overview')}
<div data-part="lead">${!contract && html`<p>No deployment of this contract is in the index: it is part of the chain itself, or not there yet.</p>`}
${isLost && html`<p class="lead band gone">Not part of the chain: a fork left the block behind that deployed it.</p>`}
${summary([
  ['Creator', principalLink(id.split('.')[0] ?? '')],
  ['Deployment', contract && isLost && txLink(contract.tx_id)],
  [
    'Deployed',
    contract && !isLost && html`block ${blockLink(contract.block_height)} <small>${txLink(contract.tx_id)}</small>`,
  ],
  ['Language', contract && contract.clarity_version !== null && `Clarity ${contract.clarity_version}`],
  ['Implements', standards.join(', ')],
  [
    'Token',
    ft &&
      html`<a href="${pathTo('token', ft.asset_identifier)}"><bdi>${ft.name || ft.symbol || assetParts(ft.asset_identifier).name}</bdi></a>`,
  ],
  ['Calls', html`<a href="${pathTo('contract', id, 'calls')}">${grouped(activity.total)}</a>`],
  ['Balance', html`<a href="${pathTo('contract', id, 'account')}">${stx(balance.balance)}</a>`],
])}</div>
${twins && (twins.total > 1 ? sameSource(id, twins) : html`<p class="dim">No other contract has the same source, character by character.</p>`)}
<div data-part="waiting">${pending.total > 0 && section(counted(pending.total, 'pending transaction'), transactionTable('Pending transactions', pending.results, ['state', 'what', 'fee', 'when', 'id'], ''))}</div>
<div data-part="newest">${newest.total > 0 && section('Newest calls', html`${transactionTable('Newest calls', newest.results, ['state', 'what', 'fee', 'block', 'when', 'id'], '')}<p><a href="${pathTo('contract', id, 'calls')}">All ${counted(newest.total, 'call')}</a></p>`)}</div>
${functions.length > 0 && section('Functions', functionTable(id, functions, isLost))}
${activity.total > 0 && section('Activity', activityChart(id, activity), 'activity')}`;
  return { title: `${id.split('.')[1]} · contract`, body, live: ['block', 'mempool'] };
};

/** Calls on the overview. */
const NEWEST = 5;

/** The holdings of the contract, and the transactions that moved them. */
export const contractAccountPage: PageRenderer = async (api, request) => {
  const id = request.params.id ?? '';
  const overview = await accountOverview(
    api,
    { ...request, params: { principal: id } },
    pathTo('contract', id, 'account'),
  );
  const body = html`${contractHead(id)}${contractTabs(id, 'account')}${overview.body}`;
  return { title: `Account of ${id.split('.')[1]}`, body, live: ['block', 'mempool'] };
};

/** Most contracts with the same source on a page. */
const TWINS = 10;

/** Lists contracts with the same source, without judgement: the source of a copy does not show its intention. */
function sameSource(id: string, { total, results }: Api.PageByCursor<Api.Twin>): Html {
  const [oldest] = results;
  const others = results.filter(({ contract_id }) => contract_id !== id);
  return html`<p class="band">${counted(total - 1, 'other contract')} ${total === 2 ? 'has' : 'have'} the same source, character by character: ${others.map(
    ({ contract_id, transaction }, i) =>
      html`${i > 0 && ', '}${principalLink(contract_id)} <small>block ${blockLink(transaction.block.height)}</small>`,
  )}${total - 1 > others.length && ' and more'}. ${oldest?.contract_id === id ? 'This one is the oldest.' : oldest && html`The oldest is ${principalLink(oldest.contract_id)}.`}</p>`;
}

/** Its source with numbered lines. */
export const contractSourcePage: PageRenderer = async (api, { params }) => {
  const id = params.id ?? '';
  const contract = await api.find<Api.Contract>(`/extended/v1/contract/${pathTo(id)}`);
  const body = html`${contractHead(id)}${contractTabs(id, 'source')}${
    !contract?.source_code
      ? html`<p class="none">Its source is not known: no deployment of it is in the index, or it came without one, as contracts that are part of the chain itself do.</p>`
      : sourceCode(contract.source_code, pathTo('contract', id, 'source'))
  }`;
  return { title: `Source of ${id.split('.')[1]}`, body };
};

/** The calls of a contract; `?function=` for one function only. */
export const contractCallsPage: PageRenderer = async (api, { params, query: asked }) => {
  const id = params.id ?? '';
  const place = pageRangeOf(asked.page, ROWS);
  const filter = { contract_id: id, function_name: asked.function, ...place };
  const [calls, functions] = await Promise.all([
    api.get<Api.OffsetPage<Api.Transaction>>(`/extended/v1/tx${query(filter)}`),
    asked.function === undefined ? [] : fetchFunctions(api, id),
  ]);
  const declared = functions.filter(({ name }) => name === asked.function);
  const path = pathTo('contract', id, 'calls');
  const body = html`${contractHead(id)}${contractTabs(id, 'calls')}
${asked.function && html`<p>Calls of <b><bdi>${asked.function}</bdi></b> alone. <a href="${path}">All calls</a></p>`}${
  declared.length > 0 &&
  section('What it takes', dataTable<ContractFunction>('The function', SIGNATURE_COLUMNS, declared, '', 'narrow'))
}
<div data-part="list">${transactionTable('Calls, the newest first', calls.results, ['state', 'what', 'fee', 'block', 'when', 'id'], 'No transaction has called it.')}</div>
${pager(place, calls.total, path, { function: asked.function })}`;
  return { title: `Calls of ${id.split('.')[1]}`, body, live: place.offset === 0 ? ['block'] : [] };
};

/** The prints of a contract; `?topic=` for one topic only. */
export const contractEventsPage: PageRenderer = async (api, { params, query: asked }) => {
  const id = params.id ?? '';
  const path = pathTo('contract', id, 'events');
  const place = pageRangeOf(asked.page, ROWS);
  const [topics, { results, pages }] = await Promise.all([
    api.get<Api.PageByCursor<Api.LogTopic>>(
      `/extended/v3/smart-contracts/${pathTo(id)}/logs/topics${query({ limit: TOPICS })}`,
    ),
    asked.topic === undefined ? numberedLogs(api, id, place) : logsOfTopic(api, id, asked.topic, asked.cursor),
  ]);
  const body = html`${contractHead(id)}${contractTabs(id, 'events')}
${topics.total > 0 && topicLinks(path, topics, asked.topic)}
<div data-part="list">${dataTable<Api.ContractLog>(
    'Events, the newest first',
    [
      { head: 'Event', cell: entry => printed(id, entry.contract_log.value) },
      { head: 'Transaction', isMain: true, cell: entry => txLink(entry.tx_id) },
    ],
    results,
    asked.topic === undefined ? 'It has printed no event.' : 'It has printed no event with this topic.',
  )}</div>
${pages}`;
  const isNewest = asked.topic === undefined ? place.offset === 0 : asked.cursor === undefined;
  return { title: `Events of ${id.split('.')[1]}`, body, live: isNewest ? ['block'] : [] };
};

/** Most topics that have links. */
const TOPICS = 50;

function topicLinks(
  path: string,
  { total, results }: Api.PageByCursor<Api.LogTopic>,
  chosen: string | undefined,
): Html {
  const links = results.map(
    ({ topic, log_count }, i) =>
      html`${i > 0 && ', '}${topic === chosen ? html`<b><bdi>${topic}</bdi></b>` : html`<a href="${path}${query({ topic })}"><bdi>${topic}</bdi></a>`} <small>${grouped(log_count)}</small>`,
  );
  return html`<p>By topic: ${links}${total > results.length && ` and ${counted(total - results.length, 'more topic')}`}.${chosen !== undefined && html` <a href="${path}">All events</a>`}</p>`;
}

/** Entries of a list of logs, and the links to its other pages. */
interface LogPage {
  readonly results: readonly Api.ContractLog[];
  readonly pages: HtmlValue;
}

async function numberedLogs(api: ApiClient, id: string, place: PageRange): Promise<LogPage> {
  const { results, total } = await pageOfLogs(api, id, place);
  return { results, pages: pager(place, total, pathTo('contract', id, 'events')) };
}

async function logsOfTopic(api: ApiClient, id: string, topic: string, cursor: string | undefined): Promise<LogPage> {
  const logs = await api.get<Api.PageByCursor<Api.ContractLog>>(
    `/extended/v3/smart-contracts/${pathTo(id)}/logs${query({ topic, limit: ROWS, cursor })}`,
  );
  return { results: logs.results, pages: cursorPager(logs, pathTo('contract', id, 'events'), { topic }) };
}

/** Largest offset of the newer list of logs; the older list has no total. */
const LARGEST_OFFSET = 1000;

async function pageOfLogs(
  api: ApiClient,
  id: string,
  { limit, offset }: PageRange,
): Promise<Api.OffsetPage<Api.ContractLog>> {
  const newer = (page: PageRange) =>
    api.get<Api.OffsetPage<Api.ContractLog>>(`/extended/v2/smart-contracts/${pathTo(id)}/logs${query({ ...page })}`);
  if (offset <= LARGEST_OFFSET) return newer({ limit, offset });
  const older = `/extended/v1/contract/${pathTo(id)}/events${query({ limit, offset })}`;
  const [{ total }, { results }] = await Promise.all([
    newer({ limit: 1, offset: 0 }),
    api.get<{ readonly results: readonly Api.ContractLog[] }>(older),
  ]);
  return { limit, offset, total, results };
}

/** @param isLost whether no function can be called */
const functionTable = (id: string, functions: readonly ContractFunction[], isLost: boolean): Html =>
  dataTable<ContractFunction>(
    'Functions of the contract',
    [
      {
        head: 'Function',
        cell: ({ name, access }) =>
          access === 'public'
            ? html`<a href="${pathTo('contract', id, 'calls')}${query({ function: name })}"><bdi>${name}</bdi></a>`
            : isLost
              ? html`<bdi>${name}</bdi>`
              : html`<a href="${pathTo('contract', id, 'call', name)}"><bdi>${name}</bdi></a>`,
      },
      { head: 'Access', cell: ({ access }) => (access === 'read_only' ? 'read only' : access) },
      ...SIGNATURE_COLUMNS,
    ],
    functions,
    'None.',
  );
