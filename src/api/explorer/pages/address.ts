import { decimalText } from '../format/amounts.ts';
import { fullId, pathTo, shortPrincipal } from '../format/links.ts';
import { html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { accountOverview } from '../parts/account.ts';
import { heading } from '../parts/table.ts';

/** An account: its balances, its pending transactions and its history. */
export const addressPage: PageRenderer = async (api, request) => {
  const principal = request.params.principal ?? '';
  const overview = await accountOverview(api, request, pathTo('address', principal));
  const { balance } = overview;
  const body = html`${heading('Address', shortPrincipal(principal), fullId(principal))}${overview.body}`;
  return {
    title: `${decimalText(balance.balance, 6)} STX · ${shortPrincipal(principal)}`,
    body,
    live: ['block', 'mempool'],
  };
};
