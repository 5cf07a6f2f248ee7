import { transactionId } from '../../../base/codec/index.ts';
import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { countBlocks } from '../../../index/blocks/canonical-chain.ts';
import { BODIES_OF_TXS, type RAW_TXS, type TXS } from '../../../index/transactions/tables.ts';
import { type Check, type Finding, wrong } from '../check.ts';
import { type PagedQuery, pagedRows } from '../pages.ts';

export const rawTransactionsCheck: Check = {
  name: 'bytes of transactions',
  proves: 'the id of every transaction is that of its bytes; canonical and pending ones have theirs, once',
  recounts: [BODIES_OF_TXS],

  async *run({ index }) {
    const rawTxs = { sql: 'SELECT tx_id, raw FROM raw_txs', key: ['tx_id'] };
    const txs = { sql: 'SELECT t.seq, t.tx_id, b.raw FROM txs t LEFT JOIN tx_bodies b ON b.seq = t.seq', key: ['seq'] };
    const pending = { sql: 'SELECT t.tx_id, r.raw FROM pending_txs t LEFT JOIN raw_txs r ON r.tx_id = t.tx_id' };
    yield* checked(index, 'raw_txs', rawTxs);
    yield* checked(index, 'tx_bodies', { ...txs, alias: 't' });
    yield* checked(index, 'pending_txs', { ...pending, key: ['tx_id'], alias: 't' });
    yield* keptTwice(index);
  },
};

type RawRow = RowOf<typeof RAW_TXS, 'tx_id'> & OuterRowOf<typeof RAW_TXS, 'raw'>;

/** The node gives one zero byte for an operation that came from Bitcoin. */
const isBitcoinOperation = (raw: Uint8Array): boolean => raw.length === 1 && raw[0] === 0;

async function* checked(index: Queries, table: string, query: PagedQuery): AsyncIterable<Finding> {
  for await (const { tx_id, raw } of pagedRows<RawRow>(index, { ...query, pageSize: 200 })) {
    if (!raw?.length) yield wrong(`${table}: there are no bytes of ${toHex(tx_id)}`);
    else if (!isBitcoinOperation(raw) && transactionId(raw) !== toHex(tx_id))
      yield wrong(`${table}: the bytes of ${toHex(tx_id)} are those of another transaction`);
  }
}

/** Transactions of microblocks on the tip have greater heights than the tip. */
async function* keptTwice(index: Queries): AsyncIterable<Finding> {
  const height = await countBlocks(index);
  for await (const { tx_id } of pagedRows<RowOf<typeof TXS, 'tx_id' | 'height'>>(index, {
    sql: `SELECT r.tx_id, t.height FROM raw_txs r JOIN txs t ON t.tx_id = r.tx_id AND t.height <= ${height}`,
    key: ['tx_id'],
    alias: 'r',
  }))
    yield wrong(`raw_txs: ${toHex(tx_id)} is in a canonical block, which has its bytes`);
}
