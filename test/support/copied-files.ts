import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDatabase } from '../../src/base/store/open.ts';
import { type Fresh, openFreshOf } from './engines.ts';

/** Files of SQLite by what they hold: many tests of this process begin with the same. */
const kept = new Map<string, Promise<string>>();

/**
 * Opens a SQLite database in a copy of a file, which is made once in this process.
 * @param what names the content of the file
 * @param make fills an empty database with it
 */
export async function copiedFile(what: string, make: (fresh: Fresh) => Promise<void>): Promise<Fresh> {
  const made = kept.get(what) ?? fileWith(make);
  kept.set(what, made);
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  const file = join(directory, 'index.sqlite');
  copyFileSync(await made, file);
  const location = { kind: 'sqlite', file, durability: 'normal' } as const;
  const database = openDatabase(location);
  const cleanup = async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { database, location, cleanup };
}

/** Fills a file, which stays until this process exits. */
async function fileWith(make: (fresh: Fresh) => Promise<void>): Promise<string> {
  const fresh = await openFreshOf.sqlite();
  if (fresh.location.kind !== 'sqlite') throw new Error(`a file of ${fresh.location.kind}`);
  const { file } = fresh.location;
  await make(fresh);
  // The last connection copies the WAL into the file.
  await fresh.database.close();
  process.once('exit', () => rmSync(dirname(file), { recursive: true, force: true }));
  return file;
}
