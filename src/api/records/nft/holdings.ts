import { compareTexts } from '../../../base/lib/compare.ts';
import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { NFT_OWNERS } from '../../../index/nft/tables.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import { endOfTransactions, horizonOf } from '../../../ingest/indexer/horizon.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { countTokens, type TokensOf } from './counts.ts';
import { amongAssets, compareTokens, type GivenToken, type PastHoldings, pastHoldings } from './past-holdings.ts';

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
 * A page of the tokens that a principal owns, the last acquired one first, and their number (getNftHoldingsV1). Rows before
 * the page are skipped in an index; with several assets all holdings are sorted. So the cost of a page is at most the number
 * of tokens that the principal owns.
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
  const past = horizon && (await pastHoldings(queries, budget, { owner, assets: wanted }, horizon));
  const total = past?.total ?? (await countTokens(queries, { owner, assets: wanted }));
  if (offset >= total) return { total, tokens: [] };
  const rows = await newestTokens(queries, { owner, assets: wanted }, past, { limit, offset });
  const txs = await transactionsAt(queries, new Set(rows.map(({ tx }) => tx)));
  const tokens = rows.flatMap(({ asset, token, tx }) => {
    const found = txs.get(tx);
    return found ? [{ asset, value: toHex(token), height: found.height, tx, txId: toHex(found.tx_id) }] : [];
  });
  return { total, tokens };
}

/** Pages that end at or before this row are found among the tokens that came since the last one of that many kept tokens. */
const NEAR = 200;

/** Number of tokens that left above the block up to which looking up each is cheaper. */
const FEW = 8;

/** A page of the tokens of an owner, the last acquired one first. @param past as of a block */
async function newestTokens(
  queries: Queries,
  { owner, assets }: TokensOf,
  past: PastHoldings | undefined,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<TokenRow[]> {
  const kept = (from: number, to: number) =>
    queries.all<TokenRow>(
      `SELECT asset, token, tx, event_index FROM nft_owners WHERE owner = ? AND tx < ? ${amongAssets(assets)}
        ORDER BY tx DESC, event_index DESC LIMIT ? OFFSET ?`,
      [owner, endOfTransactions(queries), ...(assets ?? []), to - from, from],
    );
  const end = offset + limit;
  const merged = (had: readonly TokenRow[], others: readonly TokenRow[], from: number) =>
    [...had, ...others].sort((a, b) => b.tx - a.tx || b.event_index - a.event_index).slice(offset - from, end - from);
  if (past && past.left > FEW && end <= NEAR) {
    const first = await kept(0, end);
    const had = first.length === end ? await past.hadSince(first) : undefined;
    if (had) return merged(had, first, 0);
  }
  const had = past ? await past.had() : [];
  // Any number of the tokens that left since may be before the page.
  const skipped = Math.max(0, offset - had.length);
  return merged(had, await kept(skipped, end), skipped);
}

type TxRow = RowOf<typeof TXS, 'seq' | 'height' | 'tx_id'>;

async function transactionsAt(queries: Queries, positions: ReadonlySet<number>): Promise<Map<number, TxRow>> {
  const sql = (list: string) => `SELECT seq, height, tx_id FROM txs WHERE seq IN ${list}`;
  return new Map((await allIn<TxRow>(queries, sql, [...positions])).map(row => [row.seq, row]));
}

/** The position of a token among those of its owner. */
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
  const of = { owner, assets: asset === undefined ? undefined : [asset] };
  const past = horizon && (await pastHoldings(queries, budget, of, horizon));
  const read = async (condition: '' | '>=' | '<', order: 'ASC' | 'DESC', count: number) => {
    const others = await queries.all<RowOf<typeof NFT_OWNERS, 'asset' | 'token'>>(
      `SELECT asset, token FROM nft_owners WHERE owner = ? AND tx + 0 < ? ${amongAssets(of.assets)}
         ${condition === '' ? '' : `AND (asset, token) ${condition} (?, ?)`}
        ORDER BY asset ${order}, token ${order} LIMIT ${count}`,
      [owner, endOfTransactions(queries), ...(of.assets ?? []), ...(at ? [at.asset, at.token] : [])],
    );
    if (past === undefined) return others;
    const sign = order === 'ASC' ? 1 : -1;
    // The page ends within the last asset, if it is full.
    const last = others.length === count ? others.at(-1)?.asset : undefined;
    const isBefore = (one: string, other: string) => sign * compareTexts(one, other) < 0;
    const left = await past.had(
      asset => !(at && isBefore(asset, at.asset)) && !(last !== undefined && isBefore(last, asset)),
    );
    const sides = { '': () => true, '>=': (sign: number) => sign >= 0, '<': (sign: number) => sign < 0 };
    const had = left.filter(token => at === undefined || sides[condition](compareTokens(token, at)));
    return [...had, ...others].sort((a, b) => sign * compareTokens(a, b)).slice(0, count);
  };
  return {
    total: past?.total ?? (await countTokens(queries, of)),
    from: await read(at ? '>=' : '', 'ASC', limit + 1),
    before: at ? await read('<', 'DESC', limit) : [],
  };
}
