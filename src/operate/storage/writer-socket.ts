import { chmodSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { makeDirectory } from '../../base/store/directory.ts';

/*
 * The process that writes a directory accepts events of repairs on a Unix socket in it: DIR/writer/events. Only the user of the process may enter DIR/writer, and that user
 * could write the files of the directory, too.
 */

const DIRECTORY = 'writer';
const MODE = 0o700;

/** Longest path of a socket in bytes, on the system with the lowest limit. */
const LONGEST = 103;

/** The shortest path of the socket of a directory; undefined if it is too long for the system. */
export function writerSocket(data: string): string | undefined {
  const path = join(data, DIRECTORY, 'events');
  return [path, relative(process.cwd(), path)].find(each => Buffer.byteLength(each) <= LONGEST);
}

/** Makes the directory of the socket, and removes a socket that a killed process has left. The data directory must be locked. @throws the error of the system */
export function prepareWriterSocket(data: string): void {
  const directory = join(data, DIRECTORY);
  makeDirectory(directory);
  chmodSync(directory, MODE);
  rmSync(join(directory, 'events'), { force: true });
}
