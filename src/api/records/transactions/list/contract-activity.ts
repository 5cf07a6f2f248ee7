/** Recent calls of a contract (docs/spec/contracts.md#activity). */
import type { Queries } from '../../../../base/store/database.ts';
import type { RowOf } from '../../../../base/store/table.ts';
import type { StoredTransaction } from '../../../../index/transactions/stored.ts';
import { type TXS, TXS_BY_CONTRACT } from '../../../../index/transactions/tables.ts';
import { findList } from '../../../../ingest/indexer/lists.ts';
import { newestTransactions } from '../queries.ts';

/** Seconds of a bucket. */
const BUCKETS = { hour: 3600, day: 86_400, week: 604_800 } as const;
export type Bucket = keyof typeof BUCKETS;
export const BUCKET_NAMES = Object.keys(BUCKETS) as readonly Bucket[];

/** Weeks begin with Mondays: the first was the fifth day of 1970. */
const FIRST_MONDAY = 4 * BUCKETS.day;

interface Call {
  readonly function: string;
  readonly sender: string;
  readonly isFailed: boolean;
  readonly height: number;
  /** Unix seconds. */
  readonly time: number;
}

/** The newest calls of a contract, counted by time and by function. */
export async function contractActivity(
  queries: Queries,
  contractId: string,
  { bucket, limit }: { readonly bucket: Bucket; readonly limit: number },
) {
  const list = await findList(queries, TXS_BY_CONTRACT, contractId);
  const { id = 0, length = 0 } = list ?? {};
  const transactions = await newestTransactions(Math.min(limit, length), (passed, rows) =>
    queries.all<RowOf<typeof TXS, 'record'>>(
      `SELECT t.record FROM list_txs l JOIN txs t ON t.seq = l.tx
        WHERE l.list = ? AND l.seq >= ? AND l.seq < ? ORDER BY l.seq DESC`,
      [id, length - passed - rows, length - passed],
    ),
  );
  const calls = transactions.map(toCall);
  const [newest, oldest] = [calls.at(0), calls.at(-1)];
  const byFunction = Map.groupBy(calls, call => call.function);
  const functions = [...byFunction].map(([function_name, some]) => ({ function_name, ...countsOf(some) }));
  return {
    total: length,
    limit,
    from: oldest ? { block_height: oldest.height, time: oldest.time } : null,
    to: newest ? { block_height: newest.height, time: newest.time } : null,
    buckets: [...Map.groupBy(calls, ({ time }) => startOf(time, bucket))]
      .map(([start, some]) => ({ start, ...countsOf(some) }))
      .sort((a, b) => b.start - a.start),
    functions: functions.sort((a, b) => b.calls - a.calls || (a.function_name < b.function_name ? -1 : 1)),
  };
}

function toCall(tx: StoredTransaction): Call {
  if (tx.payload.type !== 'contract_call') throw new Error(`${tx.txId} calls nothing`);
  return {
    function: tx.payload.functionName,
    sender: tx.sender,
    isFailed: tx.status !== 'success',
    height: tx.blockHeight,
    time: tx.blockTime,
  };
}

const countsOf = (calls: readonly Call[]) => ({
  calls: calls.length,
  failures: calls.filter(({ isFailed }) => isFailed).length,
  callers: new Set(calls.map(({ sender }) => sender)).size,
});

/** When the bucket of a time begins. */
function startOf(time: number, bucket: Bucket): number {
  const [length, first] = [BUCKETS[bucket], bucket === 'week' ? FIRST_MONDAY : 0];
  return first + Math.floor((time - first) / length) * length;
}
