/** Rewards of a principal as a miner, in the form of version 3 (docs/spec/addresses.md#mining). */
import { hexBytes, toHex } from '../../../base/lib/hex.ts';
import { isoTime } from '../../../base/lib/time.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import {
  type MINED_COINBASES,
  type MINER_REWARD_TOTALS,
  MINER_REWARDS_OF_ADDRESS,
} from '../../../index/addresses/tables.ts';
import { CANONICAL } from '../../../index/blocks/canonical-chain.ts';
import type { BLOCKS } from '../../../index/blocks/tables.ts';
import { halve } from '../../../ingest/indexer/halving.ts';
import { endOfBlocks, horizonOf } from '../../../ingest/indexer/horizon.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { findList, type List } from '../../../ingest/indexer/lists.ts';
import { invalidParameter } from '../../http/errors.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { amount, count, hash, isoTimestamp, nullable, principal, unixTime } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { type CursorPage, type CursorQuery, pageFrom } from '../../paging/cursor-page.ts';

const amounts = {
  coinbase: amount('Micro-STX that came into being'),
  fees: amount('Micro-STX of the transactions of the block and its microblocks'),
  total: amount('Both'),
};

export const MiningSchemaV3 = Type.Object(
  { rewards: Type.Object({ count: count('Those that are not zero'), ...amounts }) },
  { title: 'Mining' },
);

const BlockSummarySchemaV3 = Type.Object(
  { height: count(), hash: hash(), index_hash: hash(), time: unixTime(), time_iso: isoTimestamp() },
  { title: 'BlockSummary' },
);

export const MiningRewardSchemaV3 = Type.Object(
  {
    id: Type.String({
      description: 'Index block hash of `block`, and the place among its rewards: `<hash>:<number>`',
      examples: [`0x${'0a'.repeat(32)}:0`],
    }),
    recipient: principal(),
    miner: principal('The recipient where the node named none'),
    block: BlockSummarySchemaV3,
    source_block: nullable(BlockSummarySchemaV3, 'The block whose reward it is; null where the index lacks it'),
    ...amounts,
  },
  { title: 'MiningReward' },
);

/** Totals of a principal as a miner over the whole chain, keys in emitted order. Zeros without rewards. */
export async function miningV3(queries: Queries, budget: RowBudget, recipient: string) {
  const { id, length } = (await findList(queries, MINER_REWARDS_OF_ADDRESS, recipient)) ?? NO_REWARDS;
  const last = await queries.get<RowOf<typeof MINER_REWARD_TOTALS, 'total'>>(
    'SELECT total FROM miner_rewards WHERE list = ? AND seq = ?',
    [id, length - 1],
  );
  const coinbases = await queries.get<RowOf<typeof MINED_COINBASES, 'total'>>(
    'SELECT total FROM mined_coinbases WHERE principal = ?',
    [recipient],
  );
  const isPast = horizonOf(queries) !== undefined && length > 0;
  const later = isPast ? await coinbasesFrom(queries, budget, { id, length }) : 0n;
  const coinbase = length > 0 ? BigInt(coinbases?.total ?? 0) - later : 0n;
  const total = BigInt(last?.total ?? 0);
  return {
    rewards: { count: length, coinbase: String(coinbase), fees: String(total - coinbase), total: String(total) },
  };
}

const NO_REWARDS: List = { id: -1, length: 0 };
const REWARDS_AT_ONCE = 1000;

/** The coinbases of the rewards behind the first ones of a list. */
async function coinbasesFrom(queries: Queries, budget: RowBudget, { id, length }: List): Promise<bigint> {
  let sum = 0n;
  for (let from = length, isMore = true; isMore; ) {
    const limit = await budget.take(REWARDS_AT_ONCE);
    const rows = await queries.all<RowOf<typeof MINER_REWARD_TOTALS, 'coinbase'>>(
      'SELECT coinbase FROM miner_rewards WHERE list = ? AND seq >= ? AND seq < ?',
      [id, from, from + limit],
    );
    for (const { coinbase } of rows) sum += BigInt(coinbase);
    from += limit;
    isMore = rows.length === limit;
  }
  return sum;
}

/** `height:position`. */
export const REWARD_CURSOR = '^[0-9]+:[0-9]+$';
/** The greatest numbers of a cursor in the hosted API. */
const [HIGHEST, LAST_POSITION] = [2_147_483_647, 32_767];

