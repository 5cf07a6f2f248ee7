/** Files that appear under their name only when they are complete and on the disk; until then they are NAME.PID.partial. */
import { lstat, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from './app-error.ts';

/** A file cannot be written where something else is that its rename would destroy. */
class NotReplaceable extends AppError {
  override readonly name = 'NotReplaceable';
  override readonly kind = 'operator';
}

/** How every file of SQLite begins. */
const SQLITE_MAGIC = Buffer.from('SQLite format 3\0');

/**
 * The file behind the links of a name that an operator gives. Call it before the file is written: a rename replaces whatever has the name,
 * also `/dev/stdout`, or the journal in `export DIR/journal.sqlite`.
 * @throws NotReplaceable where a directory, a device, a pipe or a database is; errors of the file system
 */
export async function replaceableFile(name: string): Promise<string> {
  const link = await lstat(name).catch(() => undefined); // what is wrong with a name shows when the file is opened
  if (link === undefined) return name;
  const file = link.isSymbolicLink() ? await realpath(name).catch(() => undefined) : name;
  if (file === undefined || !(await stat(file)).isFile())
    throw new NotReplaceable(`${name} is no file: it cannot be replaced`, { hint: 'Name a file, or one to be made.' });
  if (await isDatabase(file))
    throw new NotReplaceable(`${name} is a database: it is not replaced`, { hint: 'Name another file.' });
  return file;
}

async function isDatabase(file: string): Promise<boolean> {
  const opened = await open(file);
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(SQLITE_MAGIC.length), 0, SQLITE_MAGIC.length, 0);
    return bytesRead === SQLITE_MAGIC.length && buffer.equals(SQLITE_MAGIC);
  } finally {
    await opened.close();
  }
}

/** Where this process writes a file until it is complete. */
export const partialOf = (file: string): string => `${file}.${process.pid}.partial`;

/** Renames a complete file, already synced to disk, to its final name, in place of any file of that name. @param file the final name */
export async function completePartial(file: string): Promise<void> {
  await rename(partialOf(file), file);
  await syncDirectory(dirname(file));
}

/** Replaces a file atomically, even if the process or the machine stops meanwhile. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const partial = await open(partialOf(file), 'w');
  try {
    await partial.writeFile(text);
    await partial.sync();
  } finally {
    await partial.close();
  }
  await completePartial(file);
}

/** Makes the names in a directory durable. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  await directory.sync().finally(() => directory.close());
}

/**
 * Removes the partial files that killed processes left in a directory. Call it before this process writes there.
 * @param isOurs whether a name is that of a file that this program writes
 */
export async function removeLeftovers(directory: string, isOurs: (name: string) => boolean): Promise<void> {
  for (const name of await readdir(directory)) {
    const [, whole, pid] = /^(.+)\.(\d{1,10})\.partial$/.exec(name) ?? [];
    if (whole === undefined || !isOurs(whole)) continue;
    // A file with our own process id is of an earlier process: in a container each has the same id.
    if (Number(pid) === process.pid || !isRunning(Number(pid))) await rm(join(directory, name));
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // the process of another user
  }
}

/** The error of a call of the file system; undefined for any other. */
export const fileSystemError = (error: unknown): NodeJS.ErrnoException | undefined =>
  error instanceof Error && 'syscall' in error ? (error as NodeJS.ErrnoException) : undefined;
