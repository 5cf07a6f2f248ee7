import { transactionId } from '../../codec/index.ts';
import type { Hooks } from '../../indexer/hooks.ts';
import type { IndexTransaction } from '../../indexer/projection.ts';
import { fromHex } from '../../lib/hex.ts';
import { keepOrphaned, transactionsOffChain, transactionsToUndo } from './orphans.ts';
import { WaitingBytes } from './raw.ts';

/** Keeps the bytes of all transactions that no canonical block has, and which blocks off the chain had them. */
export function keepTransactionsOffChain(transaction: IndexTransaction): Hooks {
  const { tx, workspace } = transaction;
  const bytes = new WaitingBytes(workspace);
  return {
    blockArrived({ unreadable }) {
      bytes.keep(unreadable);
    },
    blockOffTip(block) {
      bytes.keep(block.txs);
      keepOrphaned(transactionsOffChain(block), block.indexBlockHash, workspace);
    },
    microblocksArrived({ microblocks, unreadable }) {
      for (const { txs } of microblocks) bytes.keep(txs);
      bytes.keep(unreadable);
    },
    transactionsAnnounced(rawTxs) {
      bytes.keep(rawTxs.map(rawTx => ({ txId: transactionId(fromHex(rawTx) ?? new Uint8Array()), rawTx })));
    },
    async unitApplied(unit) {
      // What is in a microblock may still be left out by the next block.
      if (unit.kind === 'block') await bytes.mined(unit.block.txs);
    },
    async unitUndone({ hash, records }) {
      const undone = await transactionsToUndo(tx, records);
      return () => {
        bytes.keep(undone);
        keepOrphaned(undone, hash, workspace);
      };
    },
    async beforeCommit() {
      await bytes.settle(transaction.state.tip?.height ?? 0);
    },
  };
}
