import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { FatalDatabaseError } from './errors.ts';

/**
 * Makes a directory if it is missing; only this user may read it. The error of SQLite itself would only be that it cannot open a
 * file.
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

/** Only this user reads what is in a directory of ours. */
const MODE = 0o700;

/** The directories of a path that do not exist, the outermost first. A link to what does not exist is one of them. */
export function missingDirectories(path: string): string[] {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  return missing;
}

/**
 * Makes a directory and those above it that are missing, one after another. The recursive mkdir of Node.js does not end below /proc, where the
 * system refuses each of them with ENOENT. Another process may make the same directories at the same time.
 * @throws the error of the system, with `path`; ENOTDIR if a file has the name of one of the directories
 */
export function makeDirectory(path: string): void {
  for (const directory of missingDirectories(path)) {
    try {
      mkdirSync(directory, { mode: MODE });
    } catch (error) {
      // Another process made it; a link to a missing target exists too, and cannot be used.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(directory)) throw error;
    }
  }
  if (!statSync(path).isDirectory())
    throw Object.assign(new Error(`${path} is not a directory`), {
      code: 'ENOTDIR',
      errno: -20,
      syscall: 'mkdir',
      path,
    });
}
