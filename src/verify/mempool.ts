import { toHex } from '../lib/hex.ts';
import type { PENDING_TXS } from '../resources/mempool/tables.ts';
import type { TXS } from '../resources/transactions/tables.ts';
import type { OuterRowOf, RowOf } from '../store/table.ts';
import { type Check, wrong } from './check.ts';
import { rowsOf } from './pages.ts';

type PendingRow = RowOf<typeof PENDING_TXS, 'tx_id' | 'streamed'> &
  OuterRowOf<typeof TXS, 'height'> & {
    /** Its id, once more, where it was announced. */
    readonly announced: Uint8Array | null;
  };

export const mempoolCheck: Check = {
  name: 'mempool',
  proves: 'every pending transaction was seen before, and no block has it yet',

  async *run({ index, state }) {
    for await (const row of rowsOf<PendingRow>(index, {
      select: 'p.tx_id, p.streamed, m.tx_id AS announced, t.height',
      from: 'pending_txs p LEFT JOIN mempool_txs m ON m.tx_id = p.tx_id LEFT JOIN txs t ON t.tx_id = p.tx_id',
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
  },
};
