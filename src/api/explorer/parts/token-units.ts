import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import type { TokenUnit } from '../format/amounts.ts';
import { assetParts, query } from '../format/links.ts';

/** Symbols, decimals and pictures of fungible tokens, by asset id. */
export type TokenUnits = ReadonlyMap<string, TokenUnit & { readonly token?: Api.TokenOfSearch }>;

/** Metadata of tokens, by contract and number. */
export type FoundTokens = ReadonlyMap<string, Api.TokenOfSearch>;

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

/** The same from metadata that was requested. @param found of `fetchTokens`, which requested the contracts of these tokens */
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

/** Contract and number of an NFT; undefined where its value is no number. */
export function itemKey({ asset_identifier, value }: Api.NftPosition): string | undefined {
  const number = numberOf(value.hex);
  return number === undefined ? undefined : `${assetParts(asset_identifier).contract}:${number}`;
}

/** The number that a serialised `uint` is; undefined of any other value. */
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
