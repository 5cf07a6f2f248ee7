import { readState } from '../indexer/index-state.ts';
import { toHex } from '../lib/hex.ts';
import { mempoolVersion, recordsOf } from '../resources/mempool/queries.ts';
import { idBytes } from '../resources/mempool/rows.ts';
import { isDropped, STATUS_NAMES } from '../resources/mempool/status.ts';
import type { MEMPOOL_TXS, PENDING_TXS } from '../resources/mempool/tables.ts';
import type { Queries } from '../store/database.ts';
import { allIn } from '../store/in-list.ts';
import type { RowOf } from '../store/table.ts';

/** What became of the mempool between two looks. */
export interface MempoolChanges {
  /** JSON texts of the records of those that wait now and did not before, by id. */
  readonly arrived: ReadonlyMap<string, string>;
  /** The status of those that waited and were dropped, by id. What was mined is in no list. */
  readonly dropped: ReadonlyMap<string, string>;
}

const NOTHING: MempoolChanges = { arrived: new Map(), dropped: new Map() };

/**
 * Finds what changes in the mempool, by comparing what is pending now with what was. Nothing is missed by that, whatever the cause: a
 * message of the node, a block, a fork, age. A change that is undone between two looks is not seen.
 */
export class MempoolWatch {
  #version: string | undefined;
  #pending: ReadonlySet<string> | undefined;

  /** What has changed since the last look; nothing at the first. */
  async look(queries: Queries): Promise<MempoolChanges> {
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

  /** Whether there was no look yet. */
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
): Promise<MempoolChanges> {
  const arrived = [...now].filter(txId => !before.has(txId));
  const gone = [...before].filter(txId => !now.has(txId));
  const records = arrived.length > 0 ? await recordsOf(queries, arrived) : [];
  const statuses = await allIn<RowOf<typeof MEMPOOL_TXS, 'tx_id' | 'status'>>(
    queries,
    list => `SELECT tx_id, status FROM mempool_txs WHERE tx_id IN ${list}`,
    gone.map(idBytes),
  );
  return {
    arrived: new Map(records.map(record => [(JSON.parse(record) as { tx_id: string }).tx_id, record])),
    dropped: new Map(
      statuses.flatMap(({ tx_id, status }) => {
        const name = isDropped(status) ? STATUS_NAMES[status] : undefined;
        return name === undefined ? [] : [[toHex(tx_id), name] as const];
      }),
    ),
  };
}
