import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { NFT_HOLDINGS, NFT_OWNERS } from '../../../index/nft/tables.ts';
import type { TXS } from '../../../index/transactions/tables.ts';

/** A token that a principal owns, and the transaction that gave it. */
export interface OwnedToken {
  readonly asset: string;
  /** Clarity value, 0x hex. */
  readonly value: string;
  readonly height: number;
  /** Position of the transaction among all. */
  readonly tx: number;
  readonly txId: string;
}

type TokenRow = RowOf<typeof NFT_OWNERS, 'asset' | 'token' | 'tx'>;

/**
 * A page of the tokens that a principal owns, the one acquired last first, and their number (getNftHoldingsV1). Rows
 * before the page are skipped in an index; with several assets all holdings are sorted. So a page costs at most the
 * number of tokens that the principal owns.
 * @param assets identifiers; undefined for all
 */
export async function holdingsOf(
  queries: Queries,
  owner: string,
  assets: readonly string[] | undefined,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly tokens: readonly OwnedToken[] }> {
  const wanted = assets && [...new Set(assets)];
  const total = await countTokens(queries, owner, wanted ?? ['']);
  if (offset >= total) return { total, tokens: [] };
  const ofAssets = wanted ? `AND asset IN (${wanted.map(() => '?').join(', ')})` : '';
  const rows = await queries.all<TokenRow>(
    `SELECT asset, token, tx FROM nft_owners WHERE owner = ? ${ofAssets}
      ORDER BY tx DESC, event_index DESC LIMIT ? OFFSET ?`,
    [owner, ...(wanted ?? []), limit, offset],
  );
  const txs = await transactionsAt(queries, new Set(rows.map(({ tx }) => tx)));
  const tokens = rows.flatMap(({ asset, token, tx }) => {
    const found = txs.get(tx);
    return found ? [{ asset, value: toHex(token), height: found.height, tx, txId: toHex(found.tx_id) }] : [];
  });
  return { total, tokens };
}

async function countTokens(queries: Queries, owner: string, assets: readonly string[]): Promise<number> {
  const rows = await allIn<RowOf<typeof NFT_HOLDINGS, 'tokens'>>(
    queries,
    list => `SELECT tokens FROM nft_holdings WHERE owner = ? AND asset IN ${list}`,
    assets,
    [owner],
  );
  return rows.reduce((total, { tokens }) => total + tokens, 0);
}

type TxRow = RowOf<typeof TXS, 'seq' | 'height' | 'tx_id'>;

async function transactionsAt(queries: Queries, positions: ReadonlySet<number>): Promise<Map<number, TxRow>> {
  const sql = (list: string) => `SELECT seq, height, tx_id FROM txs WHERE seq IN ${list}`;
  return new Map((await allIn<TxRow>(queries, sql, [...positions])).map(row => [row.seq, row]));
}

/** A token that a principal owns, as a position among them. */
export interface OwnedPosition {
  /** Asset identifier. */
  readonly asset: string;
  /** Clarity value. */
  readonly token: Uint8Array;
}

/** Tokens owned, by asset and value: `from` a position on; and `before` it, the nearest first. @param of.asset undefined for all */
export async function ownedAround(
  queries: Queries,
  { owner, asset }: { readonly owner: string; readonly asset: string | undefined },
  at: OwnedPosition | undefined,
  limit: number,
): Promise<{
  readonly total: number;
  readonly from: readonly OwnedPosition[];
  readonly before: readonly OwnedPosition[];
}> {
  const read = (condition: string, order: 'ASC' | 'DESC', count: number) =>
    queries.all<RowOf<typeof NFT_OWNERS, 'asset' | 'token'>>(
      `SELECT asset, token FROM nft_owners WHERE owner = ? ${asset === undefined ? '' : 'AND asset = ?'} ${condition}
        ORDER BY asset ${order}, token ${order} LIMIT ${count}`,
      [owner, ...(asset === undefined ? [] : [asset]), ...(at ? [at.asset, at.token] : [])],
    );
  return {
    total: await countTokens(queries, owner, [asset ?? '']),
    from: await read(at ? 'AND (asset, token) >= (?, ?)' : '', 'ASC', limit + 1),
    before: at ? await read('AND (asset, token) < (?, ?)', 'DESC', limit) : [],
  };
}
