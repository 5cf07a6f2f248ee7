import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../base/store/database.ts';
import { RetryableDatabaseError } from '../../base/store/errors.ts';
import { retrying } from '../../base/store/retry.ts';
import { otherNetwork, WrongNetwork } from '../../ingest/chain/witness.ts';
import { mustWait } from '../../ingest/journal/archive-loads.ts';
import {
  createFollowed,
  type FollowedRow,
  followedName,
  isNoted,
  noteRow,
  readNoted,
} from '../../ingest/journal/followed.ts';
import type { Journal } from '../../ingest/journal/journal.ts';
import { type BatchLimits, batches } from '../../ingest/node/archive/batches.ts';
import { type EventTable, findEventTable, lastId } from '../../ingest/node/archive/event-tables.ts';
import { openObserverDatabase, readObserverTable } from '../../ingest/node/archive/observer-table.ts';
import type { ArchiveRow } from '../../ingest/node/archive/row.ts';
import { parseEvent } from '../../ingest/node/events/parse.ts';

/** How often the table is read, in ms. */
const POLL_MS = 1_000;
/** Pause after an error that a retry seldom repairs. */
const PAUSE_MS = 60_000;
/** Limits of one write to the journal. */
const BATCH: BatchLimits = { rows: 400, bytes: 4 * 1024 * 1024 };
/** A missing id among this many last ones may belong to an uncommitted transaction. */
const TAIL = 100;
/** Polls that wait for a missing id. After that it counts as one that never comes. */
const PATIENCE = 5;

interface FollowOptions {
  /** postgres:// URL of the database, with ?schema=NAME where that is not `public`. */
  readonly url: string;
  /** Events of other chains end the following; undefined while the chain is not known. */
  readonly chainId: number | undefined;
  readonly maxEventBytes: number;
  readonly maxEventNesting: number;
}

interface FollowParts {
  readonly journal: Journal;
  readonly journalDb: Database;
  readonly logger: Logger;
  /** Runs the work in turn with other writes to the journal; then wakes the indexer. @throws RetryableDatabaseError */
  readonly store: (write: () => Promise<void>) => Promise<void>;
  /** An error that a retry does not repair: no table, events of another network. */
  readonly onFailure: (error: unknown) => void;
  /** Time between two polls; for tests. */
  readonly pollMs?: number;
}

export interface FollowFigures {
  /** Whether the last poll succeeded. */
  readonly isUp: boolean;
  /** Ids between the last journaled row and the last row of the table. */
  readonly lag: number;
}

export interface Following {
  figures(): FollowFigures;
  stop(): Promise<void>;
}

/**
 * Journals new rows of a table of events in another database, in the order of their ids: a source of live events in place of a node
 * (docs/connecting.md#without-touching-the-node). It notes its position after the rows are durable, so a kill repeats some rows, which the journal recognises.
 */
