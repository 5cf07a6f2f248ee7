/** Files that appear under their name only when they are complete and on the disk; until then they are NAME.PID.partial. */
import { open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Where this process writes a file until it is complete. */
export const partialOf = (file: string): string => `${file}.${process.pid}.partial`;

/** Gives a complete file, whose bytes are on the disk, its name. It replaces a file of that name as a whole. @param file its name */
export async function completePartial(file: string): Promise<void> {
  await rename(partialOf(file), file);
  await syncDirectory(dirname(file));
}

/** Replaces a file as a whole, also where the process or the machine stops meanwhile. */
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
 * Removes what processes that were killed have left in a directory. Call it before this process writes there.
 * @param isOurs whether a name is that of a file that this program writes
 */
export async function removeLeftovers(directory: string, isOurs: (name: string) => boolean): Promise<void> {
  for (const name of await readdir(directory)) {
    const [, whole, pid] = /^(.+)\.(\d{1,10})\.partial$/.exec(name) ?? [];
    if (whole === undefined || !isOurs(whole)) continue;
    // One of our own number is of a process before us: in a container all have the same.
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
