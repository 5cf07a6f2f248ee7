import { csvLine } from '../../../base/lib/csv.ts';
import type * as Api from '../../routes/records.ts';
import { decimalText } from '../format/amounts.ts';
import { fullId, pathTo, query, shortPrincipal } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { accountOverview } from '../parts/account.ts';
import { addressElsewhere, addressNetwork, networkKind } from '../parts/address-forms.ts';
import { changeOf, runningBalances } from '../parts/history.ts';
import { heading } from '../parts/lists.ts';
import { accountInThePast } from '../parts/past.ts';
import { memoText } from '../parts/transactions.ts';

/** An account: its balances, its pending transactions and its history. */
export const addressPage: PageRenderer = async (api, request) => {
  const principal = request.params.principal ?? '';
  const head = html`${heading('Address', shortPrincipal(principal), fullId(principal))}${elsewhereNote(principal, request.network)}`;
  if (request.query.at) {
    const past = await accountInThePast(api, request, pathTo('address', principal));
    return {
      title: `As of ${request.query.at.slice(0, 20)} · ${shortPrincipal(principal)}`,
      body: html`${head}${past}`,
    };
  }
  const overview = await accountOverview(api, request, pathTo('address', principal));
  const { balance } = overview;
  const body = html`${head}${overview.body}`;
  return {
    title: `${decimalText(balance.balance, 6)} STX · ${shortPrincipal(principal)}`,
    body,
    live: ['block', 'mempool'],
  };
};

/** An address of another network belongs to the same key, but to another account than that of this chain. */
function elsewhereNote(principal: string, network: string): Html | undefined {
  const here = addressElsewhere(principal);
  if (here === undefined || addressNetwork(principal) === networkKind(network)) return undefined;
  return html`<p class="band">This is an address of ${addressNetwork(principal)}; this server has ${network}. The same key has the address <a class="id" href="${pathTo('address', here)}">${here}</a> here.</p>`;
}

/** Rows of one file; `?page=` has the further ones. */
const ROWS_A_FILE = 1000;
const ROWS_A_REQUEST = 50;

const HEAD = [
  'time (UTC)',
  'block',
  'transaction',
  'kind',
  'function',
  'status',
  'change (STX)',
  'fee (STX)',
  'balance after (STX)',
  'sender',
  'recipient or contract',
  'memo',
] as const;

/** The history of an account as a file for spreadsheets, the newest first. */
export const addressCsvPage: PageRenderer = async (api, { params, query: asked }) => {
  const principal = params.principal ?? '';
  const id = pathTo(principal);
  const file = /^\d{1,4}$/.test(asked.page ?? '') ? Math.max(1, Number(asked.page)) : 1;
  const from = (file - 1) * ROWS_A_FILE;
  const lines: string[] = [csvLine(HEAD)];
  for (let offset = from; offset < from + ROWS_A_FILE; offset += ROWS_A_REQUEST) {
    const { results, total } = await api.get<Api.OffsetPage<Api.HistoryRow>>(
      `/extended/v2/addresses/${id}/transactions${query({ limit: ROWS_A_REQUEST, offset })}`,
    );
    const now = offset === 0 ? await api.get<Api.StxBalance>(`/extended/v1/address/${id}/stx`) : undefined;
    const balances = await runningBalances(api, id, results, now);
    lines.push(...results.map((row, i) => csvLine(cellsOf(row, principal, balances[i]))));
    if (offset + ROWS_A_REQUEST >= total) break;
  }
  return {
    file: `${principal}${file > 1 ? `-${file}` : ''}.csv`,
    type: 'text/csv; charset=utf-8',
    text: lines.join(''),
  };
};

function cellsOf(row: Api.HistoryRow, principal: string, balance: bigint | undefined): readonly string[] {
  const { tx } = row;
  const seconds = tx.block_time || tx.burn_block_time;
  const payer = tx.sponsor_address ?? tx.sender_address;
  return [
    seconds ? new Date(seconds * 1000).toISOString() : '',
    String(tx.block_height ?? ''),
    tx.tx_id,
    tx.tx_type,
    tx.contract_call?.function_name ?? '',
    tx.tx_status,
    plain(changeOf(row)),
    payer === principal ? plain(BigInt(tx.fee_rate)) : '',
    balance === undefined ? '' : plain(balance),
    tx.sender_address,
    tx.token_transfer?.recipient_address ?? tx.contract_call?.contract_id ?? tx.smart_contract?.contract_id ?? '',
    tx.token_transfer ? (memoText(tx.token_transfer.memo) ?? '') : '',
  ];
}

/** As spreadsheets read numbers: no groups, an ordinary minus. @param amount in micro-STX */
const plain = (amount: bigint): string => decimalText(amount, 6).replaceAll(',', '').replace('−', '-');
