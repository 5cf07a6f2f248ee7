import { isoTime, LAST_TIME } from '../../../base/lib/time.ts';
import type { Queries } from '../../../base/store/database.ts';
import { inLists } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { CANONICAL } from '../../../index/blocks/canonical-chain.ts';
import { readStoredBlock } from '../../../index/blocks/stored.ts';
import type { Network } from '../../../ingest/chain/network.ts';
import { lastBurnHeight } from '../../../ingest/indexer/horizon.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';

/** A Bitcoin block, from the Stacks blocks that name it as their burn block; its time in Unix seconds. */
interface BurnBlock {
  readonly height: number;
  readonly time: number;
}

/** The time of a Bitcoin block, or its projected time at the pace of earlier blocks (docs/spec/staking.md#times). At most one of both is known. */
interface PointTimes {
  readonly time: number | null;
  readonly time_iso: string | null;
  readonly projected_time: number | null;
  readonly projected_time_iso: string | null;
}

/** Bitcoin blocks over which the pace is measured, and after which Bitcoin adjusts its difficulty. */
const WINDOW = 2016;
/** Seconds between blocks at which the difficulty aims. */
const AIM = 600;

/** The times of these Bitcoin heights, as a function of the height. One statement, however many there are. */
export async function burnTimesOf(
  queries: Queries,
  network: Network,
  heights: readonly number[],
): Promise<(height: number) => PointTimes> {
  const tip = await newestUpTo(queries, Number.MAX_SAFE_INTEGER);
  if (!tip) return () => timesOf(undefined, undefined);
  const known = await timesAt(
    queries,
    [...new Set(heights)].filter(height => height <= tip.height),
  );
  const pace = heights.some(height => height > tip.height) ? await paceUpTo(queries, tip) : AIM;
  const adjusts = network === 'mainnet';
  return height =>
    height > tip.height
      ? timesOf(undefined, projectedTime(height, tip, { pace, adjusts }))
      : timesOf(known.get(height), undefined);
}

/** @param time and projected in Unix seconds; undefined if unknown */
function timesOf(time: number | undefined, projected: number | undefined): PointTimes {
  return {
    time: time ?? null,
    time_iso: time === undefined ? null : isoTime(time),
    projected_time: projected ?? null,
    projected_time_iso: projected === undefined ? null : isoTime(projected),
  };
}

/**
 * The time of a Bitcoin block above the tip, in Unix seconds. Undefined beyond the year 9999.
 *
 *     tip 4030, pace 540, adjusted at 4032:   4031 → t + 540   4032 → t + 540 + 600   4035 → t + 540 + 4 × 600
 *
 * @param adjusts whether the network adjusts its difficulty: then blocks from the next adjustment on come at the target pace
 */
export function projectedTime(
  height: number,
  tip: BurnBlock,
  { pace, adjusts }: { readonly pace: number; readonly adjusts: boolean },
): number | undefined {
  const lastAtPace = adjusts ? (Math.floor(tip.height / WINDOW) + 1) * WINDOW - 1 : height;
  const atPace = Math.min(height, lastAtPace) - tip.height;
  const time = Math.round(tip.time + atPace * pace + (height - tip.height - atPace) * AIM);
  return time <= LAST_TIME ? time : undefined;
}

/** Mean seconds between Bitcoin blocks up to the tip; the target of the difficulty if that cannot be measured. */
async function paceUpTo(queries: Queries, tip: BurnBlock): Promise<number> {
  const start = (await newestUpTo(queries, tip.height - WINDOW)) ?? (await oldest(queries));
  const pace = start && tip.height > start.height ? (tip.time - start.time) / (tip.height - start.height) : 0;
  return pace > 0 ? pace : AIM;
}

/** SQL: whether a block `k` is canonical. A lookup, because with a join an engine may read all blocks. */
const IS_CANONICAL = '(SELECT b.known FROM blocks b WHERE b.seq = k.height - 1) = k.arrival';

type BurnRow = RowOf<typeof KNOWN_BLOCKS, 'burn_block_height' | 'record'>;

const toBurnBlock = ({ burn_block_height: height, record }: BurnRow): BurnBlock => ({
  height,
  time: readStoredBlock(record).burnBlockTime,
});

/** The highest burn block of a canonical block, up to a Bitcoin height. */
async function newestUpTo(queries: Queries, height: number): Promise<BurnBlock | undefined> {
  const row = await queries.get<BurnRow>(
    `SELECT k.burn_block_height, k.record FROM known_blocks k
      WHERE k.burn_block_height <= ? AND ${IS_CANONICAL} ORDER BY k.burn_block_height DESC LIMIT 1`,
    [Math.min(height, lastBurnHeight(queries))],
  );
  return row && toBurnBlock(row);
}

async function oldest(queries: Queries): Promise<BurnBlock | undefined> {
  const row = await queries.get<BurnRow>(`SELECT k.burn_block_height, k.record FROM ${CANONICAL} WHERE b.seq = 0`);
  return row && toBurnBlock(row);
}

/** The times of these Bitcoin blocks, if they are burn blocks of canonical blocks. */
async function timesAt(queries: Queries, heights: readonly number[]): Promise<Map<number, number>> {
  const times = new Map<number, number>();
  for (const { values } of inLists(heights)) {
    const wanted = values.map(() => '(CAST(? AS bigint))').join(', ');
    const rows = await queries.all<{ height: number; record: BurnRow['record'] | null }>(
      `WITH wanted (height) AS (VALUES ${wanted})
       SELECT wanted.height, (SELECT k.record FROM known_blocks k
                              WHERE k.burn_block_height = wanted.height AND ${IS_CANONICAL} LIMIT 1) AS record
         FROM wanted`,
      values,
    );
    for (const { height, record } of rows) if (record) times.set(height, readStoredBlock(record).burnBlockTime);
  }
  return times;
}
