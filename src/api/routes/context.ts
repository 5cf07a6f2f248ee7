import type { Database } from '../../base/store/database.ts';
import type { Network } from '../../ingest/chain/network.ts';
import type { PoxCycles } from '../../ingest/chain/pox-cycles.ts';
import type { TipSource } from '../../ingest/chain/tip.ts';
import type { MetadataSource } from '../../metadata/source.ts';
import type { LongReads } from '../http/long-reads.ts';
import type { MempoolSource } from '../records/mempool/queries.ts';
import type { NameVersions } from '../records/names/owned-names.ts';

/** What routes need besides the request. */
export interface ApiContext {
  readonly db: Database;
  /** For what may look at more rows of `db` than a page has. */
  readonly longReads: LongReads;
  readonly tip: TipSource;
  readonly mempool: MempoolSource;
  readonly metadata: MetadataSource;
  readonly network: Network;
  readonly names: NameVersions;
  /** Undefined where the lengths of reward cycles are not known. */
  readonly poxCycles: PoxCycles | undefined;
}
