import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { MINTS_BY_ASSET, type NFT_COLLECTIONS, type NFT_OWNERS } from '../../../index/nft/tables.ts';
import type { LISTS } from '../../../ingest/indexer/tables.ts';
import type { CursorPage } from '../../paging/cursor-page.ts';
import { seekPage } from '../../paging/seek-page.ts';

/** A collection of non-fungible tokens. */
export type Collection = RowOf<typeof NFT_COLLECTIONS> & { readonly mints: number };

/** A place in the list of collections; no collection needs to be at it. */
export type CollectionPosition = Pick<Collection, 'owners' | 'asset'>;

/** In the place of an asset: all of them together. */
const ALL = '';

/** The collections with most owners first, of equally many those with the last identifier, from a place on, by seeks. */
export async function collectionsFrom(
  queries: Queries,
  limit: number,
  from: CollectionPosition | undefined,
): Promise<CursorPage<Collection>> {
  const read = async (condition: string, order: 'ASC' | 'DESC', at: CollectionPosition | undefined, rows: number) =>
    withMints(
      queries,
      await queries.all<RowOf<typeof NFT_COLLECTIONS>>(
        `SELECT asset, items, owners FROM nft_collections WHERE asset <> ?
          ${at ? `AND (owners, asset) ${condition} (?, ?)` : ''} ORDER BY owners ${order}, asset ${order} LIMIT ?`,
        [ALL, ...(at ? [at.owners, at.asset] : []), rows],
      ),
    );
  const all = await queries.get<RowOf<typeof NFT_COLLECTIONS, 'items'>>(
    'SELECT items FROM nft_collections WHERE asset = ?',
    [ALL],
  );
  return seekPage<Collection>(
    {
      total: all?.items ?? 0,
      cursor: ({ owners, asset }) => `${owners}:${asset}`,
      from: rows => read('<=', 'DESC', from, rows),
      before: (row, rows) => read('>', 'ASC', row, rows),
    },
    limit,
  );
}

/** The collection; undefined for an asset that no event has named. */
export async function findCollection(queries: Queries, asset: string): Promise<Collection | undefined> {
  const rows = await queries.all<RowOf<typeof NFT_COLLECTIONS>>(
    'SELECT asset, items, owners FROM nft_collections WHERE asset = ?',
    [asset],
  );
  const [found] = await withMints(queries, rows);
  return found;
}

async function withMints(queries: Queries, rows: readonly RowOf<typeof NFT_COLLECTIONS>[]): Promise<Collection[]> {
  const lists = await allIn<RowOf<typeof LISTS, 'name' | 'length'>>(
    queries,
    list => `SELECT name, length FROM lists WHERE kind = ${MINTS_BY_ASSET.code} AND name IN ${list}`,
    rows.map(({ asset }) => asset),
  );
  const mints = new Map(lists.map(({ name, length }) => [name, length]));
  return rows.map(row => ({ ...row, mints: mints.get(row.asset) ?? 0 }));
}

/** A token of a collection, and its owner. */
type Item = RowOf<typeof NFT_OWNERS, 'token' | 'owner'>;

/**
 * The tokens of a collection that exist, by the bytes of their value, from one on, by seeks.
 * @param from a value; no token needs to have it
 */
export async function itemsFrom(
  queries: Queries,
  { asset, items }: Collection,
  limit: number,
  from: Uint8Array | undefined,
  cursor: (token: Uint8Array) => string,
): Promise<CursorPage<Item>> {
  const read = (condition: string, order: 'ASC' | 'DESC', at: Uint8Array | undefined, rows: number) =>
    queries.all<Item>(
      `SELECT token, owner FROM nft_owners WHERE asset = ? ${at ? `AND token ${condition} ?` : ''}
        ORDER BY token ${order} LIMIT ?`,
      [asset, ...(at ? [at] : []), rows],
    );
  return seekPage<Item>(
    {
      total: items,
      cursor: ({ token }) => cursor(token),
      from: rows => read('>=', 'ASC', from, rows),
      before: (row, rows) => read('<', 'DESC', row?.token, rows),
    },
    limit,
  );
}
