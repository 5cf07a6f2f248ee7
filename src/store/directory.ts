import { accessSync, constants, mkdirSync } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';
import { FatalDatabaseError } from './errors.ts';

/**
 * Makes a directory if it is missing, for nobody but this user. SQLite itself would only say that it cannot open a file.
 * @throws FatalDatabaseError (READ_ONLY, ACCESS) unless files can be made in it
 */
export function ensureWritable(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = '', errno = 0 } = error as NodeJS.ErrnoException;
    throw new FatalDatabaseError(
      REFUSED.has(code) ? 'READ_ONLY' : 'ACCESS',
      `${directory} cannot be written: ${getSystemErrorMessage(errno)}`,
      {
        cause: error,
      },
    );
  }
}

/** ENOENT is what a recursive mkdir on a read-only disk gives. */
const REFUSED: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOENT']);