export function followTable(options: FollowOptions, parts: FollowParts): Following {
  const { logger, pollMs = POLL_MS } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let figures: FollowFigures = { isUp: false, lag: 0 };
  let hasRead = false;
  const rest = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined);
  const onRetry = (error: { readonly message: string }) => {
    figures = { ...figures, isUp: false };
    if (!signal.aborted) logger.warn({ err: error }, 'the followed database is not available; trying again');
  };

  async function run(): Promise<void> {
    const database = openObserverDatabase(options.url, signal);
    try {
      const reader = await retrying(() => startReader(database, options, { ...parts, signal, onRetry }), {
        signal,
        onFailure: onRetry,
      });
      for (; !signal.aborted; await rest(pollMs)) {
        const lag = await reader.poll();
        figures = { isUp: true, lag };
        hasRead = true;
      }
    } finally {
      await database.close();
    }
  }

  async function keepRunning(): Promise<void> {
    while (!signal.aborted) {
      try {
        await run();
      } catch (error) {
        if (signal.aborted) return;
        figures = { ...figures, isUp: false };
        const isPassing = error instanceof RetryableDatabaseError;
        // A following that has worked continues: its table may come back.
        if (!isPassing && (!hasRead || error instanceof WrongNetwork)) return parts.onFailure(error);
        logger.error({ err: error }, 'the followed table cannot be read; trying again');
        await rest(isPassing ? pollMs : PAUSE_MS);
      }
    }
  }

  const running = keepRunning();
  return {
    figures: () => figures,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

interface ReaderParts extends FollowParts {
  readonly signal: AbortSignal;
  readonly onRetry: (error: RetryableDatabaseError) => void;
}

/** Finds the table and the noted position in it. @throws NoObserverTable, RetryableDatabaseError */
async function startReader(database: Database, options: FollowOptions, parts: ReaderParts) {
  const { journalDb, logger, signal } = parts;
  const table = await findEventTable(database);
  const source = followedName(options.url, table.name);
  await createFollowed(journalDb);
  const read = (after: number, progress = { bytesRead: 0, bytesTotal: 0 }) =>
    readObserverTable(database, {
      ...{ table, after, progress, signal },
      onFailure: error => parts.onRetry(error as RetryableDatabaseError),
      maxBodyBytes: options.maxEventBytes,
    });
  let position = await startOf(read);
  let isBehind = false;
  /** Missing ids up to this one are no longer waited for. */
  let passed = -1;
  let waiting = { upTo: -1, polls: 0 };
  logger.info({ table: table.name, position }, 'following a table of events');

  /** The id of the noted row, if the table still has that row. */
  async function startOf(readAfter: typeof read): Promise<number> {
    const noted = await readNoted(journalDb, source);
    if (noted === undefined) return -1;
    for await (const row of readAfter(noted.id - 1)) {
      if (row.kind === 'event' && isNoted(noted, row)) return noted.id;
      break;
    }
    logger.warn(
      { table: table.name, position: noted.id },
      'the followed table has another row at the noted position: reading it from its start; what is stored is skipped',
    );
    return -1;
  }

  /** Ends before a missing id near the end of the table while its transaction may still commit. */
  async function* settled(rows: AsyncIterable<ArchiveRow>, last: () => number): AsyncGenerator<ArchiveRow> {
    let previous = position;
    for await (const row of rows) {
      const isMissing = previous >= 0 && row.line > previous + 1 && row.line > last() - TAIL && row.line > passed;
      if (isMissing) {
        if (waiting.upTo < row.line) waiting = { upTo: last(), polls: 0 };
        if (waiting.polls++ < PATIENCE) return;
        passed = waiting.upTo;
      }
      previous = row.line;
      yield row;
    }
  }

  return {
    /** Journals new rows. @returns the number of ids that are not journaled yet */
    async poll(): Promise<number> {
      // While an archive is loaded, rows of the table wait until its end.
      if (await journalDb.read(mustWait)) return Math.max(0, (await lastId(database, table)) - position);
      const progress = { bytesRead: 0, bytesTotal: 0 };
      for await (const rows of batches(
        settled(read(position, progress), () => progress.bytesTotal),
        BATCH,
      )) {
        const deliveries = deliveriesIn(rows, table, options, logger);
        const last = deliveries.at(-1);
        let stored = 0;
        const store = () =>
          parts.store(async () => {
            stored = (await parts.journal.append(deliveries)).length;
            if (last) await noteRow(journalDb, source, last);
          });
        await retrying(store, {
          signal,
          onFailure: error => logger.warn({ err: error }, 'database not available; trying again'),
        });
        position = rows.at(-1)?.line ?? position;
        const lag = Math.max(0, progress.bytesTotal - position);
        logger.info({ table: table.name, rows: rows.length, stored, position, lag }, 'followed events accepted');
        if (signal.aborted) break;
      }
      const lag = Math.max(0, progress.bytesTotal - position);
      if (lag === 0 && isBehind) logger.info({ table: table.name, position }, 'the followed table is journaled');
      isBehind = lag > 0;
      return lag;
    },
  };
}

/** The events of rows. Rows without an event are logged and left out. @throws WrongNetwork */
function deliveriesIn(
  rows: readonly ArchiveRow[],
  { name }: EventTable,
  { chainId, maxEventBytes: maxBodyBytes, maxEventNesting: maxNesting }: FollowOptions,
  logger: Logger,
): FollowedRow[] {
  const deliveries: FollowedRow[] = [];
  const leaveOut = (id: number, reason: string) => logger.warn({ table: name, id, reason }, 'followed row left out');
  for (const row of rows) {
    if (row.kind === 'bad') {
      leaveOut(row.line, row.reason);
      continue;
    }
    const { id, path, receivedAt, body } = row;
    const event = parseEvent(path, body, { maxBodyBytes, maxNesting });
    if (!event.ok) leaveOut(id, event.error.message);
    else if (event.value.path !== 'acknowledged') {
      const refused = chainId === undefined ? undefined : otherNetwork(event.value, chainId);
      if (refused) throw new WrongNetwork(refused, `${name}:${id}`);
      deliveries.push({ id, path, receivedAt, body });
    }
  }
  return deliveries;
}
