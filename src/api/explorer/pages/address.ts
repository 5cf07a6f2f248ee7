import { decimalText } from '../format/amounts.ts';
import { fullId, pathTo, shortPrincipal } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { accountOverview } from '../parts/account.ts';
import { addressElsewhere, addressNetwork, networkKind } from '../parts/address-forms.ts';
import { heading } from '../parts/lists.ts';
import { accountInThePast, pastOf } from '../parts/past.ts';

/** An account: its balances, its pending transactions and its history. */
export const addressPage: PageRenderer = async (api, request) => {
  const principal = request.params.principal ?? '';
  const head = html`${heading('Address', shortPrincipal(principal), fullId(principal))}${elsewhereNote(principal, request.network)}`;
  const at = pastOf(request.query);
  if (at !== undefined) {
    const past = await accountInThePast(api, request, pathTo('address', principal));
    return {
      title: `As of ${at.slice(0, 20)} · ${shortPrincipal(principal)}`,
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

/** A note about an address of another network: it has the same key, but is another account than that on this chain. */
function elsewhereNote(principal: string, network: string): Html | undefined {
  const here = addressElsewhere(principal);
  if (here === undefined || addressNetwork(principal) === networkKind(network)) return undefined;
  return html`<p class="band">This is an address of ${addressNetwork(principal)}; this server has ${network}. The same key has the address <a class="id" href="${pathTo('address', here)}">${here}</a> here.</p>`;
}
