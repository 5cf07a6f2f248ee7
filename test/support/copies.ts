import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { Database, Row } from '../../src/base/store/database.ts';
import { openMetadataDb } from '../../src/metadata/open.ts';
import { METADATA_DOCUMENTS, METADATA_TABLES } from '../../src/metadata/tables.ts';
import { ReadSource } from '../../src/operate/serving/read-source.ts';
import {
  openIndexToRead,
  openJournal,
  openJournalToRead,
  openStorage,
  type Storage,
} from '../../src/operate/storage/storage.ts';
import { UnfinishedCopy } from '../../src/operate/storage/unfinished-copy.ts';
import { dumpOf, type Place } from './places.ts';

/** What tests of copies and snapshots share. */

export async function inStorage<T>(place: Place, work: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await openStorage(place);
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

const rowsOf = (db: Database, table: string, key: string): Promise<Row[]> =>
  db.read(queries => queries.all(`SELECT * FROM ${table} ORDER BY ${key}`));

/** Every row of journal, index and metadata. */
export async function everything(place: Place): Promise<Record<string, readonly Row[]>> {
  const journal = await inStorage(place, ({ journalDb }) => rowsOf(journalDb, 'journal', 'seq'));
  const metadataDb = await openMetadataDb(place);
  const metadata: Record<string, readonly Row[]> = {};
  for (const { name, key } of METADATA_TABLES) metadata[name] = await rowsOf(metadataDb, name, key.join(', '));
  await metadataDb.close();
  return { ...(await dumpOf(place)), ...metadata, journal };
}

export async function writeDocuments(place: Place, names: readonly string[]): Promise<void> {
  const db = await openMetadataDb(place);
  const rows = names.map((name, i) => ['SP.a', String(i), '', null, name, `{"text":"\u{1F600}${i}"}`, null, 'b.png']);
  await db.write(tx => tx.upsertMany(METADATA_DOCUMENTS, rows));
  await db.close();
}

/** A place that nothing but a copy may open. */
export async function assertUnfinished(place: Place): Promise<void> {
  const refused = (error: unknown) => error instanceof UnfinishedCopy && /stacks-index copy/.test(error.hint);
  await assert.rejects(openStorage(place), refused); // serve, replay
  await assert.rejects(openJournal(place), refused); // reindex, export
  const journal = await openJournalToRead(place);
  await assert.rejects(openIndexToRead(journal), refused); // verify
  await journal.journalDb.close();
  if (place.database === undefined) return;
  const logger = pino({ level: 'silent' });
  const reader = new ReadSource({ ...place, primary: undefined, poolSize: 1, queryTimeoutMs: 10_000, logger });
  await assert.rejects(reader.look(), refused); // serve --mode readonly
  await reader.close();
}
