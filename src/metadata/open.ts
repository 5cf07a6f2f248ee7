import { join } from 'node:path';
import type { Database } from '../store/database.ts';
import { openDatabase, parseLocation } from '../store/open.ts';
import { createMetadataTables } from './jobs/queue.ts';

/**
 * Opens what was fetched of tokens, and creates it if it is missing: in a directory the file metadata.sqlite, on PostgreSQL tables
 * in the schema of the journal. It may be lost: everything in it can be fetched again.
 */
export async function openMetadataDb(place: {
  readonly data: string;
  readonly database: string | undefined;
}): Promise<Database> {
  const { data, database } = place;
  const db = openDatabase(
    database === undefined
      ? { kind: 'sqlite', file: join(data, 'metadata.sqlite'), durability: 'normal' }
      : parseLocation({ database }),
  );
  try {
    await createMetadataTables(db);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}
