import type { Queries } from '../../store/database.ts';
import { rowsWanting } from './rows.ts';
import type { Slot } from './slots.ts';

/** Slots collected above which they are looked up: bounds the memory of a long plan. */
const MAX_SLOTS = 20_000;

/**
 * What must be judged anew before the indexer's transaction ends. Judgement waits for that end: what becomes of a
 * transaction follows from what was said of it and from the chain as it is then, so what happened in between does not
 * matter, and blocks need not be written to the database one by one.
 */
export class MempoolChanges {
  readonly #txIds = new Set<string>();
  readonly #slots = new Set<Slot>();
  #clockMoved = false;

  /** Something was said of these transactions. */
  touch(txIds: Iterable<string>): void {
    for (const txId of txIds) this.#txIds.add(txId);
  }

  /** A block or microblock used these slots. */
  async use(queries: Queries, slots: Iterable<Slot>): Promise<void> {
    for (const slot of slots) this.#slots.add(slot);
    if (this.#slots.size > MAX_SLOTS) await this.#findWaiting(queries);
  }

  moveClock(): void {
    this.#clockMoved = true;
  }

  get clockMoved(): boolean {
    return this.#clockMoved;
  }

  /** The transactions that are concerned, as far as the mempool knows them. */
  async concerned(queries: Queries): Promise<ReadonlySet<string>> {
    await this.#findWaiting(queries);
    return this.#txIds;
  }

  async #findWaiting(queries: Queries): Promise<void> {
    if (this.#slots.size > 0 && (await queries.get('SELECT tx_id FROM mempool_txs LIMIT 1'))) {
      this.touch((await rowsWanting(queries, this.#slots)).map(({ txId }) => txId));
    }
    this.#slots.clear();
  }
}