type Reward = Omit<RowOf<typeof MINER_REWARD_TOTALS>, 'list' | 'total'>;
const REWARD_FIELDS = 'seq, height, position, recipient, miner, source, coinbase, fees';

/**
 * A page of the rewards of a principal, the last matured one first.
 * @throws ApiError 400 for a cursor with a number that no place has
 */
export async function pageOfRewards(
  queries: Queries,
  recipient: string,
  { cursor, limit }: CursorQuery,
): Promise<CursorPage<Reward>> {
  const [height = HIGHEST, position = LAST_POSITION] = cursor?.split(':').map(Number) ?? [];
  if (height > HIGHEST || position > LAST_POSITION) throw invalidParameter(`Cursor value out of range: ${cursor}`);
  const list = (await findList(queries, MINER_REWARDS_OF_ADDRESS, recipient)) ?? NO_REWARDS;
  const end = await rewardsUpTo(queries, list, { height, position });
  return pageFrom<Reward>(
    {
      length: list.length,
      rows: (from, to) =>
        queries.all<Reward>(
          `SELECT ${REWARD_FIELDS} FROM miner_rewards
            WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq DESC`,
          [list.id, list.length - to, list.length - from],
        ),
      cursors: rows => rows.map(row => `${row.height}:${row.position}`),
    },
    list.length - end,
    limit,
  );
}

/** The number of rewards up to a place, inclusive. */
export async function rewardsUpTo(
  queries: Queries,
  { id, length }: List,
  place: { readonly height: number; readonly position: number },
): Promise<number> {
  const isBefore = 'e.height < search.height OR (e.height = search.height AND e.position <= search.position)';
  const halving = { entries: MINER_REWARDS_OF_ADDRESS.entries, bounds: ['height', 'position'], isBefore } as const;
  const [found = 0] = await halve(queries, halving, [{ list: id, from: 0, to: length, bounds: place }]);
  return found;
}

type BlockRow = RowOf<typeof KNOWN_BLOCKS, 'height' | 'block_hash' | 'index_block_hash'> &
  RowOf<typeof BLOCKS, 'block_time'>;
const BLOCK = `SELECT k.height, k.block_hash, k.index_block_hash, b.block_time FROM ${CANONICAL} AND b.seq = k.height - 1`;

const blockSummary = ({ height, block_hash, index_block_hash, block_time: time }: BlockRow) => ({
  height,
  hash: toHex(block_hash),
  index_hash: toHex(index_block_hash),
  time,
  time_iso: isoTime(time),
});

/** The canonical blocks of these heights, by height. */
export async function blocksAtHeights(queries: Queries, heights: readonly number[]) {
  const rows = await allIn<BlockRow>(queries, list => `${BLOCK} WHERE b.seq IN ${list}`, [
    ...new Set(heights.map(height => height - 1)),
  ]);
  return new Map(rows.map(row => [row.height, blockSummary(row)]));
}

/** The matured rewards for a block, in the order of the blocks in which they matured. @param source index block hash, 0x hex */
export const rewardsForBlock = (queries: Queries, source: string): Promise<Reward[]> =>
  queries.all<Reward>(
    `SELECT ${REWARD_FIELDS} FROM miner_rewards WHERE source = ? AND height <= ? ORDER BY height, position`,
    [hexBytes(source), endOfBlocks(queries)],
  );

/** The rewards as they are served, in their order. */
export async function miningRewardsV3(queries: Queries, rewards: readonly Reward[]) {
  const blockAt = await blocksAtHeights(
    queries,
    rewards.map(({ height }) => height),
  );
  const sources = await allIn<BlockRow>(
    queries,
    list => `${BLOCK} WHERE k.index_block_hash IN ${list}`,
    rewards.map(({ source }) => source),
  );
  const sourceOf = new Map(sources.map(row => [toHex(row.index_block_hash), blockSummary(row)]));
  return rewards.flatMap(({ recipient, height, position, miner, source, coinbase, fees }) => {
    const block = blockAt.get(height);
    if (!block) return [];
    return [
      {
        id: `${block.index_hash}:${position}`,
        recipient,
        miner: miner ?? recipient,
        block,
        source_block: sourceOf.get(toHex(source)) ?? null,
        coinbase,
        fees,
        total: String(BigInt(coinbase) + BigInt(fees)),
      },
    ];
  });
}
