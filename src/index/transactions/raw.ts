/** The bytes of transactions (getRawTransactionByIdV1): those of canonical ones are in TX_BODIES, all others in RAW_TXS. */
import { fromHex, hexBytes, toHex } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import { deleteRows, type RowOf } from '../../base/store/table.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { minedHeights } from './mined.ts';
import { RAW_TXS } from './tables.ts';

/** A transaction and its bytes, both as 0x hex; null when the bytes are not its own. */
interface RawTx {
  readonly txId: string;
  readonly rawTx: string | null;
}

/** The bytes of the pending or streamed ones of these transactions, as 0x hex, by id. */
export async function waitingRawTransactions(queries: Queries, txIds: Iterable<string>): Promise<Map<string, string>> {
  const rows = await allIn<RowOf<typeof RAW_TXS, 'tx_id' | 'raw'>>(
    queries,
    list => `SELECT tx_id, raw FROM raw_txs WHERE tx_id IN ${list}`,
    [...txIds].map(txId => fromHex(txId) ?? null),
  );
  return new Map(rows.map(({ tx_id, raw }) => [toHex(tx_id), toHex(raw)]));
}

/** Number of mined ids above which their bytes are deleted before the end: bounds the memory of a long plan. */
const MAX_MINED = 50_000;

/** Number of ids from which on one query whether any bytes are kept costs less than the deletes: a replay has thousands, and usually nothing is kept. */
const MANY_MINED = 20;

/**
 * Maintains RAW_TXS within one transaction of the indexer: the bytes of all transactions seen that no canonical block has. It does not depend
 * on the order of calls, as when a transaction is pending again after its block was undone, or is announced again after it was mined.
 */
export class WaitingBytes {
  readonly #workspace: Workspace;
  /** Transactions whose bytes are kept, unless a block turns out to have them at the end. */
  readonly #kept = new Set<string>();
  readonly #mined = new Set<string>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Keeps transactions that were announced, streamed, undone with their block, or are in a block that is not canonical; they need not be readable. */
  keep(txs: Iterable<RawTx>): void {
    for (const { txId, rawTx } of txs) {
      if (rawTx === null) continue;
      this.#workspace.keep(RAW_TXS, { tx_id: hexBytes(txId), raw: hexBytes(rawTx) });
      this.#kept.add(txId);
      this.#mined.delete(txId);
    }
  }

  /** Notes that a canonical block has these now. */
  async mined(txs: Iterable<RawTx>): Promise<void> {
    for (const { txId } of txs) {
      this.#mined.add(txId);
      this.#kept.delete(txId);
    }
    if (this.#mined.size > MAX_MINED) await this.#forget(this.#mined);
  }

  /** Call it after all other writes of the index. @param tipHeight transactions above it are only in microblocks, and stay */
  async settle(tipHeight: number): Promise<void> {
    for (const [txId, height] of await minedHeights(this.#workspace.transaction, this.#kept))
      if (height <= tipHeight) this.#mined.add(txId);
    await this.#forget(this.#mined);
  }

  async #forget(txIds: Set<string>): Promise<void> {
    await this.#workspace.spill();
    const { transaction } = this.#workspace;
    if (txIds.size < MANY_MINED || (await transaction.get('SELECT 1 AS found FROM raw_txs LIMIT 1'))) {
      const keys = [...txIds].map(txId => ({ tx_id: hexBytes(txId) }));
      await deleteRows(transaction, RAW_TXS, keys);
    }
    txIds.clear();
  }
}
