import type { Gap } from '../chain/gap.ts';
import type { SetAsideSummary } from '../chain/set-aside.ts';

/** The state of the index. Positions count the events of the journal. */
export interface IndexStatus {
  readonly journalPosition: number;
  readonly indexedPosition: number;
  readonly gaps: readonly Gap[];
  readonly setAside: SetAsideSummary;
  /** Burn block heights at which locks of PoX 1, 2 and 3 end; null while unknown. */
  readonly poxUnlockHeights: readonly [v1: number | null, v2: number | null, v3: number | null];
}

export interface StatusSource {
  current(): IndexStatus | Promise<IndexStatus>;
}
