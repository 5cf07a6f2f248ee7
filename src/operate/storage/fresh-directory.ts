import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { missingDirectories } from '../../base/store/directory.ts';
import { currentGeneration, removeGeneration } from './generations.ts';
import { tryLock } from './locks.ts';
import { JOURNAL_FILE, openJournal, type StorageLocation } from './storage.ts';

/**
 * Records the contents of a data directory before a command uses it. A command that fails before it has stored an event calls the result, which
 * removes everything that the command has created: files, the directory, and the directories above it. It keeps everything that existed before, and
 * a directory whose journal has an event, or that another process uses. Does nothing on PostgreSQL.
 * @returns with `evenEvents` it also removes a new journal that has events
 */
export function rememberDirectory({
  data,
  database,
}: Pick<StorageLocation, 'data' | 'database'>): (options?: { readonly evenEvents?: boolean }) => void {
  if (database !== undefined) return () => {};
  const made = missingDirectories(data);
  const before = new Set(made.length > 0 ? [] : readdirSync(data));
  return ({ evenEvents = false } = {}) => {
    if (before.has(JOURNAL_FILE) || !existsSync(data)) return;
    const release = tryLock(data, 'lock');
    if (release === undefined) return;
    try {
      if (!evenEvents && hasEvents(join(data, JOURNAL_FILE))) return;
      for (const name of readdirSync(data))
        if (!before.has(name)) rmSync(join(data, name), { recursive: true, force: true });
    } finally {
      release();
    }
    for (const directory of made.toReversed()) if (readdirSync(directory).length === 0) rmdirSync(directory);
  };
}

/**
 * Removes all events and the index of a PostgreSQL schema that had none before. Tables of the operator stay. Does nothing for a directory: see rememberDirectory.
 */
export async function emptyDatabase(location: Pick<StorageLocation, 'data' | 'database'>): Promise<void> {
  if (location.database === undefined) return;
  const place = await openJournal(location);
  try {
    await removeGeneration(place, await currentGeneration(place));
    await place.journalDb.write(tx => tx.run('DELETE FROM journal'));
  } finally {
    await place.journalDb.close();
  }
}

/** Whether a journal has an event, or one waits to join it. True for a journal that cannot be read. */
function hasEvents(journal: string): boolean {
  if (!existsSync(journal)) return false;
  const db = new DatabaseSync(journal, { readOnly: true });
  try {
    const isMade = (table: string) => db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
    return (
      (isMade('journal') && db.prepare('SELECT 1 FROM journal LIMIT 1').get() !== undefined) ||
      (isMade('waiting_deliveries') && db.prepare('SELECT 1 FROM waiting_deliveries LIMIT 1').get() !== undefined)
    );
  } catch {
    return true;
  } finally {
    db.close();
  }
}
