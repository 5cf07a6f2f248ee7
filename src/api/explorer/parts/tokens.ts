/** The metadata of tokens: units of amounts, pictures, cards of NFTs. */
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import type { TokenUnit } from '../format/amounts.ts';
import { assetParts, nftPath, query, shortened, shortHash } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { tabs } from './lists.ts';

/** Symbols, decimals and pictures of fungible tokens, by asset id. */
export type TokenUnits = ReadonlyMap<string, TokenUnit & { readonly token?: Api.TokenOfSearch }>;

/** Metadata of tokens, by contract and number. */
type FoundTokens = ReadonlyMap<string, Api.TokenOfSearch>;

/** Most tokens in one request of the API. */
const MOST = 50;

/**
 * The symbols and decimals of these tokens from token metadata. A token without metadata has the name of its asset and
 * unknown decimals.
 */
export async function tokenUnits(api: ApiClient, assets: readonly string[]): Promise<TokenUnits> {
  return unitsIn(await fetchTokens(api, assets.map(contractOf)), assets);
}

export const contractOf = (asset: string): string => assetParts(asset).contract;

/** The same from fetched metadata. @param found of `fetchTokens` for the contracts of these tokens */
export const unitsIn = (found: FoundTokens, assets: readonly string[]): TokenUnits =>
  new Map(assets.map(asset => [asset, ofAsset(asset, found)] as const));

function ofAsset(asset: string, found: FoundTokens): TokenUnit & { readonly token?: Api.TokenOfSearch } {
  const { contract, name } = assetParts(asset);
  const token = found.get(`${contract}:1`);
  // A contract can have several assets; its metadata is of the first one.
  if (token?.asset_identifier !== asset) return { symbol: name, decimals: undefined };
  return { symbol: token.symbol || name, decimals: token.decimals, token };
}

/** The unit of a token in such a map. */
export const unitOf = (units: TokenUnits, asset: string): TokenUnit =>
  units.get(asset) ?? { symbol: assetParts(asset).name, decimals: undefined };

/** Contract and number of an NFT; undefined if its value is no number. */
export function itemKey({ asset_identifier, value }: Api.NftPosition): string | undefined {
  const number = numberOf(value.hex);
  return number === undefined ? undefined : `${assetParts(asset_identifier).contract}:${number}`;
}

/** The number in a serialised `uint`; undefined for any other value. */
export const numberOf = (hex: string): bigint | undefined =>
  /^0x01[0-9a-f]{32}$/i.test(hex) ? BigInt(`0x${hex.slice(4)}`) : undefined;

/**
 * The metadata of tokens `<contract>` or `<contract>:<number>`; only the first 50 are requested.
 */
export async function fetchTokens(api: ApiClient, keys: readonly string[]): Promise<FoundTokens> {
  const asked = [...new Set(keys)].slice(0, MOST);
  if (asked.length === 0) return new Map();
  const found = await api.get<readonly Api.TokenOfSearch[]>(
    `/metadata/v1/search${query({ contract: asked.join(',') })}`,
  );
  return new Map(found.map(token => [`${token.contract_id}:${token.token_number}`, token]));
}

/**
 * The image of a token, if this server has made one. Images of other servers are never loaded: a letter on a colour
 * replaces them.
 */
export function picture(
  images: Pick<Api.TokenOfSearch, 'image_uri' | 'image_thumbnail_uri'> | undefined,
  asset: string,
  size: 20 | 40 | 150 = 20,
): Html {
  const found = images?.image_thumbnail_uri || images?.image_uri;
  if (!found?.endsWith('.png')) return letter(asset, size);
  return imageOf(found, size);
}

/** @param found URL or path of a picture that this server has made */
export function imageOf(found: string, size: number): Html {
  // Behind a path prefix the images are behind it, too.
  const source = found.startsWith('/') ? `..${found}` : found;
  return html`<img src="${source}" width="${size}" height="${size}" alt="" loading="lazy" decoding="async"> `;
}

/** The lists of tokens: fungible ones, and collections of NFTs. */
export const tokenKinds = (shown: 'tokens' | 'nfts'): Html =>
  tabs('Kinds of tokens', [
    { text: 'Fungible tokens', path: 'tokens', isCurrent: shown === 'tokens' },
    { text: 'NFT collections', path: 'nfts', isCurrent: shown === 'nfts' },
  ]);

const COLOURS = 6;

function letter(asset: string, size: number): Html {
  const colour = [...asset].reduce((sum, each) => (sum * 31 + (each.codePointAt(0) ?? 0)) % 65_521, 7) % COLOURS;
  const [first = '·'] = assetParts(asset).name.match(/[\p{L}\p{N}]/u) ?? [];
  return html`<span class="letter l${size} c${colour}" aria-hidden="true">${first.toUpperCase()}</span> `;
}

/** An NFT in a gallery: its picture, its name and its collection. @param items of `fetchTokens`, which requested its `itemKey` */
export function nftCard(nft: Api.NftPosition, items: FoundTokens): Html {
  const { asset_identifier: asset, value } = nft;
  const found = items.get(itemKey(nft) ?? '');
  const collection = assetParts(asset).name;
  const name = found?.name || `${collection} ${valueText(value)}`;
  return html`<a class="nft" href="${nftPath(asset, value.hex)}" title="${asset}">${picture(found, asset, 150)}<bdi>${shortened(name, 60)}</bdi>${found?.name && html`<small><bdi>${shortened(collection, 30)}</bdi> ${valueText(value)}</small>`}</a>`;
}

/** `#7`, or the beginning of a value that is no number. */
export function valueText({ hex, repr }: Api.NftPosition['value']): string {
  const number = numberOf(hex);
  if (number !== undefined) return `#${number}`;
  return repr.length <= 24 ? repr : shortHash(hex);
}
