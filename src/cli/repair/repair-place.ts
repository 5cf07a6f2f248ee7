import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import type { Database } from '../../base/store/database.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import { Indexer } from '../../ingest/indexer/indexer.ts';
import type { Delivery } from '../../ingest/journal/entries.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { RunningWriter } from '../../operate/gaps/running-writer.ts';
import { readBinding, SCHEMA_VERSION, wrongSchema } from '../../operate/storage/chain-binding.ts';
import { DirectoryInUse } from '../../operate/storage/directory-in-use.ts';
import type { JournalPlace } from '../../operate/storage/generations.ts';
import { requireChain, storedChain } from '../../operate/storage/known-chain.ts';
import { WriterRunning, whileOnlyWriter } from '../../operate/storage/locks.ts';
import { openIndexToRead, openJournal, openJournalToRead, openStorage } from '../../operate/storage/storage.ts';
import { writerSocket } from '../../operate/storage/writer-socket.ts';

interface RepairLocation {
  readonly data: string;
  readonly database: string | undefined;
  readonly chainId: number | undefined;
  readonly burnForkDepth: number;
}

/** Where a repair writes. */
export interface RepairPlace {
  readonly indexDb: Database;
  readonly journal: Journal;
  readonly journalDb: Database;
  readonly chainId: number;
  /** Adds entries to the journal. */
  readonly add: (deliveries: readonly Delivery[]) => Promise<void>;
  /** Brings the index up to the journal, or waits until the server has. @returns false if the server has not */
  readonly catchUp: () => Promise<boolean>;
}

/**
 * Runs the work of a repair. If no process writes the index, this process does. Else the writing process gets the events: in a directory through its socket; on
 * PostgreSQL, where any process may add to the journal, it finds them there.
 * @throws DirectoryInUse if the process that writes the directory accepts no events, such as `replay`
 */
export async function withRepairPlace(
  location: RepairLocation,
  signal: AbortSignal,
  work: (place: RepairPlace) => Promise<void>,
): Promise<void> {
  try {
    await whileOnlyWriter(location, () => alone(location, work));
  } catch (error) {
    if (!(error instanceof DirectoryInUse || error instanceof WriterRunning)) throw error;
    if (!(await besideWriter(location, signal, work))) throw error;
  }
}

async function alone(
  { burnForkDepth, ...location }: RepairLocation,
  work: (place: RepairPlace) => Promise<void>,
): Promise<void> {
  const chainId = await requireChain(location);
  const storage = await openStorage({ ...location, chainId });
  const { indexDb, journalDb } = storage;
  try {
    const journal = new Journal(journalDb);
    const logger = pino({ level: 'silent' });
    const indexer = new Indexer({ db: indexDb, journal, chainId, burnForkDepth, schema: INDEX_SCHEMA, logger });
    await work({
      ...{ indexDb, journal, journalDb, chainId },
      add: async deliveries => void (await journal.append(deliveries)),
      catchUp: async () => {
        await indexer.catchUp();
        return true;
      },
    });
  } finally {
    await storage.close();
  }
}

/** @returns false if no process accepts the events */
async function besideWriter(
  location: RepairLocation,
  signal: AbortSignal,
  work: (place: RepairPlace) => Promise<void>,
): Promise<boolean> {
  const { data, database } = location;
  const socket = database === undefined ? writerSocket(data) : undefined;
  const writer = socket === undefined ? undefined : new RunningWriter(socket);
  if (database === undefined && !(await writer?.isListening())) return false;
  const place = database === undefined ? await openJournalToRead(location) : await openJournal(location);
  try {
    const index = await openIndexToRead(place);
    try {
      const { indexDb } = index;
      const { schemaVersion = 0 } = await indexDb.read(readBinding);
      if (schemaVersion !== SCHEMA_VERSION) throw wrongSchema(schemaVersion);
      const chainId = (await storedChain(location)) ?? (await requireChain(location));
      const journal = new Journal(place.journalDb);
      await work({
        ...{ indexDb, journal, journalDb: place.journalDb, chainId },
        add: async deliveries => {
          if (writer) await writer.add(deliveries, signal);
          else await journal.append(deliveries);
        },
        catchUp: () => untilApplied(place, journal, signal),
      });
    } finally {
      await index.close();
    }
  } finally {
    await place.journalDb.close();
  }
  return true;
}

const POLL_MS = 100;
/** How long an index may make no progress until it counts as not following the journal. */
const PATIENCE_MS = 60_000;

/** Waits until the current index has applied the current journal. @returns false if it makes no progress */
async function untilApplied(place: JournalPlace, journal: Journal, signal: AbortSignal): Promise<boolean> {
  const wanted = await journal.length();
  let [last, movedAt] = [-1, performance.now()];
  while (performance.now() - movedAt < PATIENCE_MS && !signal.aborted) {
    const index = await openIndexToRead(place); // a reindex may end meanwhile
    const { position } = await index.indexDb.read(readState).finally(() => index.close());
    if (position >= wanted) return true;
    if (position > last) [last, movedAt] = [position, performance.now()];
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
