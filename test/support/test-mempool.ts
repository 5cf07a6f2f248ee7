import assert from 'node:assert/strict';
import { findMempoolTransaction } from '../../src/api/records/mempool/queries.ts';
import type { Database } from '../../src/base/store/database.ts';
import type { OpenFresh } from './engines.ts';
import { databaseWithTables } from './reused-database.ts';
import { openTestIndex, type TestIndex } from './test-index.ts';
import type { BuiltTx } from './transaction-builder.ts';

/** An index, and what its mempool has. */
export interface TestMempool {
  readonly index: TestIndex;
  readonly database: Database;
  /** Ids of the pending transactions, in no particular order. */
  pending(query?: string): Promise<Set<string>>;
  statusOf(tx: BuiltTx): Promise<readonly [status: string | undefined, replacedBy: string | null | undefined]>;
}

export const ids = (...txs: readonly BuiltTx[]): Set<string> => new Set(txs.map(({ txId }) => txId));

/** Opens an index in a fresh database, which goes with the test `t`. */
export async function openTestMempool(openFresh: OpenFresh, t: Parameters<OpenFresh>[0]): Promise<TestMempool> {
  const database = await databaseWithTables(openFresh, t);
  const index = await openTestIndex(database);
  return {
    index,
    database,
    pending: async (query = '') => {
      const { body } = await index.get(`/extended/v1/tx/mempool?limit=50${query}`);
      assert.equal(body.total, body.results.length);
      return new Set<string>(body.results.map((tx: { tx_id: string }) => tx.tx_id));
    },
    statusOf: async tx => {
      const found = await database.read(queries => findMempoolTransaction(queries, tx.txId));
      const record = found && JSON.parse(found.record);
      assert.equal(record?.tx_status, found?.status);
      return [found?.status, record?.replaced_by_tx_id];
    },
  };
}
