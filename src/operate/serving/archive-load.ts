import type { Logger } from 'pino';
import type { LoadStatus } from '../../api/http/status.ts';
import type { Database } from '../../base/store/database.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { mustWait, openLoads } from '../../ingest/journal/archive-loads.ts';
import { waitingTotals } from '../../ingest/journal/waiting-deliveries.ts';

/** Runs work while nothing else in this process writes the journal. */
type InTurn = (work: () => Promise<void>) => Promise<void>;

/** The parts of a writer that a thread needs to add entries to the journal. */
export interface JournalAdderParts {
  /** The thread waits for its turn before it writes the journal. */
  readonly inTurn: InTurn;
  /** The journal has grown, up to this entry. */
  readonly onJournal: (position: number) => void;
  /** The thread has failed with an error that its source did not cause and that a retry does not repair. */
  readonly onFailure: (error: unknown) => void;
}

/** The archives that `serve --replay` loads, and how. */
export interface ArchiveLoading {
  /** Names as in archive-loads.ts. Empty: open loads are dropped. Undefined: the operator names none. */
  readonly sources: readonly string[] | undefined;
  /** Starts loading incomplete archives; afterwards the waiting events join the journal. */
  readonly start: (parts: JournalAdderParts) => { stop(): Promise<void> };
}

interface LeadLoadOptions extends JournalAdderParts {
  readonly journalDb: Database;
  readonly loading: ArchiveLoading;
  readonly logger: Logger;
}

/** A load that this process runs as the leader. */
export interface RunningLoad {
  /** The index has applied the journal up to this entry. */
  indexed(position: number): void;
  stop(): Promise<void>;
}

/**
 * Most entries that the journal may be ahead of the index while an archive is loaded: so the height grows with the bytes read, and the estimated end holds
 * for the index, too.
 */
const MOST_AHEAD = 10_000;

/** Continues open loads, and moves waiting events to the journal. Undefined if there is nothing to do. */
export async function leadLoad(options: LeadLoadOptions): Promise<RunningLoad | undefined> {
  const { journalDb, loading, logger, inTurn, onJournal, onFailure } = options;
  const [open, isNeeded] = await journalDb.read(queries => Promise.all([openLoads(queries), mustWait(queries)]));
  if (!isNeeded) return undefined;
  if (open.length > 0 && loading.sources === undefined) {
    logger.warn(
      { sources: open.map(({ source }) => source) },
      'events wait for the end of an archive: start `serve` with the same --replay, or with --replay none to go on without it',
    );
    return undefined;
  }
  let journaled = 0;
  let indexedUpTo = 0;
  let goOn = () => {};
  let isStopped = false;
  /** Resolves when the index is near the journal. */
  async function near(): Promise<void> {
    while (journaled - indexedUpTo > MOST_AHEAD && !isStopped)
      await new Promise<void>(resolve => {
        goOn = resolve;
      });
  }
  const loader = loading.start({
    inTurn: async work => {
      await near();
      await inTurn(work);
    },
    onJournal: position => {
      journaled = position;
      onJournal(position);
    },
    onFailure,
  });
  return {
    indexed: position => {
      indexedUpTo = position;
      goOn();
    },
    stop: async () => {
      isStopped = true;
      goOn();
      await loader.stop();
    },
  };
}

/** The status of loading archives. Undefined if nothing is loaded and no event waits, and for a journal of a version without loads. */
export async function readLoad(journalDb: Database): Promise<LoadStatus | undefined> {
  try {
    return await journalDb.read(async queries => {
      const [[load], waiting] = await Promise.all([openLoads(queries), waitingTotals(queries)]);
      if (!load && waiting.count === 0) return undefined;
      const bytes = { waitingEvents: waiting.count, waitingBytes: waiting.bytes };
      if (!load) return { state: 'joining', source: null, progress: 1, estimatedEnd: null, reason: null, ...bytes };
      const { source, state, reason, bytesRead, bytesTotal, estimatedEnd } = load;
      return {
        state: state === 'failed' ? 'failed' : 'loading',
        source,
        progress: bytesTotal === 0 ? null : Math.min(Math.round((bytesRead / bytesTotal) * 10_000) / 10_000, 1),
        estimatedEnd,
        reason: reason === '' ? null : reason,
        ...bytes,
      };
    });
  } catch (error) {
    if (error instanceof FatalDatabaseError && error.code === 'SCHEMA') return undefined;
    throw error;
  }
}
