import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { MINTS_BY_ASSET, type NFT_COLLECTIONS, type NFT_OWNERS } from '../../../index/nft/tables.ts';
import type { LISTS } from '../../../ingest/indexer/tables.ts';
import type { CursorPage } from '../../paging/cursor-page.ts';
import { seekPage } from '../../paging/seek-page.ts';

/** A collection of non-fungible tokens. */
export type Collection = RowOf<typeof NFT_COLLECTIONS> & { readonly mints: number };

/** A place in the list of collections; there need not be a collection at it. */
export type CollectionPosition = Pick<Collection, 'owners' | 'asset'>;

/** Used in place of an asset to mean all assets. */
const ALL = '';

/** The collections from a place on, by seeks: those with most owners first, then by identifier, the last one first. */
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

/** A collection; undefined for an asset without events. */
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
 * The existing tokens of a collection, by the bytes of their value, from a value on, by seeks.
 * @param from a value; there need not be a token with it
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
