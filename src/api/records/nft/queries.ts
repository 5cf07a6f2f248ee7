import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readMint } from '../../../index/nft/stored.ts';
import { MINTS_BY_ASSET, type NFT_MINTS } from '../../../index/nft/tables.ts';
import { findList, type List, newestEntries, positionsOf, type Slice } from '../../../ingest/indexer/lists.ts';

/** A mint as JSON text, and the position of its transaction among all transactions. */
export type Mint = RowOf<typeof NFT_MINTS, 'tx' | 'record'>;

/**
 * A page of the mints of an asset, newest first, and their number (getNftMintsV1).
 * @param txsBelow only mints of transactions below this position count; undefined for all
 */
export async function mintsOfAsset(
  queries: Queries,
  asset: string,
  { limit, offset }: Omit<Slice, 'order'>,
  txsBelow?: Promise<number | undefined>,
): Promise<{ total: number; mints: readonly Mint[] }> {
  // Sent together, as mints that only a microblock on the tip has are rare.
  const [{ length, rows }, below] = await Promise.all([
    newestEntries<Mint>(queries, MINTS_BY_ASSET, asset, 'e.tx, e.record', { limit, offset }),
    txsBelow,
  ]);
  if (below === undefined) return { total: length, mints: rows };
  const list = await findList(queries, MINTS_BY_ASSET, asset);
  if (!list) return { total: 0, mints: [] };
  const total = await lengthBelow(queries, list, below);
  const { from, to } = positionsOf({ order: 'desc', offset, limit }, total);
  const mints = await queries.all<Mint>(
    'SELECT tx, record FROM nft_mints WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq DESC',
    [list.id, from, to],
  );
  return { total, mints };
}

const AT_ONCE = 500;

/** Number of entries before the first one whose transaction is at or above this position: a few steps back from the end. */
async function lengthBelow(queries: Queries, { id, length }: List, txsBelow: number): Promise<number> {
  for (let end = length; end > 0; end -= AT_ONCE) {
    const newest = await queries.get<{ last: number | null }>(
      'SELECT max(seq) AS last FROM nft_mints WHERE list = ? AND seq >= ? AND seq < ? AND tx < ?',
      [id, end - AT_ONCE, end, txsBelow],
    );
    if (typeof newest?.last === 'number') return newest.last + 1;
  }
  return 0;
}

/** The text of a mint with the record of its transaction in place of the id. @param transaction JSON text */
export function mintWithTransaction(record: string, transaction: string | undefined): string {
  const { tx_id: _replaced, recipient, ...mint } = readMint(record);
  const fields = JSON.stringify(mint).slice(1, -1);
  return `{${fields},"tx":${transaction},"recipient":${JSON.stringify(recipient)}}`;
}
