import type { Database } from '../../base/store/database.ts';
import type { Network } from '../../ingest/chain/network.ts';
import type { PoxCycles } from '../../ingest/chain/pox-cycles.ts';
import type { TipSource } from '../../ingest/chain/tip.ts';
import type { MetadataSource } from '../../metadata/source.ts';
import type { PayerParts } from '../faucet/payer.ts';
import type { FaucetSettings } from '../faucet/settings.ts';
import type { MempoolSource } from '../http/caching.ts';
import type { LongReads } from '../http/long-reads.ts';
import type { Api } from '../http/server.ts';
import type { StatusSource } from '../http/status.ts';
import type { Streams } from '../live/streams.ts';
import type { NameVersions } from '../records/names/owned-names.ts';

/** What the faucets need (extended/v1/faucets.ts). */
export interface FaucetParts extends Pick<PayerParts, 'nextNonce' | 'onTaken'> {
  readonly settings: FaucetSettings;
  /** Milliseconds; the clock of the machine unless given. */
  readonly now?: () => number;
}

/** The context of routes besides the request. */
export interface ApiContext {
  readonly db: Database;
  /** Runs reads of `db` that may need more rows than a page has. */
  readonly longReads: LongReads;
  readonly tip: TipSource;
  readonly mempool: MempoolSource;
  readonly metadata: MetadataSource;
  readonly status: StatusSource;
  readonly streams: Streams;
  readonly chainId: number;
  readonly network: Network;
  /** The version of this program. */
  readonly version: string;
  readonly names: NameVersions;
  /** Undefined where the lengths of reward cycles are not known. */
  readonly poxCycles: PoxCycles | undefined;
  /** Undefined where no faucet is configured. */
  readonly faucet: FaucetParts | undefined;
}

/** Adds the routes of one file to a server. Each folder has a list of these in `routes.ts`. */
export type AddRoutes = (api: Api, context: ApiContext) => void;
