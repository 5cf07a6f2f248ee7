import { tipVersion } from '../../http/caching.ts';
import { type IndexState, tipOf } from '../../indexer/index-state.ts';

/** Where readers learn, without a query, which version the mempool has. */
export interface MempoolSource {
  /** Undefined while nothing is known. The same rule holds as for the tip: never ahead of what the index shows. */
  version(): string | undefined;
}

/** Tells one state of the mempool from another: it follows from the tip, and from what was said of transactions. */
export function mempoolVersion(state: IndexState): string | undefined {
  const tip = tipOf(state);
  const { version } = state.mempool;
  if (!tip && version === 0) return undefined;
  return `${tip ? tipVersion(tip) : 'empty'}:${version}`;
}
