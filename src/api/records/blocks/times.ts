import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { greatestLateness, txsUpTo } from '../../../index/blocks/canonical-chain.ts';
import type { BLOCKS } from '../../../index/blocks/tables.ts';
import { endOfBlocks, horizonOf } from '../../../ingest/indexer/horizon.ts';
import { type CanonicalBlock, findBlock } from './queries.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;

/** Lengths of the windows for averages, in seconds. */
const WINDOWS = { last_1h: HOUR, last_24h: DAY, last_7d: WEEK, last_30d: 30 * DAY } as const;

type Timed = RowOf<typeof BLOCKS, 'seq' | 'block_time'>;

/** The block with the greatest time up to this one (Unix seconds), the highest of several (getBlockByBlockTimeV2). */
export async function blockAtTime(queries: Queries, time: number): Promise<CanonicalBlock | undefined> {
  const found = await newestUpTo(queries, time);
  return found && findBlock(queries, { height: found.seq + 1 });
}

/**
 * Mean seconds between blocks within windows that end at the tip (docs/spec/blocks.md#average-times). Block times follow the order of
 * blocks, except for a few of epoch 2, so the sum of the distances is the distance of the ends, and no sum is needed.
 */
export async function averageBlockTimes(queries: Queries): Promise<Record<keyof typeof WINDOWS, number>> {
  const tip = await tipTime(queries);
  const start = tip ? await startOf(queries, tip.block_time - WINDOWS.last_30d) : 0;
  const averages = Object.entries(WINDOWS).map(async ([name, seconds]) => {
    if (!tip) return [name, 0];
    const from = Math.max((await startOf(queries, tip.block_time - seconds)) - 1, start);
    const first = await queries.get<Timed>('SELECT seq, block_time FROM blocks WHERE seq = ?', [from]);
    const mean = first && tip.seq > first.seq ? (tip.block_time - first.block_time) / (tip.seq - first.seq) : 0;
    return [name, Math.round(mean * 100) / 100];
  });
  return Object.fromEntries(await Promise.all(averages)) as Record<keyof typeof WINDOWS, number>;
}

/** The position, in the list of all transactions, of the first one within this many seconds before the tip; windows as above. */
export async function firstTxWithin(queries: Queries, seconds: number): Promise<number> {
  const tip = await tipTime(queries);
  return tip === undefined ? 0 : txsUpTo(queries, await startOf(queries, tip.block_time - seconds));
}

const tipTime = (queries: Queries): Promise<Timed | undefined> =>
  queries.get<Timed>('SELECT seq, block_time FROM blocks WHERE seq < ? ORDER BY seq DESC LIMIT 1', [
    endOfBlocks(queries),
  ]);

/** Position of the first block of a window: the one above the newest block before it. */
async function startOf(queries: Queries, time: number): Promise<number> {
  const before = await newestUpTo(queries, time - 1);
  return before ? before.seq + 1 : 0;
}

async function newestUpTo(queries: Queries, time: number): Promise<Timed | undefined> {
  return queries.get<Timed>(
    'SELECT seq, block_time FROM blocks WHERE block_time <= ? AND seq < ? ORDER BY block_time DESC, seq DESC LIMIT 1',
    [Math.min(time, await latestTime(queries)), endOfBlocks(queries)],
  );
}

/** An upper bound of the times of shown blocks (Unix seconds), with few other blocks in between. */
async function latestTime(queries: Queries): Promise<number> {
  const horizon = horizonOf(queries);
  if (horizon === undefined) return Number.MAX_SAFE_INTEGER;
  const last = await queries.get<Timed>('SELECT seq, block_time FROM blocks WHERE seq = ?', [horizon.height - 1]);
  return (last?.block_time ?? 0) + (await greatestLateness(queries));
}
