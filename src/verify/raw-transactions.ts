import { transactionId } from '../codec/index.ts';
import { toHex } from '../lib/hex.ts';
import type { Queries } from '../store/database.ts';
import { type Check, type Finding, wrong } from './check.ts';
import { rowsOf } from './pages.ts';

export const rawTransactionsCheck: Check = {
  name: 'bytes of transactions',
  proves: 'the id of every transaction is that of its bytes; canonical and pending ones have theirs',

  async *run({ index }) {
    for await (const { tx_id, raw } of rowsOf<{ tx_id: Uint8Array; raw: Uint8Array }>(index, {
      select: 'tx_id, raw',
      from: 'raw_txs',
      key: ['tx_id'],
      pageSize: 200,
    })) {
      if (!isBitcoinOperation(raw) && transactionId(raw) !== toHex(tx_id))
        yield wrong(`raw_txs: the bytes of ${toHex(tx_id)} are those of another transaction`);
    }
    yield* withoutBytes(index, 'txs', 'seq');
    yield* withoutBytes(index, 'pending_txs', 'tx_id');
  },
};

/** The node gives one zero byte for an operation that came from Bitcoin. */
const isBitcoinOperation = (raw: Uint8Array): boolean => raw.length === 1 && raw[0] === 0;

async function* withoutBytes(index: Queries, table: string, key: string): AsyncIterable<Finding> {
  const select = key === 'tx_id' ? 't.tx_id' : `t.${key}, t.tx_id`;
  for await (const { tx_id, found } of rowsOf<{ tx_id: Uint8Array; found: Uint8Array | null }>(index, {
    select: `${select}, r.tx_id AS found`,
    from: `${table} t LEFT JOIN raw_txs r ON r.tx_id = t.tx_id`,
    key: [key],
    alias: 't',
  }))
    if (!found) yield wrong(`${table}: there are no bytes of ${toHex(tx_id)}`);
}
