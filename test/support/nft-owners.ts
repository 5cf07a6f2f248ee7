import { fromHex, toHex } from '../../src/base/lib/hex.ts';
import type { Queries } from '../../src/base/store/database.ts';
import type { RowOf } from '../../src/base/store/table.ts';
import type { NFT_OWNERS } from '../../src/index/nft/tables.ts';

/** The owner of a token, undefined when it was never minted or was burned. @param token Clarity value, 0x hex */
export async function ownerOfToken(queries: Queries, asset: string, token: string): Promise<string | undefined> {
  const sql = 'SELECT owner FROM nft_owners WHERE asset = ? AND token = ?';
  return (await queries.get<RowOf<typeof NFT_OWNERS, 'owner'>>(sql, [asset, fromHex(token) ?? null]))?.owner;
}

/** The tokens of an asset that a principal owns: Clarity values as 0x hex, bytewise ascending. */
export async function tokensOfOwner(queries: Queries, asset: string, owner: string): Promise<string[]> {
  const sql = 'SELECT token FROM nft_owners WHERE asset = ? AND owner = ? ORDER BY token';
  return (await queries.all<RowOf<typeof NFT_OWNERS, 'token'>>(sql, [asset, owner])).map(({ token }) => toHex(token));
}
