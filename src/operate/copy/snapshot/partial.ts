import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Where this process writes a file until it is complete. */
export const partialOf = (file: string): string => `${file}.${process.pid}.partial`;

/** Removes what processes that were killed have left of a file. Call it before this process writes. */
export async function removeLeftovers(file: string): Promise<void> {
  for (const name of await readdir(dirname(file))) {
    const middle = name.startsWith(`${basename(file)}.`) && name.slice(basename(file).length);
    const pid = middle && /^\.(\d{1,10})\.partial$/.exec(middle)?.[1];
    // One of our own number is of a process before us: in a container all have the same.
    if (pid && (Number(pid) === process.pid || !isRunning(Number(pid)))) await rm(join(dirname(file), name));
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // the process of another user
  }
}
