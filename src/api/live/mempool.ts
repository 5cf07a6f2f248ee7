import { toHex } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { PENDING_TXS } from '../../index/mempool/tables.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import {
  findMempoolTransactions,
  type MempoolTransaction,
  mempoolRecordsById,
  mempoolVersion,
} from '../records/mempool/queries.ts';

/** Changes of the mempool between two scans. */
interface MempoolDifference {
  /** JSON texts of the records of newly pending transactions, by id. */
  readonly arrived: ReadonlyMap<string, string>;
  /** The transactions that were dropped. Mined transactions are in neither. */
  readonly dropped: readonly MempoolTransaction[];
}

const NOTHING: MempoolDifference = { arrived: new Map(), dropped: [] };

/**
 * Detects changes of the mempool by comparing the pending transactions of two scans. So it covers every cause: a
 * message of the node, a block, a fork, age. A change that is undone between two scans stays unseen.
 */
export class MempoolWatch {
  #version: string | undefined;
  #pending: ReadonlySet<string> | undefined;

  /** Changes since the last scan; empty at the first. */
  async look(queries: Queries): Promise<MempoolDifference> {
    const version = mempoolVersion(await readState(queries)) ?? 'empty';
    if (version === this.#version) return NOTHING;
    const rows = await queries.all<RowOf<typeof PENDING_TXS, 'tx_id'>>(
      'SELECT tx_id FROM pending_txs ORDER BY receipt_time, arrival, tx_id',
    );
    const pending = new Set(rows.map(row => toHex(row.tx_id)));
    const before = this.#pending;
    const changes = before ? await changesBetween(queries, before, pending) : NOTHING;
    this.#version = version;
    this.#pending = pending;
    return changes;
  }

  /** Whether no scan has been made yet. */
  get isBlank(): boolean {
    return this.#pending === undefined;
  }

  forget(): void {
    this.#version = undefined;
    this.#pending = undefined;
  }
}

async function changesBetween(
  queries: Queries,
  before: ReadonlySet<string>,
  now: ReadonlySet<string>,
): Promise<MempoolDifference> {
  const arrived = [...now].filter(txId => !before.has(txId));
  const gone = [...before].filter(txId => !now.has(txId));
  return {
    arrived: arrived.length > 0 ? await mempoolRecordsById(queries, arrived) : new Map(),
    // A mined transaction has no record in the mempool, so it is left out.
    dropped: gone.length > 0 ? await findMempoolTransactions(queries, gone) : [],
  };
}
