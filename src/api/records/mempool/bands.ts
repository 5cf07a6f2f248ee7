/** Pending and recently mined transactions by fee (docs/spec/mempool.md#bands). */
import { u64 } from '../../../base/lib/number-bytes.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { BLOCKS } from '../../../index/blocks/tables.ts';
import { TX_TYPES } from '../../../index/transactions/tables.ts';
import { STATS_TYPES } from './stats.ts';

/**
 * Lower bounds of the bands in micro-STX, the lowest first: about three to a power of ten. Typical fees are spread over
 * several of them.
 */
const BOUNDS = [0, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];

/** The newest blocks whose transactions are counted, and the most transactions: even for full blocks a request reads no more. */
export const MOST_BLOCKS = 100;
export const MOST_TRANSACTIONS = 1000;

type Counted = { readonly type: number; readonly band: number; readonly n: number };

type Waiting = Counted & { readonly bytes: number };

/** Number of transactions of a band that were mined this many blocks after their announcement. */
type Waited = Pick<Counted, 'band' | 'n'> & { readonly blocks: number };

/** SQL: number of the band of a fee; its parameters are the bounds. */
const bandOf = (fee: string): string =>
  `CASE ${BOUNDS.slice(1)
    .map((_, i) => `WHEN ${fee} < ? THEN ${i}`)
    .join(' ')} ELSE ${BOUNDS.length - 1} END`;
const BAND = bandOf('fee');
const bandParameters = (): SqlValue[] => BOUNDS.slice(1).map(bound => u64(BigInt(bound)));

/** Pending transactions and those of the newest blocks, by bands of fees, the highest first. */
export async function mempoolBands(queries: Queries) {
  const waiting = await queries.all<Waiting>(
    `SELECT type, ${BAND} AS band, count(*) AS n, CAST(sum(size) AS bigint) AS bytes
      FROM pending_txs WHERE streamed = 0 GROUP BY type, band`,
    bandParameters(),
  );
  const stretch = await newestMined(queries);
  const mined = await queries.all<Counted>(
    `SELECT type, ${BAND} AS band, count(*) AS n FROM txs WHERE seq >= ? AND seq < ? GROUP BY type, band`,
    [...bandParameters(), stretch.first, stretch.end],
  );
  const waited = await queries.all<Waited>(
    `SELECT ${bandOf('t.fee')} AS band, t.height - m.chain_height AS blocks, count(*) AS n
       FROM txs t JOIN mempool_txs m ON m.tx_id = t.tx_id
      WHERE t.seq >= ? AND t.seq < ? AND m.announced = 1 AND m.chain_height < t.height
      GROUP BY band, blocks ORDER BY band, blocks`,
    [...bandParameters(), stretch.first, stretch.end],
  );
  const bands = BOUNDS.map((from, band) => ({
    from_fee: String(from),
    below_fee: band + 1 < BOUNDS.length ? String(BOUNDS[band + 1]) : null,
    waiting: byType(waiting, band, ({ n, bytes }) => ({ count: n, bytes })),
    mined: byType(mined, band, ({ n }) => ({ count: n })),
    waited: medianOf(waited.filter(row => row.band === band)),
  }));
  return { mined_in: { from_height: stretch.fromHeight, to_height: stretch.toHeight }, bands: bands.reverse() };
}

/** Median wait of these transactions. @param waited the shortest waits first */
function medianOf(waited: readonly Waited[]) {
  const count = waited.reduce((sum, { n }) => sum + n, 0);
  let passed = 0;
  const median = waited.find(({ n }) => {
    passed += n;
    return 2 * passed >= count;
  });
  return { count, median_blocks: median?.blocks ?? null };
}

/** Positions of the transactions of the newest blocks. */
async function newestMined(queries: Queries) {
  const blocks = await queries.all<RowOf<typeof BLOCKS, 'seq' | 'first_tx' | 'tx_rows'>>(
    'SELECT seq, first_tx, tx_rows FROM blocks ORDER BY seq DESC LIMIT ?',
    [MOST_BLOCKS],
  );
  const [newest, oldest] = [blocks.at(0), blocks.at(-1)];
  if (!newest || !oldest) return { first: 0, end: 0, fromHeight: null, toHeight: null };
  const end = newest.first_tx + newest.tx_rows;
  const first = end - MOST_TRANSACTIONS;
  if (first <= oldest.first_tx)
    return { first: oldest.first_tx, end, fromHeight: oldest.seq + 1, toHeight: newest.seq + 1 };
  // If the limit cuts a block, its newest transactions count.
  const cut = blocks.find(block => block.first_tx <= first) ?? oldest;
  return { first, end, fromHeight: cut.seq + 1, toHeight: newest.seq + 1 };
}

/** The counts of a band by type. Transactions of miners are left out. */
function byType<Row extends Counted, T>(rows: readonly Row[], band: number, counts: (row: Row | typeof NONE) => T) {
  const of = (type: (typeof STATS_TYPES)[number]) =>
    counts(rows.find(row => row.band === band && row.type === TX_TYPES[type]) ?? NONE);
  return Object.fromEntries(STATS_TYPES.map(type => [type, of(type)]));
}

const NONE = { n: 0, bytes: 0 };
