import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted, signedStx, stx } from '../format/amounts.ts';
import { blockLink, nameLink, pathTo, query as queryText, txLink } from '../format/links.ts';
import { aboutBitcoinBlocks, time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { chip, stateOf } from '../words/states.ts';
import {
  balanceChart,
  CHART_POINTS,
  changeOf,
  filteredHistory,
  filterForm,
  filterOf,
  runningBalances,
} from './history.ts';
import { nftHoldings, stxTransfers, tokenHoldings } from './holdings.ts';
import { dataTable, pageRangeOf, pager, section, summary, tabs } from './lists.ts';
import { accountMovements, takeHome } from './movements.ts';
import { pastForm } from './past.ts';
import { stakingPosition } from './stacking.ts';
import { sentence, transactionTable } from './transactions.ts';

const ROWS = 25;

const PARTS = ['transactions', 'movements', 'tokens', 'nfts', 'transfers'] as const;
type Part = (typeof PARTS)[number];

/**
 * The common parts of addresses and contracts: the facts about the account, and one of its lists, which `?tab=` names.
 * @param path of the page below `/explorer/`
 */
export async function accountOverview(
  api: ApiClient,
  request: PageRequest,
  path: string,
): Promise<{ readonly body: Html; readonly balance: Api.StxBalance }> {
  const principal = request.params.principal ?? '';
  const id = pathTo(principal);
  const part = PARTS.find(name => name === request.query.tab) ?? 'transactions';
  const [balance, tokens, nfts, sent, list] = await Promise.all([
    api.get<Api.StxBalance>(`/extended/v1/address/${id}/stx`),
    api.get<Api.PageByCursor<Api.FtPosition>>(`/extended/v3/principals/${id}/balances/ft?limit=1`),
    api.get<Api.PageByCursor<Api.NftPosition>>(`/extended/v3/principals/${id}/balances/nft?limit=1`),
    api.get<Api.OffsetPage<Api.HistoryRow>>(`/extended/v2/addresses/${id}/transactions?limit=1`),
    part === 'transactions' ? transactionsPart(api, request, path) : otherPart(api, part, request, path),
  ]);
  const status = balance.locked === '0' ? undefined : await api.get<Api.Status>('/extended');
  const isUsed = sent.total > 0 || balance.balance !== '0' || list.isUsed;
  const names = list.names ?? [];
  const labels = {
    transactions: counted(sent.total, 'transaction'),
    movements: 'Movements',
    tokens: counted(tokens.total, 'token'),
    nfts: counted(nfts.total, 'NFT'),
    transfers: 'STX transfers',
  };
  const body = html`<div data-part="lead">${
    isUsed
      ? summary([
          ['Balance', html`<b>${stx(balance.balance)}</b>`],
          ...lockedFacts(balance, status),
          ...list.facts,
          ['Received', BigInt(balance.total_received) > 0n && stx(balance.total_received)],
          ['Sent', BigInt(balance.total_sent) > 0n && stx(balance.total_sent)],
          ['Fees paid', BigInt(balance.total_fees_sent) > 0n && stx(balance.total_fees_sent)],
          [
            'Miner rewards',
            BigInt(balance.total_miner_rewards_received) > 0n && stx(balance.total_miner_rewards_received),
          ],
        ])
      : html`<p class="lead">It was never used on this chain.</p>`
  }${names.length > 0 && html`<p>Names: ${names.slice(0, 5).map((name, i) => [i > 0 && ', ', nameLink(name)])}${names.length > 5 && ` and ${names.length - 5} more`}</p>`}</div>
${isUsed && !principal.includes('.') && pastForm(path, undefined)}
${tabs(
  'Parts of the account',
  PARTS.map(each => ({
    text: labels[each],
    path: `${path}${queryText({ tab: each === 'transactions' ? undefined : each })}`,
    isCurrent: each === part,
  })),
)}
${list.body}`;
  return { body, balance };
}

/** One of the lists of an account, and data from its requests for the facts above it. */
interface PartOfAccount {
  readonly body: Html;
  readonly isUsed: boolean;
  readonly facts: readonly (readonly [name: string, value: Html | string | number])[];
  readonly names?: readonly string[];
}

async function otherPart(
  api: ApiClient,
  part: Exclude<Part, 'transactions'>,
  request: PageRequest,
  path: string,
): Promise<PartOfAccount> {
  const lists = { movements: accountMovements, tokens: tokenHoldings, nfts: nftHoldings, transfers: stxTransfers };
  return { body: html`<div data-part="list">${await lists[part](api, request, path)}</div>`, isUsed: false, facts: [] };
}

/** Pending transactions, then the history with its running balance. */
async function transactionsPart(api: ApiClient, { params, query }: PageRequest, path: string): Promise<PartOfAccount> {
  const principal = params.principal ?? '';
  const id = pathTo(principal);
  const place = pageRangeOf(query.page, ROWS);
  const filter = filterOf(query);
  const [waiting, history, names, staking, nonces, chart, filtered] = await Promise.all([
    api.get<Api.OffsetPage<Api.Transaction>>(`/extended/v1/address/${id}/mempool?limit=20`),
    api.get<Api.OffsetPage<Api.HistoryRow>>(
      `/extended/v2/addresses/${id}/transactions?limit=${place.limit}&offset=${place.offset}`,
    ),
    api.get<Api.Names>(`/v1/addresses/stacks/${id}`),
    api.get<Api.StakingSummary>(`/extended/v3/principals/${id}/staking`),
    principal.includes('.') ? undefined : api.get<Api.NoncesOfPrincipal>(`/extended/v3/principals/${id}/nonces`),
    filter
      ? undefined
      : api.get<Api.StxHistory>(`/extended/v3/principals/${id}/balances/stx/history?points=${CHART_POINTS}`),
    filter && filteredHistory(api, principal, filter, place, path),
  ]);
  const balances = filter
    ? []
    : await runningBalances(
        api,
        id,
        history.results,
        place.offset === 0 ? await api.get<Api.StxBalance>(`/extended/v1/address/${id}/stx`) : undefined,
      );
  const [first, last] = [chart?.results[0], chart?.results.at(-1)];
  const body = html`<div data-part="staking">${stakingPosition(staking)}</div>
<div data-part="waiting">${waiting.total > 0 && section(counted(waiting.total, 'pending transaction'), html`${nonces && missingNonces(nonces)}${transactionTable('Pending transactions', waiting.results, ['state', 'what', 'fee', 'nonce', 'when', 'id'], '')}`)}</div>
<div data-part="history">${section(
    'History',
    html`${chart && balanceChart(chart)}${history.total > 0 && filterForm(path, query)}${
      filtered ?? html`${historyTable(history.results, balances)}${pager(place, history.total, path)}`
    }
${takeHome(id)}`,
  )}</div>`;
  return {
    body,
    isUsed: waiting.total > 0,
    names: names.names,
    facts: [
      ...(nonces ? [['Next nonce', nonces.next_nonce] as const] : []),
      ...(first ? [['First seen', time(first.block.time || first.bitcoin_block.time)] as const] : []),
      ...(last ? [['Last seen', time(last.block.time || last.bitcoin_block.time)] as const] : []),
    ],
  };
}

function lockedFacts(balance: Api.StxBalance, status: Api.Status | undefined) {
  const locked = BigInt(balance.locked);
  const { burnchain_unlock_height: until, pending_balance_inbound: coming, pending_balance_outbound: going } = balance;
  const left = until - (status?.chain_tip?.burn_block_height ?? 0);
  const isMoving = BigInt(coming ?? 0) > 0n || BigInt(going ?? 0) > 0n;
  return [
    ['Available', locked > 0n && stx(BigInt(balance.balance) - locked)],
    [
      'Locked',
      locked > 0n &&
        html`${stx(locked)} <small>until Bitcoin block ${until.toLocaleString('en')}${left > 0 && `, ${aboutBitcoinBlocks(left)} from now`}</small>`,
    ],
    ['With pending ones', isMoving && stx(balance.estimated_balance ?? balance.balance)],
  ] as const;
}

const missingNonces = ({ mempool: { missing_nonces: missing } }: Api.NoncesOfPrincipal): Html | false =>
  missing.length > 0 &&
  html`<p><b class="out">Missing ${missing.length === 1 ? 'nonce' : 'nonces'}: ${missing
    .slice(0, 10)
    .toSorted((a, b) => a - b)
    .join(', ')}</b>. Transactions with later nonces wait for ${missing.length === 1 ? 'it' : 'them'}.</p>`;

/** The table of a history, without the column of balances if no row has one: rewards of miners change balances without transactions. */
function historyTable(rows: readonly Api.HistoryRow[], balances: readonly (bigint | undefined)[]): Html {
  const hasBalances = balances.some(balance => balance !== undefined);
  return dataTable<Api.HistoryRow>(
    'Transactions, the newest first',
    [
      { head: 'Status', cell: ({ tx }) => chip(stateOf(tx)) },
      { head: 'Action', cell: ({ tx }) => sentence(tx) },
      { head: 'Change', numeric: true, cell: row => changeText(row) },
      ...(hasBalances
        ? [
            {
              head: 'Balance after',
              isMinor: true,
              numeric: true,
              cell: (_: Api.HistoryRow, i: number) => balances[i] !== undefined && stx(balances[i]),
            },
          ]
        : []),
      {
        head: 'Block',
        isMinor: true,
        numeric: true,
        cell: ({ tx }) => tx.block_height !== undefined && blockLink(tx.block_height),
      },
      { head: 'Time', cell: ({ tx }) => time(tx.block_time || tx.burn_block_time) },
      { head: 'Transaction', isMain: true, cell: ({ tx }) => txLink(tx.tx_id) },
    ],
    rows,
    'None.',
  );
}

/** The change of the balance; a change by the fee alone is not emphasised. */
function changeText(row: Api.HistoryRow): Html {
  const change = changeOf(row);
  const isFeeAlone = row.stx_received === '0' && change === -BigInt(row.tx.fee_rate);
  return isFeeAlone && change !== 0n
    ? html`<span class="dim" title="The fee alone">${stx(change)}</span>`
    : signedStx(change);
}
