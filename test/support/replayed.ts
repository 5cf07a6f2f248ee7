import { copiedFile } from './copied-files.ts';
import { type OpenFresh, openFreshOf } from './engines.ts';
import { noteTables } from './reused-database.ts';
import { openTestIndex, TESTNET } from './test-index.ts';

/**
 * Opens databases with the journal and the index of a small archive. SQLite replays an archive once in this process, and copies the file for each
 * database.
 * @param archive its file
 */
export const replayed =
  (openFresh: OpenFresh, archive: string, chainId = TESTNET): OpenFresh =>
  async test => {
    const replay = async ({ database }: Awaited<ReturnType<OpenFresh>>) =>
      void (await (await openTestIndex(database, { chainId })).replay(archive));
    if (openFresh === openFreshOf.sqlite) {
      const fresh = await copiedFile(archive, replay);
      noteTables(fresh.database);
      test?.after(fresh.cleanup);
      return fresh;
    }
    const fresh = await openFresh(test);
    await replay(fresh);
    return fresh;
  };
