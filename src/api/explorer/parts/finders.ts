/** Finds entities for a text, by the kind of the text. */
import { bitcoinToStacks, isBitcoinAddress, parsePrincipal } from '../../../base/codec/index.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { pathTo, query, shortHash, shortPrincipal } from '../format/links.ts';
import { helpFor } from '../words/help.ts';
import { placesFor } from '../words/places.ts';
import { addressElsewhere, addressNetwork, correctedAddress, networkKind } from './address-forms.ts';
import {
  absent,
  bitcoinBlock,
  byBeginning,
  type Findings,
  MOST_SHOWN,
  nothing,
  one,
  principalFound,
  type SearchFinding,
  TYPES,
} from './findings.ts';
import { functionsNamed, readFunctionName } from './function-finder.ts';
import { pendingOfNonce } from './mempool.ts';
import { byShortForm, readShortForm } from './short-forms.ts';

/** A search text and its context. */
interface Search {
  readonly term: string;
  /** During typing, the text may be the beginning of a longer one. */
  readonly isTyping: boolean;
  /** The network of this server. */
  readonly network: string;
}

/** Finds entities for a text without surrounding blanks. */
export async function findByText(api: ApiClient, search: Search): Promise<Findings> {
  const { term, isTyping } = search;
  const digits = term.replaceAll(',', '');
  if (/^\d{1,9}$/.test(digits)) return byHeight(api, digits);
  if (/^(0x)?[0-9a-f]{64}$/i.test(term)) return byHash(api, term.toLowerCase());
  const principal = parsePrincipal(term);
  if (principal) return byPrincipal(api, principal, search);
  const [, sender = '', nonce = ''] = /^(S[0-9A-Z]+)#(0|[1-9]\d{0,9})$/i.exec(term) ?? [];
  if (parsePrincipal(sender)) return byNonce(api, sender, nonce);
  if (/^S[0-9A-Z]{37,41}$/i.test(term)) return byMistypedAddress(term);
  if (isBitcoinAddress(term)) return byBitcoinAddress(term);
  if (/^(0x)?[0-9a-f]{8,63}$/i.test(term)) return byBeginning(api, term, 'No hash in this index begins like this.');
  const short = readShortForm(term);
  if (short) return byShortForm(api, short);
  const functions = await functionsNamed(api, readFunctionName(term), isTyping);
  if (functions.length > 0 && term.includes('::')) return { found: functions, understood: '' };
  const named = await byText(api, search);
  const first = [...placesFound(search), ...helpFound(term), ...functions];
  if (first.length === 0) return named;
  return {
    ...named,
    found: distinct([...first, ...named.found]),
    isOffer: named.isOffer === true && functions.length === 0,
  };
}

/** Entities with the text in their id or name. */
async function byText(api: ApiClient, { term, isTyping }: Search): Promise<Findings> {
  if (/^S[0-9A-Z]{4,40}(\..*)?$/i.test(term)) {
    const findings = await byBeginning(api, term, 'Nothing in this index begins like this.');
    if (findings.found.length > 0 || term.includes('.')) return findings;
  }
  return /^[^\s./]+(\.[^\s./]+)+$/.test(term) ? byName(api, term.toLowerCase(), isTyping) : byPartOfName(api, term);
}

const placesFound = ({ term, isTyping }: Search): SearchFinding[] =>
  placesFor(term, isTyping).map(({ title, path }) => ({ kind: 'Page', name: title, path }));

function helpFound(term: string): SearchFinding[] {
  const help = helpFor(term);
  return help ? [{ kind: 'Help', name: help.title, path: `help#${help.id}` }] : [];
}

/** The first ones, each page once. */
const distinct = (found: readonly SearchFinding[]): SearchFinding[] =>
  [...new Map(found.toReversed().map(each => [each.path, each])).values()].toReversed().slice(0, MOST_SHOWN);

/** A number is a height of both chains. A Bitcoin block without Stacks blocks is no record, but has a page. */
async function byHeight(api: ApiClient, digits: string): Promise<Findings> {
  const height = Number(digits);
  const [findings, { chain_tip: tip }] = await Promise.all([
    byBeginning(
      api,
      digits,
      `There is no block ${digits}, of Stacks or of Bitcoin, in this index.`,
      'block,bitcoin_block',
    ),
    api.get<Api.Status>('/extended'),
  ]);
  const isListed = findings.found.some(({ path }) => path === pathTo('btc', height));
  const isPast = height <= (tip?.burn_block_height ?? -1);
  return isListed || !isPast ? findings : { ...findings, found: [...findings.found, bitcoinBlock(height)] };
}

async function byPrincipal(
  api: ApiClient,
  { address, contractName }: NonNullable<ReturnType<typeof parsePrincipal>>,
  { isTyping, network }: Search,
): Promise<Findings> {
  const itsNetwork = addressNetwork(address);
  const elsewhere = addressElsewhere(address);
  const below = contractName === null ? '' : `.${contractName}`;
  if (itsNetwork !== undefined && itsNetwork !== networkKind(network) && elsewhere !== undefined) {
    const found = [principalFound(elsewhere + below, 'here'), principalFound(address + below, `of ${itsNetwork}`)];
    return {
      found,
      isOffer: true,
      understood: `This is an address of ${itsNetwork}; this server has ${network}. The same key has another address here.`,
    };
  }
  if (contractName === null) return one(principalFound(address));
  const id = address + below;
  const longer = isTyping ? (await byBeginning(api, id, '')).found : [];
  return longer.length > 0 ? { found: longer, understood: '' } : one(principalFound(id));
}

