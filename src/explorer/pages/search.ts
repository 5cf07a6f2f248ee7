import { parsePrincipal } from '../../codec/index.ts';
import { ApiError } from '../../http/errors.ts';
import type { ApiClient } from '../client.ts';
import { pathTo, shortHash, shortPrincipal } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../page.ts';
import { heading } from '../parts/table.ts';
import type * as Api from '../records.ts';

/** Something that was found. */
interface Found {
  readonly kind: string;
  readonly name: string;
  /** Below `/explorer/`. */
  readonly path: string;
}

interface Outcome {
  readonly found: readonly Found[];
  /** What was understood, where nothing was found. */
  readonly understood: string;
}

/** What a visitor typed or pasted: one hit leads there, several are listed. With `suggest` nothing leads away. */
export const searchPage: Page = async (api, { query }) => {
  const term = termOf(query.q ?? '');
  const { found, understood } = term === '' ? { found: [], understood: 'nothing' } : await search(api, term);
  const [only] = found;
  if (only && found.length === 1 && query.suggest === undefined) return { to: only.path };
  const body = html`${heading('Search', term === '' ? 'What do you look for?' : html`<bdi>${term.slice(0, 100)}</bdi>`)}
<div data-part="results">${found.length > 0 ? hits(found) : html`<p class="none">${understood}</p>`}</div>
${found.length === 0 && html`<p>A height, a hash with 64 digits (of a transaction, a block or a Bitcoin block), an address, a contract (<code>address.name</code>), a name (<code>alice.btc</code>) or the symbol of a token can be found.</p>`}`;
  return { title: 'Search', body, searched: term, status: found.length === 0 && term !== '' ? 404 : 200 };
};

const hits = (found: readonly Found[]): Html =>
  html`<ul class="hits">${found.map(({ kind, name, path }) => html`<li><a href="${path}"><small>${kind}</small> <bdi>${name}</bdi></a></li>`)}</ul>`;

/** Without what surrounds it: blanks, and of an address of another explorer all but the thing. */
function termOf(typed: string): string {
  const term = typed.trim().slice(0, 300);
  const pasted = /^https?:\/\//.test(term) ? URL.parse(term) : null;
  if (!pasted) return term;
  const parts = pasted.pathname.split('/').filter(Boolean);
  return safelyDecoded(parts.at(-1) ?? '');
}

function safelyDecoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function search(api: ApiClient, term: string): Promise<Outcome> {
  if (/^\d{1,9}$/.test(term.replaceAll(',', ''))) return byHeight(api, Number(term.replaceAll(',', '')));
  if (/^(0x)?[0-9a-f]{64}$/i.test(term)) return byHash(api, term.toLowerCase());
  const principal = parsePrincipal(term);
  if (principal) {
    const { address, contractName } = principal;
    return one(
      contractName === null
        ? { kind: 'Address', name: address, path: pathTo('address', address) }
        : {
            kind: 'Contract',
            name: `${address}.${contractName}`,
            path: pathTo('contract', `${address}.${contractName}`),
          },
    );
  }
  if (/^S[0-9A-Z]{37,41}(\.|$)/i.test(term))
    return nothing('This address has a typing error: its checksum does not fit.');
  if (/^[^\s./]+(\.[^\s./]+)+$/.test(term)) return byName(api, term.toLowerCase());
  return byToken(api, term);
}

const one = (found: Found): Outcome => ({ found: [found], understood: '' });
const nothing = (understood: string): Outcome => ({ found: [], understood });

/** A height may be of either chain; both are offered. */
async function byHeight(api: ApiClient, height: number): Promise<Outcome> {
  const [block, burn] = await Promise.all([
    api.find<Api.Block>(`/extended/v2/blocks/${height}`).catch(absent),
    api.find<Api.BurnBlock>(`/extended/v2/burn-blocks/${height}`).catch(absent),
  ]);
  const found = [
    block && { kind: 'Block', name: String(block.height), path: pathTo('block', block.height) },
    burn && { kind: 'Bitcoin block', name: String(height), path: pathTo('btc', height) },
  ].filter(each => each !== undefined);
  return { found, understood: `There is no block ${height}, of Stacks or of Bitcoin, in this index.` };
}

async function byHash(api: ApiClient, term: string): Promise<Outcome> {
  const hash = term.startsWith('0x') ? term : `0x${term}`;
  const [result, burn] = await Promise.all([
    api.find<Api.SearchResult>(`/extended/v1/search/${hash}`),
    api.find<Api.BurnBlock>(`/extended/v2/burn-blocks/${hash}`),
  ]);
  if (burn) return one({ kind: 'Bitcoin block', name: shortHash(hash), path: pathTo('btc', hash) });
  if (!result?.found) {
    const block = await api.find<Api.Block>(`/extended/v2/blocks/${hash}`);
    return block
      ? one({ kind: 'Block', name: String(block.height), path: pathTo('block', block.height) })
      : nothing('This hash is not in the index: of no transaction, no block and no Bitcoin block.');
  }
  const isTransaction = result.result.entity_type.includes('tx_id');
  return one({
    kind: isTransaction ? 'Transaction' : 'Block',
    name: shortHash(hash),
    path: pathTo(isTransaction ? 'tx' : 'block', hash),
  });
}

async function byName(api: ApiClient, name: string): Promise<Outcome> {
  const info = await api.find<Api.NameInfo>(`/v1/names/${encodeURIComponent(name)}`).catch(absent);
  return info
    ? one({ kind: 'Name', name, path: pathTo('name', name) })
    : nothing('There is no such name, and no contract without its address.');
}

/** By the beginning of its name, and by its symbol. */
async function byToken(api: ApiClient, term: string): Promise<Outcome> {
  const lists = await Promise.all(
    ['symbol', 'name'].map(by =>
      api.find<Api.Page<Api.TokenMetadata>>(`/metadata/v1/ft?limit=5&${by}=${encodeURIComponent(term)}`).catch(absent),
    ),
  );
  const tokens = new Map(
    lists.flatMap(list => list?.results ?? []).map(token => [token.asset_identifier ?? '', token] as const),
  );
  const found = [...tokens].map(([asset, { symbol, name, contract_principal = '' }]) => ({
    kind: 'Token',
    name: `${name || symbol || asset} · ${shortPrincipal(contract_principal)}`,
    path: pathTo('token', asset),
  }));
  return { found, understood: 'Nothing has this name or symbol.' };
}

/** A text that the API does not take names nothing. */
function absent(error: unknown): undefined {
  if (error instanceof ApiError && error.statusCode === 400) return undefined;
  throw error;
}
