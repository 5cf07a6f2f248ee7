/** The events of the older channels for blocks that a fork removed (docs/spec/live.md#the-older-channels). */
import { fromHex, toHex } from '../../base/lib/hex.ts';
import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import { principalsOf, rolesInStored } from '../../index/addresses/roles.ts';
import { transactionV1 } from '../../index/transactions/stored.ts';
import type { ORPHANED_TXS } from '../../index/transactions/tables.ts';
import { findByIndexBlockHash } from '../records/blocks/queries.ts';
import { blockV1 } from '../records/blocks/record-v1.ts';
import { transactionsById } from '../records/mempool/queries.ts';
import { orphanedTransaction } from '../records/transactions/orphaned.ts';
import { LogEntry } from './entry.ts';
import type { LogPosition } from './token.ts';
import { type Interest, V1 } from './topics.ts';

/** Most removed blocks whose transactions are sent. */
const MOST_BLOCKS = 100;
const TRANSACTIONS_AT_ONCE = 20;
const NO_EVENTS = { limit: 0, offset: 0 };

/** For each block, an event that it is no longer canonical, then its transactions in their current state. @param removed index block hashes, newest first */
export async function undoneLog(
  queries: Queries,
  place: LogPosition,
  removed: readonly string[],
  interest: Interest,
  pause: Pause,
): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  const add = (keys: readonly string[], text: string) => {
    const wanted = keys.filter(key => interest.wants(key));
    if (wanted.length > 0)
      entries.push(new LogEntry(place, { event: 'undone', keys: wanted, full: () => text, v1: () => text }));
  };
  for (const hash of removed.slice(0, MOST_BLOCKS)) {
    const found = await findByIndexBlockHash(queries, hash);
    if (found && interest.wants(V1.block)) add([V1.block], JSON.stringify(await blockV1(queries, found)));
    const rows = await queries.all<RowOf<typeof ORPHANED_TXS, 'tx_id'>>(
      'SELECT tx_id FROM orphaned_txs WHERE block = ? AND place >= 0 ORDER BY place',
      [fromHex(hash) ?? null],
    );
    const ids = rows.map(row => toHex(row.tx_id));
    let now: ReadonlyMap<string, string> = new Map();
    for (const [i, txId] of ids.entries()) {
      if (i % TRANSACTIONS_AT_ONCE === 0) {
        const some = ids.slice(i, i + TRANSACTIONS_AT_ONCE);
        now = await transactionsById(queries, some, { unanchored: true, events: NO_EVENTS });
      }
      await pause();
      const orphaned = await orphanedTransaction(queries, txId, hash);
      const text = orphaned && JSON.stringify(transactionV1(orphaned));
      const record = now.get(txId) ?? text;
      if (record !== undefined) add([V1.undoneTransaction(txId)], record);
      if (orphaned === undefined) continue;
      const nothing = '"stx_sent":"0","stx_received":"0","stx_transfers":[]';
      // Only by its roles: the index has removed its events with the block.
      for (const principal of principalsOf(rolesInStored(orphaned), []))
        add([V1.undoneOf(principal)], `{"tx":${text},${nothing}}`);
    }
  }
  return entries;
}
