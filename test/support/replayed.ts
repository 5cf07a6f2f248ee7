import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDatabase } from '../../src/base/store/open.ts';
import { type Fresh, type OpenFresh, openFreshOf } from './engines.ts';
import { openTestIndex, TESTNET } from './test-index.ts';

/** Files of SQLite with journal and index of an archive, by its name: many test files of this process need the same. */
const kept = new Map<string, Promise<string>>();

/**
 * Opens databases with the journal and the index of a small archive. SQLite replays an archive once in this process, and copies the file for each
 * database.
 * @param archive its file
 */
export const replayed =
  (openFresh: OpenFresh, archive: string, chainId = TESTNET): OpenFresh =>
  async test => {
    if (openFresh !== openFreshOf.sqlite) return replayedInto(await openFresh(test), archive, chainId);
    const made = kept.get(archive) ?? fileOf(archive, chainId);
    kept.set(archive, made);
    const fresh = copyOf(await made);
    test?.after(fresh.cleanup);
    return fresh;
  };

async function replayedInto(fresh: Fresh, archive: string, chainId: number): Promise<Fresh> {
  await (await openTestIndex(fresh.database, { chainId })).replay(archive);
  return fresh;
}

/** A database in a copy of a file of SQLite. */
function copyOf(original: string): Fresh {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  const file = join(directory, 'index.sqlite');
  copyFileSync(original, file);
  const location = { kind: 'sqlite', file, durability: 'normal' } as const;
  const database = openDatabase(location);
  const cleanup = async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { database, location, cleanup };
}

/** Replays an archive into a file that stays until this process exits. */
async function fileOf(archive: string, chainId: number): Promise<string> {
  const { database, location } = await replayedInto(await openFreshOf.sqlite(), archive, chainId);
  if (location.kind !== 'sqlite') throw new Error(`a file of ${location.kind}`);
  // The last connection copies the WAL into the file.
  await database.close();
  process.once('exit', () => rmSync(dirname(location.file), { recursive: true, force: true }));
  return location.file;
}
