import { toHex } from '../../../base/lib/hex.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { isDropped } from '../../../index/mempool/status.ts';
import type { MEMPOOL_TXS, PENDING_TXS } from '../../../index/mempool/tables.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';

type PendingRow = RowOf<typeof PENDING_TXS, 'tx_id' | 'streamed'> &
  OuterRowOf<typeof TXS, 'height'> & {
    /** Its id, once more, where it was announced. */
    readonly announced: Uint8Array | null;
  };

export const mempoolCheck: Check = {
  name: 'mempool',
  proves:
    'every pending transaction was seen before, and no block has it yet; those that were dropped are listed as such',

  async *run(context) {
    yield* pending(context);
    yield* dropped(context);
  },
};

async function* pending({ index, state }: Context): AsyncIterable<Finding> {
  for await (const row of pagedRows<PendingRow>(index, {
    sql: `SELECT p.tx_id, p.streamed, m.tx_id AS announced, t.height
      FROM pending_txs p LEFT JOIN mempool_txs m ON m.tx_id = p.tx_id LEFT JOIN txs t ON t.tx_id = p.tx_id`,
    key: ['tx_id'],
    alias: 'p',
  })) {
    const name = `pending_txs: ${toHex(row.tx_id)}`;
    if (!row.announced) yield wrong(`${name} is not in mempool_txs`);
    const streamed = row.height !== null && row.height > (state.tip?.height ?? 0);
    if (row.height !== null && !streamed) yield wrong(`${name} is in the block of height ${row.height}`);
    if ((row.streamed === 1) !== streamed)
      yield wrong(`${name} is ${streamed ? '' : 'not '}in a microblock on the tip`);
  }
}

type DroppedRow = RowOf<typeof MEMPOOL_TXS, 'tx_id' | 'status' | 'receipt_time'> & {
  /** As dropped_txs has it. */
  readonly listed: number | null;
};

async function* dropped({ index, state }: Context): AsyncIterable<Finding> {
  let count = 0;
  for await (const row of pagedRows<DroppedRow>(index, {
    sql: `SELECT m.tx_id, m.status, m.receipt_time, d.receipt_time AS listed
      FROM mempool_txs m LEFT JOIN dropped_txs d ON d.tx_id = m.tx_id`,
    key: ['tx_id'],
    alias: 'm',
  })) {
    const expected = isDropped(row.status) ? row.receipt_time : null;
    if (expected !== null) count++;
    if (row.listed !== expected)
      yield wrong(`dropped_txs: ${toHex(row.tx_id)} has receipt_time ${row.listed} in place of ${expected}`);
  }
  const listed = (await index.get<{ n: number }>('SELECT count(*) AS n FROM dropped_txs'))?.n;
  if (listed !== count) yield wrong(`dropped_txs has ${listed} rows in place of ${count}`);
  if (state.mempool.dropped !== count)
    yield wrong(`the state counts ${state.mempool.dropped} dropped transactions in place of ${count}`);
}