/** Offered, never followed: the reader has to compare it with what was meant. */
function byMistypedAddress(term: string): Findings {
  const corrected = correctedAddress(term);
  const wrong = 'This address has a typing error: its checksum does not fit.';
  if (corrected === undefined) return nothing(wrong);
  return {
    found: [principalFound(corrected)],
    isOffer: true,
    understood: `${wrong} One address differs from it by a single slip:`,
  };
}

/** The rewards of the address, and the account of the same key if it has one. */
function byBitcoinAddress(address: string): Findings {
  const stacks = bitcoinToStacks(address);
  const rewards = { kind: 'Bitcoin address: rewards of stacking', name: address, path: pathTo('bitcoin', address) };
  if (stacks === undefined) return one(rewards);
  return { found: [rewards, principalFound(stacks, 'of the same key on Stacks')], understood: '' };
}

/** `ADDRESS#11`: the transaction of the address with that nonce. */
async function byNonce(api: ApiClient, address: string, nonce: string): Promise<Findings> {
  const list = query({ from_address: address, nonce, limit: 1 });
  const { results } = await api.get<Api.OffsetPage<Api.Transaction>>(`/extended/v1/tx${list}`);
  const pending = results.length === 0 ? await pendingOfNonce(api, address, Number(nonce)) : undefined;
  return {
    found: [...results, ...(pending ? [pending] : [])].map(({ tx_id }) => ({
      kind: `Nonce ${nonce}`,
      name: shortHash(tx_id),
      path: pathTo('tx', tx_id),
    })),
    understood: `No transaction of this address has nonce ${nonce}, confirmed or pending.`,
  };
}

async function byHash(api: ApiClient, term: string): Promise<Findings> {
  const hash = term.startsWith('0x') ? term : `0x${term}`;
  const { results } = await api.get<Api.SearchHits>(`/extended/v3/search${query({ q: hash, type: TYPES })}`);
  const type = results[0]?.type ?? (await lostType(api, hash));
  const [kind, path] = PAGES_BY_HASH[type ?? ''] ?? [];
  return kind && path
    ? one({ kind, name: shortHash(hash), path: pathTo(path, hash) })
    : nothing('This hash is not in the index: of no transaction, no block and no Bitcoin block.');
}

/** The type of an entity that version 3 of the search leaves out: one that only a fork has, or a dropped transaction. */
async function lostType(api: ApiClient, hash: string): Promise<string | undefined> {
  const found = await api.find<Api.SearchResult>(`/extended/v1/search/${hash}`);
  return found?.found ? found.result.entity_type : undefined;
}

/** Kinds and pages by the types of both versions. */
const PAGES_BY_HASH: Readonly<Record<string, readonly [kind: string, path: string]>> = {
  block: ['Stacks block', 'block'],
  block_hash: ['Stacks block', 'block'],
  bitcoin_block: ['Bitcoin block', 'btc'],
  transaction: ['Transaction', 'tx'],
  pending_transaction: ['Transaction', 'tx'],
  tx_id: ['Transaction', 'tx'],
  mempool_tx_id: ['Transaction', 'tx'],
};

/** The name, and longer ones that begin with it; an unregistered name has a page, too. */
async function byName(api: ApiClient, name: string, isTyping: boolean): Promise<Findings> {
  const [info, longer] = await Promise.all([
    api.find<Api.NameInfo>(`/v1/names/${encodeURIComponent(name)}`).catch(absent),
    byBeginning(api, name, '', 'name'),
  ]);
  const page = { kind: 'Name', name, path: pathTo('name', name) };
  if (info && !isTyping) return one(page);
  if (info || longer.found.length > 0) {
    const others = longer.found.filter(({ path }) => path !== page.path);
    return { found: info ? [page, ...others] : others, understood: '' };
  }
  const isFree = { ...page, kind: 'Name, not registered' };
  return {
    found: isTyping ? [] : [isFree],
    isOffer: true,
    understood: `The name ${name} is not registered: no account owns it.`,
  };
}

/** Names and namespaces of BNS, tokens, contracts, assets and functions that have the text in their name. */
async function byPartOfName(api: ApiClient, term: string): Promise<Findings> {
  const [names, tokens, others] = await Promise.all([
    byBeginning(api, term, '', 'name,namespace'),
    byTokenMetadata(api, term),
    byBeginning(api, term, '', 'smart_contract,token,function'),
  ]);
  return {
    found: distinct([...names.found, ...tokens, ...others.found]),
    understood: `No name, token, contract or function has this name.${/^[a-z0-9_-]+$/i.test(term) ? ` A name of BNS ends with its namespace: ${term.toLowerCase().slice(0, 48)}.btc` : ''}`,
  };
}

/** Tokens by the beginning of their name, and by their symbol. */
async function byTokenMetadata(api: ApiClient, term: string): Promise<readonly SearchFinding[]> {
  const lists = await Promise.all(
    ['symbol', 'name'].map(by =>
      api
        .find<Api.OffsetPage<Api.FungibleToken>>(`/metadata/v1/ft?limit=5&${by}=${encodeURIComponent(term)}`)
        .catch(absent),
    ),
  );
  return lists
    .flatMap(list => list?.results ?? [])
    .map(({ asset_identifier: asset, symbol, name, contract_principal }) => ({
      kind: 'Token',
      name: `${name || symbol || asset} · ${shortPrincipal(contract_principal)}`,
      path: pathTo('token', asset),
    }));
}
