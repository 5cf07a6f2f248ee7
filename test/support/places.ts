import { dirname } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { Row } from '../../src/base/store/database.ts';
import { INDEX_SCHEMA } from '../../src/index/index-schema.ts';
import type { IndexState } from '../../src/ingest/indexer/index-state.ts';
import { Indexer } from '../../src/ingest/indexer/indexer.ts';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { Journal } from '../../src/ingest/journal/journal.ts';
import { removeFiles } from '../../src/operate/storage/generations.ts';
import {
  NothingStored,
  openJournalToRead,
  openStorage,
  type StorageLocation,
} from '../../src/operate/storage/storage.ts';
import { dumpIndex } from './dump.ts';
import type { OpenFresh } from './engines.ts';
import { TESTNET } from './test-index.ts';

/** The program's data directory or schema: a new directory, or a new schema of the server. */
export interface Place extends StorageLocation {
  /** As options of the command line. */
  readonly args: readonly string[];
}

interface Cleaned {
  after(hook: () => Promise<void>): void;
}

/** An empty place on the engine of `openFresh`, gone after the test with all indexes in it. */
export async function openPlace(openFresh: OpenFresh, t: Cleaned): Promise<Place> {
  const { location, database } = await openFresh(t);
  await database.close();
  if (location.kind === 'sqlite') {
    const data = dirname(location.file);
    removeFiles(location.file); // it has the name of an index of release 0.1.0
    return { data, database: undefined, chainId: TESTNET, args: ['--data', data] };
  }
  const { url, schema = 'public' } = location;
  t.after(() => dropIndexSchemas(url, schema));
  const withSchema = new URL(url);
  withSchema.searchParams.set('schema', schema);
  return { data: '', database: withSchema.href, chainId: TESTNET, args: ['--database', withSchema.href] };
}

async function dropIndexSchemas(url: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const sql = 'SELECT nspname FROM pg_namespace WHERE starts_with(nspname, $1)';
  const { rows } = await client.query<{ nspname: string }>(sql, [`${schema}_index_`]);
  for (const { nspname } of rows) await client.query(`DROP SCHEMA ${pg.escapeIdentifier(nspname)} CASCADE`);
  await client.end();
}

/** How many events are stored; 0 also where there is no journal. */
export async function journalLength(place: Place): Promise<number> {
  try {
    const { journalDb } = await openJournalToRead(place);
    return await new Journal(journalDb).length().finally(() => journalDb.close());
  } catch (error) {
    if (error instanceof NothingStored) return 0;
    throw error;
  }
}

/** Journals these deliveries, and applies all that the journal has. */
export async function deliverTo(place: StorageLocation, deliveries: readonly Delivery[]): Promise<IndexState> {
  const storage = await openStorage(place);
  try {
    const journal = new Journal(storage.journalDb);
    await journal.append(deliveries);
    const logger = pino({ level: 'silent' });
    return await new Indexer({
      db: storage.indexDb,
      journal,
      chainId: place.chainId,
      schema: INDEX_SCHEMA,
      logger,
    }).catchUp();
  } finally {
    await storage.close();
  }
}

/** Every row of every table of the current index. */
export async function dumpOf(place: Place): Promise<Record<string, Row[]>> {
  const storage = await openStorage(place);
  try {
    return await dumpIndex(storage.indexDb);
  } finally {
    await storage.close();
  }
}
