import { parsePrincipal } from '../../../base/codec/index.ts';
import { ApiError } from '../../http/errors.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { pathTo, query, shortHash, shortPrincipal } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { heading } from '../parts/lists.ts';

/** Something that was found. */
interface Found {
  readonly kind: string;
  readonly name: string;
  /** Below `/explorer/`. */
  readonly path: string;
}

interface Outcome {
  readonly found: readonly Found[];
  /** The interpretation of the text, if there is no hit. */
  readonly understood: string;
}

/**
 * The search for a typed or pasted text: one hit redirects to its page, several are listed. With `suggest` there is no
 * redirect.
 */
export const searchPage: PageRenderer = async (api, { query: asked }) => {
  const term = termOf(asked.q ?? '');
  const { found, understood } =
    term === '' ? { found: [], understood: 'nothing' } : await search(api, term, asked.suggest !== undefined);
  const [only] = found;
  if (only && found.length === 1 && asked.suggest === undefined) return { to: only.path };
  const body = html`${heading('Search', term === '' ? 'What do you look for?' : html`<bdi>${term.slice(0, 100)}</bdi>`)}
<div data-part="results">${found.length > 0 ? hits(found) : html`<p class="none">${understood}</p>`}</div>
${found.length === 0 && html`<p>A height, a hash with 64 digits (of a transaction, a block or a Bitcoin block), an address, a contract (<code>address.name</code>), a name (<code>alice.btc</code>), the symbol of a token or part of the name of a contract can be found.</p>`}`;
  return { title: 'Search', body, searched: term, status: found.length === 0 && term !== '' ? 404 : 200 };
};

const hits = (found: readonly Found[]): Html =>
  html`<ul class="hits">${found.map(({ kind, name, path }) => html`<li><a href="${path}"><small>${kind}</small> <bdi>${name}</bdi></a></li>`)}</ul>`;

/** The text without surrounding blanks; from a URL of another explorer only the id. */
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

async function search(api: ApiClient, term: string, isTyping: boolean): Promise<Outcome> {
  const digits = term.replaceAll(',', '');
  if (/^\d{1,9}$/.test(digits))
    return byBeginning(api, digits, `There is no block ${digits}, of Stacks or of Bitcoin, in this index.`);
  if (/^(0x)?[0-9a-f]{64}$/i.test(term)) return byHash(api, term.toLowerCase());
  const principal = parsePrincipal(term);
  if (principal) {
    const { address, contractName } = principal;
    if (contractName === null) return one({ kind: 'Address', name: address, path: pathTo('address', address) });
    const id = `${address}.${contractName}`;
    // During typing, the text may be the beginning of a longer name.
    const longer = isTyping ? (await byBeginning(api, id, '')).found : [];
    if (longer.length > 0) return { found: longer, understood: '' };
    return one({ kind: 'Contract', name: id, path: pathTo('contract', id) });
  }
  const [, sender = '', nonce = ''] = /^(S[0-9A-Z]+)#([1-9]\d{0,9})$/i.exec(term) ?? [];
  if (parsePrincipal(sender)) return byNonce(api, sender, nonce);
  if (/^S[0-9A-Z]{37,41}(\.|$)/i.test(term) && !term.includes('.'))
    return nothing('This address has a typing error: its checksum does not fit.');
  if (/^(0x)?[0-9a-f]{8,63}$/i.test(term)) return byBeginning(api, term, 'No hash in this index begins like this.');
  if (/^S[0-9A-Z]{4,40}(\..*)?$/i.test(term)) {
    const outcome = await byBeginning(api, term, 'Nothing in this index begins like this.');
    if (outcome.found.length > 0 || term.includes('.')) return outcome;
  }
  if (/^[^\s./]+(\.[^\s./]+)+$/.test(term)) return byName(api, term.toLowerCase(), isTyping);
  return byToken(api, term);
}

const one = (found: Found): Outcome => ({ found: [found], understood: '' });
const nothing = (understood: string): Outcome => ({ found: [], understood });

/** What the explorer has pages for: of what the API finds, and of what it finds only by its type. */
const TYPES = 'block,bitcoin_block,transaction,pending_transaction,address,smart_contract,token';
/** Results that are shown. */
const MOST_SHOWN = 8;

/** Entities that begin with a text, or have it in their name: heights and hashes of either chain, transactions, addresses, contracts, tokens. */
async function byBeginning(api: ApiClient, q: string, understood: string, type = TYPES): Promise<Outcome> {
  const found = await api.get<Api.SearchHits>(`/extended/v3/search${query({ q, type })}`).catch(absent);
  return { found: found?.results.slice(0, MOST_SHOWN).flatMap(foundOf) ?? [], understood };
}

