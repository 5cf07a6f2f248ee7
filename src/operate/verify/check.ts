import type { Queries } from '../../base/store/database.ts';
import type { Network } from '../../ingest/chain/network.ts';
import type { IndexState } from '../../ingest/indexer/index-state.ts';
import type { ListKind } from '../../ingest/indexer/tables.ts';
import type { SpillingMap } from './spilling-map.ts';

/** A violation that a check has found, and what to do about it. */
export interface Finding {
  readonly what: string;
  readonly hint: string;
}

/** The sources of every check: one snapshot of the index, and one of the journal that is not older. */
export interface Context {
  readonly index: Queries;
  readonly journal: Queries;
  readonly journalLength: number;
  /** Number of dropped payloads, as the journal records it. */
  readonly recordedDropped: number;
  readonly network: Network;
  readonly state: IndexState;
  /** Makes a map for the recounted values. It is closed after the check. */
  readonly newMap: () => SpillingMap;
  /** Counts a row that is not compared with the journal, because the payload was dropped. */
  readonly onDropped: () => void;
}

/** One statement that is proved about an index. A check reads page by page, so that its memory does not grow with the chain. */
export interface Check {
  readonly name: string;
  readonly proves: string;
  /** The kinds of lists whose lengths it recounts: it finds missing and surplus entries. */
  readonly recounts?: readonly ListKind[];
  run(context: Context): AsyncIterable<Finding>;
}

const REINDEX = 'Run `stacks-index reindex`: it builds the index anew from the journal.';

/** A violation in the index, which can be rebuilt. */
export const wrong = (what: string): Finding => ({ what, hint: REINDEX });

/** A violation in the journal, which cannot be rebuilt. */
export const damaged = (what: string): Finding => ({
  what,
  hint: 'Check the disk, then restore the journal from a backup, or replay an archive of the events into a new --data directory or schema.',
});
