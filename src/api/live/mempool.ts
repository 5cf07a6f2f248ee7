import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Queries } from '../../base/store/database.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import {
  findMempoolTransactions,
  type MempoolTransaction,
  mempoolRecordsById,
  mempoolVersion,
  pendingIds,
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
 * message of the node, a block, a fork, age. It does not see a change that is undone before the next scan.
 */
export class MempoolWatch {
  #version: string | undefined;
  #pending: ReadonlySet<string> | undefined;

  /** Changes since the last scan; empty at the first. */
  async look(queries: Queries, pause: Pause): Promise<MempoolDifference> {
    const version = mempoolVersion(await readState(queries)) ?? 'empty';
    if (version === this.#version) return NOTHING;
    const pending = await pendingIds(queries, pause);
    const before = this.#pending;
    const changes = before ? await changesBetween(queries, before, pending, pause) : NOTHING;
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

/** Records that are made between two pauses. */
const RECORDS_AT_ONCE = 50;

async function changesBetween(
  queries: Queries,
  before: ReadonlySet<string>,
  now: ReadonlySet<string>,
  pause: Pause,
): Promise<MempoolDifference> {
  const arrivedIds = [...now].filter(txId => !before.has(txId));
  const goneIds = [...before].filter(txId => !now.has(txId));
  const arrived = new Map<string, string>();
  const dropped: MempoolTransaction[] = [];
  for (const some of parts(arrivedIds)) {
    for (const [txId, record] of await mempoolRecordsById(queries, some)) arrived.set(txId, record);
    await pause();
  }
  // A mined transaction has no record in the mempool, so it is left out.
  for (const some of parts(goneIds)) {
    dropped.push(...(await findMempoolTransactions(queries, some)));
    await pause();
  }
  return { arrived, dropped };
}

function* parts(ids: readonly string[]): Iterable<readonly string[]> {
  for (let start = 0; start < ids.length; start += RECORDS_AT_ONCE) yield ids.slice(start, start + RECORDS_AT_ONCE);
}
