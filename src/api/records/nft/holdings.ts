import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { NFT_HOLDINGS, NFT_OWNERS } from '../../../index/nft/tables.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import { endOfTransactions, horizonOf } from '../../../ingest/indexer/horizon.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { amongAssets, compareTokens, type GivenToken, pastHoldings } from './past-holdings.ts';

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

type TokenRow = GivenToken;

/**
 * A page of the tokens that a principal owns, the one acquired last first, and their number (getNftHoldingsV1). Rows
 * before the page are skipped in an index; with several assets all holdings are sorted. So a page costs at most the
 * number of tokens that the principal owns.
 * @param assets identifiers; undefined for all
 */
export async function holdingsOf(
  queries: Queries,
  budget: RowBudget,
  owner: string,
  assets: readonly string[] | undefined,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly tokens: readonly OwnedToken[] }> {
  const wanted = assets && [...new Set(assets)];
  const horizon = horizonOf(queries);
  const past = horizon ? await pastHoldings(queries, budget, { owner, assets: wanted }, horizon) : SAME_AS_NOW;
  const total = (await countTokens(queries, owner, wanted ?? [''])) + past.had.length - past.cameSince;
  if (offset >= total) return { total, tokens: [] };
  // Of the tokens that left since, any number may be before the page.
  const skipped = Math.max(0, offset - past.had.length);
  const others = await queries.all<TokenRow>(
    `SELECT asset, token, tx, event_index FROM nft_owners WHERE owner = ? AND tx < ? ${amongAssets(wanted)}
      ORDER BY tx DESC, event_index DESC LIMIT ? OFFSET ?`,
    [owner, endOfTransactions(queries), ...(wanted ?? []), offset + limit - skipped, skipped],
  );
  const newestFirst = [...past.had, ...others].sort((a, b) => b.tx - a.tx || b.event_index - a.event_index);
  const rows = newestFirst.slice(offset - skipped, offset - skipped + limit);
  const txs = await transactionsAt(queries, new Set(rows.map(({ tx }) => tx)));
  const tokens = rows.flatMap(({ asset, token, tx }) => {
    const found = txs.get(tx);
    return found ? [{ asset, value: toHex(token), height: found.height, tx, txId: toHex(found.tx_id) }] : [];
  });
  return { total, tokens };
}

/** Without `at`. */
const SAME_AS_NOW = { had: [] as readonly GivenToken[], cameSince: 0 };

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
  budget: RowBudget,
  { owner, asset }: { readonly owner: string; readonly asset: string | undefined },
  { place: at, limit }: { readonly place: OwnedPosition | undefined; readonly limit: number },
): Promise<{
  readonly total: number;
  readonly from: readonly OwnedPosition[];
  readonly before: readonly OwnedPosition[];
}> {
  const horizon = horizonOf(queries);
  const assets = asset === undefined ? undefined : [asset];
  const past = horizon ? await pastHoldings(queries, budget, { owner, assets }, horizon) : SAME_AS_NOW;
  const read = async (condition: '' | '>=' | '<', order: 'ASC' | 'DESC', count: number) => {
    const others = await queries.all<RowOf<typeof NFT_OWNERS, 'asset' | 'token'>>(
      `SELECT asset, token FROM nft_owners WHERE owner = ? AND tx + 0 < ? ${asset === undefined ? '' : 'AND asset = ?'}
         ${condition === '' ? '' : `AND (asset, token) ${condition} (?, ?)`}
        ORDER BY asset ${order}, token ${order} LIMIT ${count}`,
      [owner, endOfTransactions(queries), ...(assets ?? []), ...(at ? [at.asset, at.token] : [])],
    );
    const sides = { '': () => true, '>=': (sign: number) => sign >= 0, '<': (sign: number) => sign < 0 };
    const had = past.had.filter(token => at === undefined || sides[condition](compareTokens(token, at)));
    const sign = order === 'ASC' ? 1 : -1;
    return [...had, ...others].sort((a, b) => sign * compareTokens(a, b)).slice(0, count);
  };
  return {
    total: (await countTokens(queries, owner, [asset ?? ''])) + past.had.length - past.cameSince,
    from: await read(at ? '>=' : '', 'ASC', limit + 1),
    before: at ? await read('<', 'DESC', limit) : [],
  };
}
