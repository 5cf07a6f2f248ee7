import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { CANONICAL } from '../../../index/blocks/canonical-chain.ts';
import { type BlockRecordRow, RECORD_FIELDS } from '../../../index/blocks/record.ts';
import { type LIST_TXS, type TXS, TXS_BY_TYPE } from '../../../index/transactions/tables.ts';
import { findList } from '../../../ingest/indexer/lists.ts';
import type { BlockRow } from './queries.ts';
import { blockV2 } from './record-v2.ts';
import { SIZE_IN_BLOCK } from './totals.ts';

/** Usage of a tenure's limits by its blocks, in the units of the chain's cost functions; `size` in bytes. */
interface Usage {
  readonly read_count: number;
  readonly read_length: number;
  readonly write_count: number;
  readonly write_length: number;
  readonly runtime: number;
  readonly size: number;
}

interface TenureUsage {
  readonly blocks: number;
  readonly usage: Usage;
}

/** Most blocks of a tenure that are read, the newest ones: a tenure has some hundred. */
const MOST_BLOCKS = 1000;

/**
 * Usage of the newest tenures, the newest first, which is incomplete. A tenure here is the part between two tenure changes,
 * extends included, as these renew its limits.
 * @param complete number of complete tenures; near the first block of epoch 3 there are fewer
 */
export async function newestTenures(queries: Queries, complete: number): Promise<TenureUsage[]> {
  const starts = await newestStarts(queries, complete + 1);
  const tenures: TenureUsage[] = [];
  let end: number | undefined;
  for (const start of starts) {
    tenures.push(await usageOf(queries, start, end));
    end = start;
  }
  return tenures;
}

/** Heights of the newest blocks that have a tenure change, the highest first. */
async function newestStarts(queries: Queries, count: number): Promise<number[]> {
  const list = await findList(queries, TXS_BY_TYPE, 'tenure_change');
  if (list === undefined) return [];
  // A block may have two: the beginning of a tenure and an extend.
  const rows = await queries.all<RowOf<typeof LIST_TXS, 'tx'> & RowOf<typeof TXS, 'height'>>(
    'SELECT l.tx, t.height FROM list_txs l JOIN txs t ON t.seq = l.tx WHERE l.list = ? AND l.seq >= ? ORDER BY l.seq DESC',
    [list.id, list.length - 2 * count],
  );
  return [...new Set(rows.map(({ height }) => height))].slice(0, count);
}

/** @param end height of the first block that does not count; undefined for all up to the tip */
async function usageOf(queries: Queries, start: number, end: number | undefined): Promise<TenureUsage> {
  const rows = await queries.all<BlockRecordRow & Pick<BlockRow, 'first_tx' | 'tx_rows'>>(
    `SELECT ${RECORD_FIELDS}, b.first_tx, b.tx_rows FROM ${CANONICAL}
      WHERE b.seq >= ? AND b.seq < ? ORDER BY b.seq DESC LIMIT ?`,
    [start - 1, end === undefined ? Number.MAX_SAFE_INTEGER : end - 1, MOST_BLOCKS],
  );
  const records = rows.map(blockV2);
  const sum = (name: keyof Omit<Usage, 'size'>) =>
    records.reduce((total, record) => total + record[`execution_cost_${name}`], 0);
  return {
    blocks: rows.length,
    usage: {
      read_count: sum('read_count'),
      read_length: sum('read_length'),
      write_count: sum('write_count'),
      write_length: sum('write_length'),
      runtime: sum('runtime'),
      size: await sizeOf(queries, rows),
    },
  };
}

/** Bytes of the transactions of neighbouring blocks, the newest first. */
async function sizeOf(queries: Queries, blocks: readonly Pick<BlockRow, 'first_tx' | 'tx_rows'>[]): Promise<number> {
  const [newest, oldest] = [blocks.at(0), blocks.at(-1)];
  if (!newest || !oldest) return 0;
  const row = await queries.get<{ size: number | null }>(
    `SELECT sum(${SIZE_IN_BLOCK}) AS size FROM tx_bodies b WHERE b.seq >= ? AND b.seq < ?`,
    [oldest.first_tx, newest.first_tx + newest.tx_rows],
  );
  return row?.size ?? 0;
}
