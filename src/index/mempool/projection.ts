import type { Projection } from '../../ingest/indexer/projection.ts';
import { announceTransactions, dropTransactions } from './announce.ts';
import { confirmTransactions, returnTransactions, setChainClock } from './follow-chain.ts';
import { MempoolChanges, settleMempool } from './settle.ts';
import { MEMPOOL_TABLES } from './tables.ts';

/** Pending transactions, and the outcome of announced ones. These data are not part of any block. */
export const mempoolProjection: Projection = {
  name: 'mempool',
  stateTables: [],
  keptTables: MEMPOOL_TABLES,
  lists: [],

  hooks(transaction) {
    const changes = new MempoolChanges();
    return {
      transactionsAnnounced: (rawTxs, entry) => announceTransactions(transaction, changes, rawTxs, entry),
      transactionsDropped: (drop, entry) => dropTransactions(transaction, changes, drop, entry),
      unitApplied: unit => confirmTransactions(transaction, changes, unit),
      unitUndone: undone => returnTransactions(transaction, changes, undone),
      tipLowered: tip => setChainClock(transaction, changes, tip),
      beforeCommit: () => settleMempool(transaction, changes),
    };
  },
};
