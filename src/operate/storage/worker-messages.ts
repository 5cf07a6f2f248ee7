import type { IndexState } from '../../ingest/indexer/index-state.ts';
import type { StorageLocation } from './storage.ts';

/** What the thread is started with. */
export interface IndexerData {
  readonly location: StorageLocation;
  readonly chainId: number;
  readonly burnForkDepth: number;
  readonly logLevel: string;
}

/** `poke`: the journal has grown. `stop`: finish the running work, then end. */
export type ToIndexer = 'poke' | 'stop';

export interface FromIndexer {
  readonly state: IndexState;
}
