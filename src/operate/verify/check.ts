import type { Queries } from '../../base/store/database.ts';
import type { Network } from '../../ingest/chain/network.ts';
import type { IndexState } from '../../ingest/indexer/index-state.ts';
import type { ListKind } from '../../ingest/indexer/tables.ts';
import type { SpillingMap } from './spilling-map.ts';

/** Something that is not as it must be, and what to do about it. */
export interface Finding {
  readonly what: string;
  readonly hint: string;
}

/** What every check reads: one snapshot of the index, and one of the journal that is not older. */
export interface Context {
  readonly index: Queries;
  readonly journal: Queries;
  readonly journalLength: number;
  /** How many payloads the journal has no longer, as it records. */
  readonly recordedDropped: number;
  readonly network: Network;
  readonly state: IndexState;
  /** A map for what the check recounts. It is closed after the check. */
  readonly newMap: () => SpillingMap;
  /** Counts a row that is not compared with the journal, because the payload was dropped. */
  readonly onDropped: () => void;
}

/** One thing that is proved of an index. A check reads page by page, so that its memory does not grow with the chain. */
export interface Check {
  readonly name: string;
  readonly proves: string;
  /** The kinds of lists whose lengths it recounts: it finds missing and surplus entries. */
  readonly recounts?: readonly ListKind[];
  run(context: Context): AsyncIterable<Finding>;
}

const REINDEX = 'Run `stacks-index reindex`: it builds the index anew from the journal.';

/** Something wrong in the index, which can be built anew. */
export const wrong = (what: string): Finding => ({ what, hint: REINDEX });

/** Something wrong in the journal, which cannot. */
export const damaged = (what: string): Finding => ({
  what,
  hint: 'Check the disk, then restore the journal from a backup, or replay an archive of the events into a new --data directory or schema.',
});
