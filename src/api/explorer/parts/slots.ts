/** Fills the slots of a complete page: names beside addresses, and amounts of tokens. One request for each kind. */
import { ApiError } from '../../http/errors.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { tokens } from '../format/amounts.ts';
import { NAME_SLOT, pathTo, principalLink, query, shortened, TOKEN_SLOT, tokenLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { fetchTokens } from './tokens.ts';

type Named = Api.NamesOfPrincipals['results'][number];

/** Most principals in one request of the API: the first ones on the page. */
const MOST = 50;

/** A page with the names of its addresses beside them: one request for all. */
export async function withNames(api: ApiClient, page: Html): Promise<Html> {
  const addresses = page.slots(NAME_SLOT).slice(0, MOST);
  const found = addresses.length === 0 ? [] : await namesOf(api, addresses);
  const labels = new Map(found.flatMap(named => (named.names.length > 0 ? [[named.principal, label(named)]] : [])));
  return page.filled(NAME_SLOT, address => labels.get(address));
}

/** The names of addresses; empty after an error, as a page is useful without names. */
async function namesOf(api: ApiClient, addresses: readonly string[]): Promise<readonly Named[]> {
  try {
    const list = query({ principal: addresses.join(',') });
    return (await api.get<Api.NamesOfPrincipals>(`/extended/v3/names${list}`)).results;
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

function label({ names: [name = '', ...others], has_more }: Named): Html {
  const more = others.length > 0 && html` <small>+${others.length}${has_more && ' or more'}</small>`;
  return html` <a class="name" href="${pathTo('name', name)}"><bdi>${shortened(name, 30)}</bdi></a>${more}`;
}

/** A page with amounts of tokens in the slots of its sentences: one request gets all symbols and decimals. */
export async function withTokenAmounts(api: ApiClient, page: Html): Promise<Html> {
  const contracts = page.slots(TOKEN_SLOT).map(key => partsOf(key).contract);
  if (contracts.length === 0) return page;
  const found = await fetchTokens(api, contracts);
  return page.filled(TOKEN_SLOT, key => {
    const { contract, amount } = partsOf(key);
    const token = found.get(`${contract}:1`);
    if (token?.decimals === undefined)
      return html`${tokens(amount, { symbol: '', decimals: undefined })}${principalLink(contract)}`;
    const { asset_identifier: asset = contract, symbol = asset, decimals } = token;
    return html`${tokens(amount, { symbol: '', decimals })}${tokenLink(asset, symbol)}`;
  });
}

/** The amount follows the last dot. */
function partsOf(key: string): { readonly contract: string; readonly amount: string } {
  const at = key.lastIndexOf('.');
  return { contract: key.slice(0, at), amount: key.slice(at + 1) };
}
