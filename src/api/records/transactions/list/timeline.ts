import type { Span } from '../../../../base/lib/span.ts';
import type { Queries } from '../../../../base/store/database.ts';
import type { RowOf } from '../../../../base/store/table.ts';
import { greatestLateness } from '../../../../index/blocks/canonical-chain.ts';
import type { TXS } from '../../../../index/transactions/tables.ts';
import type { Selected } from './selection.ts';
import { shared, spansBefore, without } from './spans.ts';

/** Transactions by time. It counts the transactions up to a time without reading them (spans.ts). */
export class Timeline {
  readonly #queries: Queries;
  readonly #selected: (spans: readonly Span[]) => Promise<Selected>;
  readonly #spans: readonly Span[];
  readonly #anchored: number;
  readonly #counts = new Map<number, number>();

  /**
   * @param selected the part of spans that passes a filter
   * @param spans of transactions with a time, the only ones to search
   * @param anchored number of transactions in blocks
   */
  constructor(
    queries: Queries,
    selected: (spans: readonly Span[]) => Promise<Selected>,
    spans: readonly Span[],
    anchored: number,
  ) {
    this.#queries = queries;
    this.#selected = selected;
    this.#spans = spans;
    this.#anchored = anchored;
  }

  /** Number of transactions with this time or an earlier one. */
  async countUntil(time: number): Promise<number> {
    const known = this.#counts.get(time);
    if (known !== undefined) return known;
    const { length } = await this.#selected(shared(this.#spans, await this.#before(time + 1)));
    this.#counts.set(time, length);
    return length;
  }

  /** The transactions with these times and those between. */
  async between(first: number, last: number): Promise<Selected> {
    const [before, until] = [await this.#before(first), await this.#before(last + 1)];
    return this.#selected(shared(without(this.#spans, before), until));
  }

  /**
   * The time of the transaction at this place in the order of time. It differs by no more than the greatest lateness from that of the
   * one at the same place in the order of the chain, and is nearly always the same.
   */
  async timeAt(place: number): Promise<number> {
    const near = await this.#timeInChainAt(place);
    const lateness = await greatestLateness(this.#queries);
    let [low, high] = [near - lateness, near + lateness];
    const isUntil = async (time: number) => (await this.countUntil(time)) > place;
    const narrow = async (time: number) => {
      if (low >= high) return;
      if (await isUntil(time)) high = time;
      else low = time + 1;
    };
    await narrow(near);
    if (high === near) await narrow(near - 1);
    while (low < high) await narrow(Math.floor((low + high) / 2));
    return low;
  }

  async #timeInChainAt(place: number): Promise<number> {
    const [position] = await (await this.#selected(this.#spans)).slice(place, place + 1);
    const sql = 'SELECT burn_time FROM txs WHERE seq = ?';
    const row = await this.#queries.get<RowOf<typeof TXS, 'burn_time'>>(sql, [position ?? null]);
    return row?.burn_time ?? 0;
  }

  #before(time: number): Promise<readonly Span[]> {
    return spansBefore(this.#queries, time, this.#anchored);
  }
}
