import type { ApiClient } from '../client.ts';
import { tokens } from '../format/amounts.ts';
import { principalLink, TOKEN_SLOT, tokenLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { fetchTokens } from './token-units.ts';

/** A page with the amounts of tokens that sentences leave open: symbols and decimals of all of them are one request. */
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
