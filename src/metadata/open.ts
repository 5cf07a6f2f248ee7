import { join } from 'node:path';
import type { Database } from '../base/store/database.ts';
import { type Location, openDatabase, parseLocation } from '../base/store/open.ts';
import { createMetadataTables } from './jobs/queue.ts';

interface MetadataPlace {
  readonly data: string;
  readonly database: string | undefined;
}

/** Location of the fetched metadata, whether it exists or not. */
export function metadataLocation({ data, database }: MetadataPlace): Location {
  if (database !== undefined) return parseLocation({ database });
  return { kind: 'sqlite', file: join(data, 'metadata.sqlite'), durability: 'normal' };
}

/**
 * Opens the database of fetched metadata, and creates it if it is missing: in a directory the file metadata.sqlite, on
 * PostgreSQL tables in the schema of the journal. It may be deleted: everything in it can be fetched again.
 */
export async function openMetadataDb(place: MetadataPlace): Promise<Database> {
  const db = openDatabase(metadataLocation(place));
  try {
    await createMetadataTables(db);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}
