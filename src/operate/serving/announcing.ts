import { setTimeout as delay } from 'node:timers/promises';
import { mempoolStatus } from '../../api/records/mempool/queries.ts';
import { toHex } from '../../base/lib/hex.ts';
import type { Database } from '../../base/store/database.ts';
import type { Message } from './messages.ts';

/** Pauses between checks of the index; the response to a broadcast is late by at most one pause. */
const PAUSES_MS = [2, 4, 8, 15, 30, 60, 120, 250, 500];

/**
 * Adds a transaction that the node has accepted to the journal, as the node's own event would, and waits until the index shows it, so that
 * the client finds the transaction that it has just sent. The wait ends after a second: an index that is far behind shows it later.
 */
export function announcing(ask: (message: Extract<Message, { kind: 'mempool-tx' }>) => void, index: Database) {
  return async (txId: string, rawTx: Uint8Array): Promise<void> => {
    const isShown = () => index.read(async queries => (await mempoolStatus(queries, txId)) === 'pending');
    if (await isShown()) return;
    ask({ kind: 'mempool-tx', rawTx: toHex(rawTx) });
    for (const pause of PAUSES_MS) {
      await delay(pause, undefined, { ref: false });
      if (await isShown()) return;
    }
  };
}
