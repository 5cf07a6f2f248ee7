/** The supply of fungible tokens, at the tip and before (docs/spec/addresses.md#supply-of-a-token). */
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { BLOCKS } from '../../../index/blocks/tables.ts';
import { type FT_SUPPLIES, FT_SUPPLIES_OF } from '../../../index/token-balances/tables.ts';
import { horizonOf } from '../../../ingest/indexer/horizon.ts';
import { findList } from '../../../ingest/indexer/lists.ts';
import { evenlySpaced } from '../../paging/evenly-spaced.ts';
import { holdersTogether } from './holders.ts';

/** The sum of all balances of a fungible token, decimal: a seek, also as of a block. */
export async function supplyOf(queries: Queries, asset: string): Promise<string> {
  if (horizonOf(queries) === undefined) return (await holdersTogether(queries, asset)).supply;
  const list = await findList(queries, FT_SUPPLIES_OF, asset);
  if (!list) return '0';
  const last = await queries.get<RowOf<typeof FT_SUPPLIES, 'total'>>(
    'SELECT total FROM ft_supplies WHERE list = ? AND seq = ?',
    [list.id, list.length - 1],
  );
  return last?.total ?? '0';
}

/**
 * The supply of a fungible token after some of the blocks that changed it, evenly spaced among these, the oldest first.
 * @param points how many at most, at least 1
 */
export async function supplyHistory(queries: Queries, asset: string, points: number) {
  const total = await supplyOf(queries, asset);
  const list = await findList(queries, FT_SUPPLIES_OF, asset);
  if (!list) return { total, results: [] };
  const rows = await allIn<RowOf<typeof FT_SUPPLIES, 'height' | 'total'>>(
    queries,
    marks => `SELECT height, total FROM ft_supplies WHERE list = ? AND seq IN ${marks}`,
    evenlySpaced(list.length, points),
    [list.id],
  );
  const blocks = await allIn<RowOf<typeof BLOCKS, 'seq' | 'block_time'>>(
    queries,
    marks => `SELECT seq, block_time FROM blocks WHERE seq IN ${marks}`,
    rows.map(({ height }) => height - 1),
  );
  const times = new Map(blocks.map(({ seq, block_time }) => [seq + 1, block_time]));
  const results = rows
    .toSorted((a, b) => a.height - b.height)
    .map(({ height, total }) => ({ block: { height, time: times.get(height) ?? 0 }, total }));
  return { total, results };
}
