import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { NFT_HOLDINGS } from '../../../index/nft/tables.ts';

/** The tokens of an owner: those of some assets, or of all. */
export interface TokensOf {
  readonly owner: string;
  /** Distinct identifiers; undefined for all. */
  readonly assets: readonly string[] | undefined;
}

/** Current number of tokens of an owner. */
export async function countTokens(queries: Queries, { owner, assets = [''] }: TokensOf): Promise<number> {
  const rows = await allIn<RowOf<typeof NFT_HOLDINGS, 'tokens'>>(
    queries,
    list => `SELECT tokens FROM nft_holdings WHERE owner = ? AND asset IN ${list}`,
    assets,
    [owner],
  );
  return rows.reduce((total, { tokens }) => total + tokens, 0);
}
