import type { Gap, RebuiltSummary, SetAsideSummary } from '../../ingest/chain/unapplied.ts';
import { unreadable } from './errors.ts';
import type { Api } from './server.ts';

/** The state of the index. Positions count the events of the journal. */
export interface IndexStatus {
  readonly journalPosition: number;
  readonly indexedPosition: number;
  readonly gaps: readonly Gap[];
  readonly setAside: SetAsideSummary;
  /** Height of the newest burn block that was applied; 0 before the first. */
  readonly burnHeight: number;
  /** Burn block heights at which locks of PoX 1, 2 and 3 end; null while unknown. */
  /** Undefined if all archives are loaded and no event waits. */
  readonly load?: LoadStatus | undefined;
  /** Blocks that no node has delivered. */
  readonly rebuilt?: RebuiltSummary | undefined;
  readonly poxUnlockHeights: readonly [v1: number | null, v2: number | null, v3: number | null];
}

/** Progress of loading archives while the index is served, and of the events of the node that wait for it (docs/mainnet.md). */
export interface LoadStatus {
  /** `joining`: the archives are loaded, and the events that waited join the journal. */
  readonly state: 'loading' | 'failed' | 'joining';
  /** The archive that is being loaded; null while events join. */
  readonly source: string | null;
  /** Share of its bytes that was read, 0 to 1; null while their number is unknown. */
  readonly progress: number | null;
  /** When that archive is expected to be loaded, in milliseconds since 1970; null while it cannot be estimated. */
  readonly estimatedEnd: number | null;
  /** Why it failed, and what to do; null otherwise. */
  readonly reason: string | null;
  readonly waitingEvents: number;
  /** As they are stored. */
  readonly waitingBytes: number;
}

export interface StatusSource {
  current(): IndexStatus | Promise<IndexStatus>;
}

/**
 * Adds the probes `/livez` and `/readyz`, for load balancers and Kubernetes. The server responds to them under any load: if it refused
 * them, a busy process would be killed.
 */
export function addProbes(api: Api, source: StatusSource): void {
  const config = { neverShed: true };
  /** The process runs. */
  api.get('/livez', { config }, async () => '{"status":"ok"}');
  /** The database can be read, so requests can be served. The reader decides how far behind the index may be. */
  api.get('/readyz', { config }, async request => {
    const status = await Promise.resolve(source.current()).catch((error: unknown) => {
      request.log.warn({ err: error, reqId: request.id }, '/readyz responds 503: the database cannot be read');
      throw unreadable(error);
    });
    return JSON.stringify({ status: 'ready', lag: status.journalPosition - status.indexedPosition });
  });
}
