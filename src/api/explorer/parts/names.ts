import { ApiError } from '../../http/errors.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { NAME_SLOT, pathTo, query, shortened } from '../format/links.ts';
import { type Html, html } from '../html.ts';

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

/** A page is of use without names. */
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
