import { accessSync, constants } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';
import { makeDirectory } from '../lib/make-directory.ts';
import { FatalDatabaseError } from './errors.ts';

/**
 * Makes a directory if it is missing, which only this user may read. SQLite itself would only say that it cannot open a file.
 * @throws FatalDatabaseError (READ_ONLY, ACCESS) unless files can be made in it
 */
export function ensureWritable(directory: string): void {
  try {
    makeDirectory(directory);
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = '', errno = 0 } = error as NodeJS.ErrnoException;
    const what = code === 'EEXIST' ? 'it is a link to a directory that does not exist' : getSystemErrorMessage(errno);
    throw new FatalDatabaseError(
      REFUSED.has(code) ? 'READ_ONLY' : 'ACCESS',
      `${directory} cannot be written: ${what}`,
      {
        hint: 'Choose a directory with --data that this user may make and write, on a disk that takes files.',
        cause: error,
      },
    );
  }
}

/** ENOENT is what mkdir gives below /proc. */
const REFUSED: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOENT']);
