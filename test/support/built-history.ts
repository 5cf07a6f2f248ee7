import type { IndexState } from '../../src/ingest/indexer/index-state.ts';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import type { HistoryEvent } from './burn-view-cases.ts';
import { type BuiltBlock, type BuiltBurnBlock, ChainBuilder } from './chain-builder.ts';

/** The payloads of a history that is given by names. */
export class BuiltHistory {
  readonly events: readonly HistoryEvent[];
  readonly #blocks = new Map<string, BuiltBlock>();
  readonly #burns = new Map<string, BuiltBurnBlock>();

  /** @param events each after what it names  @param named whether burn blocks say their consensus hashes */
  constructor(events: readonly HistoryEvent[], { named = true } = {}) {
    const chain = new ChainBuilder();
    this.events = events;
    for (const event of events) {
      if (event.kind === 'burn') {
        const parent = this.#burns.get(event.on ?? '');
        this.#burns.set(event.name, chain.burnBlock({ ...(parent && { parent }), named }));
      } else {
        const parent = this.#blocks.get(event.on ?? '');
        const [burn, view] = [this.#burns.get(event.election), this.#burns.get(event.view ?? '')];
        const cause = burn?.hash === view?.hash && parent?.burn !== burn ? 0 : 1;
        const txs = [...(view ? [chain.tenureChange(view.consensusHash, cause)] : []), chain.transfer()];
        const block = chain.block({ ...(parent && { parent }), ...(burn && { burn }), txs });
        this.#blocks.set(event.name, block);
      }
    }
  }

  delivery(name: string): Delivery {
    const event = this.#blocks.get(name) ?? this.#burns.get(name);
    if (!event) throw new Error(`no event ${name} in this history`);
    return event.delivery;
  }

  /** The index block hash of a block. */
  idOf(name: string): string {
    return this.#blocks.get(name)?.indexHash ?? '';
  }

  deliveries(events: readonly HistoryEvent[]): Delivery[] {
    return events.map(({ name }) => this.delivery(name));
  }

  /** The name of the tip. */
  nameOf({ tip }: IndexState): string | undefined {
    return [...this.#blocks].find(([, { indexHash }]) => indexHash === tip?.indexBlockHash)?.[0];
  }
}
