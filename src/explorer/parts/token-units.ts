import type { ApiClient } from '../client.ts';
import type { Unit } from '../format/amounts.ts';
import { assetParts, pathTo } from '../format/links.ts';
import type { TokenMetadata } from '../records.ts';

/** Symbols, decimals and pictures of fungible tokens, by asset id. */
export type TokenUnits = ReadonlyMap<string, Unit & { readonly metadata?: TokenMetadata }>;

/** At most so many tokens of one page are looked up; further ones are shown in their smallest unit. */
const MOST = 20;

/** What token metadata tells of these tokens; without it a token is called by the name of its asset, its decimals unknown. */
export async function tokenUnits(api: ApiClient, assets: readonly string[]): Promise<TokenUnits> {
  const distinct = [...new Set(assets)];
  const known = await Promise.all(
    distinct.map(async (asset, place) => {
      const { contract, name } = assetParts(asset);
      const metadata = place < MOST ? await api.find<TokenMetadata>(`/metadata/v1/ft/${pathTo(contract)}`) : undefined;
      const unit = {
        symbol: metadata?.symbol || name,
        decimals: metadata?.decimals,
        ...(metadata && { metadata }),
      };
      return [asset, unit] as const;
    }),
  );
  return new Map(known);
}

/** The unit of a token in such a map. */
export const unitOf = (units: TokenUnits, asset: string): Unit =>
  units.get(asset) ?? { symbol: assetParts(asset).name, decimals: undefined };
