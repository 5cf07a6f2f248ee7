import type { TipSource } from '../chain/tip.ts';
import type { Network } from '../chain/network.ts';
import type { Database } from '../store/database.ts';

/** What routes need besides the request. */
export interface ApiContext {
  readonly db: Database;
  readonly tip: TipSource;
  readonly network: Network;
}
