import type { IndexState } from '../indexer/index-state.ts';

/** `poke`: the journal has grown. `stop`: finish what is begun, then end. */
export type ToIndexer = 'poke' | 'stop';

export interface FromIndexer {
  readonly state: IndexState;
}