function foundOf(hit: Api.SearchHits['results'][number]): Found[] {
  switch (hit.type) {
    case 'block':
      return [{ kind: 'Block', name: String(hit.result.height), path: pathTo('block', hit.result.height) }];
    case 'bitcoin_block':
      return [{ kind: 'Bitcoin block', name: String(hit.result.height), path: pathTo('btc', hit.result.height) }];
    case 'transaction':
    case 'pending_transaction': {
      const { tx_id, status }: { readonly tx_id: string; readonly status: string } = hit.result;
      const kind = `Transaction, ${status.replaceAll('_', ' ')}`;
      return [{ kind, name: shortHash(tx_id), path: pathTo('tx', tx_id) }];
    }
    case 'address':
      return [{ kind: 'Address', name: hit.result.principal, path: pathTo('address', hit.result.principal) }];
    case 'smart_contract': {
      const { contract_id } = hit.result;
      return [{ kind: 'Contract', name: shortPrincipal(contract_id), path: pathTo('contract', contract_id) }];
    }
    case 'token': {
      const { asset_identifier, asset_type, contract_id, asset_name } = hit.result;
      const name = `${asset_name} of ${shortPrincipal(contract_id)}`;
      return asset_type === 'ft'
        ? [{ kind: 'Token', name, path: pathTo('token', asset_identifier) }]
        : [{ kind: 'Collection', name, path: pathTo('nft', asset_identifier) }];
    }
    case 'name':
      return [{ kind: 'Name', name: hit.result.name, path: pathTo('name', hit.result.name) }];
    case 'bitcoin_address':
    case 'function':
      return []; // the explorer looks for neither
    default:
      return hit satisfies never;
  }
}

/** `ADDRESS#11`: the transaction of the address with that nonce. */
async function byNonce(api: ApiClient, address: string, nonce: string): Promise<Outcome> {
  const list = query({ from_address: address, nonce, limit: 1 });
  const { results } = await api.get<Api.OffsetPage<Api.Transaction>>(`/extended/v1/tx${list}`);
  return {
    found: results.map(({ tx_id }) => ({ kind: `Nonce ${nonce}`, name: shortHash(tx_id), path: pathTo('tx', tx_id) })),
    understood: `No mined transaction of this address has nonce ${nonce}.`,
  };
}

async function byHash(api: ApiClient, term: string): Promise<Outcome> {
  const hash = term.startsWith('0x') ? term : `0x${term}`;
  const { results } = await api.get<Api.SearchHits>(`/extended/v3/search${query({ q: hash, type: TYPES })}`);
  const type = results[0]?.type ?? (await lostType(api, hash));
  const [kind, path] = PAGES_BY_HASH[type ?? ''] ?? [];
  return kind && path
    ? one({ kind, name: shortHash(hash), path: pathTo(path, hash) })
    : nothing('This hash is not in the index: of no transaction, no block and no Bitcoin block.');
}

/** Version 3 of the search leaves out what only a fork has, and transactions that were dropped. */
async function lostType(api: ApiClient, hash: string): Promise<string | undefined> {
  const found = await api.find<Api.SearchResult>(`/extended/v1/search/${hash}`);
  return found?.found ? found.result.entity_type : undefined;
}

/** Kinds and pages by the types of both versions. */
const PAGES_BY_HASH: Readonly<Record<string, readonly [kind: string, path: string]>> = {
  block: ['Block', 'block'],
  block_hash: ['Block', 'block'],
  bitcoin_block: ['Bitcoin block', 'btc'],
  transaction: ['Transaction', 'tx'],
  pending_transaction: ['Transaction', 'tx'],
  tx_id: ['Transaction', 'tx'],
  mempool_tx_id: ['Transaction', 'tx'],
};

async function byName(api: ApiClient, name: string, isTyping: boolean): Promise<Outcome> {
  // During typing, the text may be the beginning of a longer name.
  const longer = isTyping ? await byBeginning(api, name, '', 'name') : undefined;
  if (longer && longer.found.length > 0) return longer;
  const info = await api.find<Api.NameInfo>(`/v1/names/${encodeURIComponent(name)}`).catch(absent);
  return info
    ? one({ kind: 'Name', name, path: pathTo('name', name) })
    : nothing('There is no such name, and no contract without its address.');
}

/** By the beginning of its name, and by its symbol; then contracts and assets that have the text in their ids. */
async function byToken(api: ApiClient, term: string): Promise<Outcome> {
  const lists = await Promise.all(
    ['symbol', 'name'].map(by =>
      api
        .find<Api.OffsetPage<Api.FungibleToken>>(`/metadata/v1/ft?limit=5&${by}=${encodeURIComponent(term)}`)
        .catch(absent),
    ),
  );
  const tokens = new Map(
    lists.flatMap(list => list?.results ?? []).map(token => [token.asset_identifier, token] as const),
  );
  const known = [...tokens].map(([asset, { symbol, name, contract_principal }]) => ({
    kind: 'Token',
    name: `${name || symbol || asset} · ${shortPrincipal(contract_principal)}`,
    path: pathTo('token', asset),
  }));
  const named = await byBeginning(api, term, '', 'smart_contract,token');
  const others = named.found.filter(({ path }) => known.every(token => token.path !== path));
  return { found: [...known, ...others].slice(0, MOST_SHOWN), understood: 'Nothing has this name or symbol.' };
}

/** A text that the API does not take names nothing. */
function absent(error: unknown): undefined {
  if (error instanceof ApiError && error.statusCode === 400) return undefined;
  throw error;
}
