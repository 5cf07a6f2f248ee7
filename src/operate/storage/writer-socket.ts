import { chmodSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { makeDirectory } from '../../base/store/directory.ts';

/*
 * The process that writes a directory listens on a Unix socket in it, which takes events of repairs: DIR/writer/events. Only the user of the process, who could write the
 * files of the directory too, may enter DIR/writer.
 */

const DIRECTORY = 'writer';
const MODE = 0o700;

/** Longest path of a socket in bytes, on the system that allows least. */
const LONGEST = 103;

/** The path of the socket of a directory, as short as it can be; undefined where it is too long for the system. */
export function writerSocket(data: string): string | undefined {
  const path = join(data, DIRECTORY, 'events');
  return [path, relative(process.cwd(), path)].find(each => Buffer.byteLength(each) <= LONGEST);
}

/** Makes the place of the socket, and removes one that a killed process has left. The directory must be locked. @throws the error of the system */
export function prepareWriterSocket(data: string): void {
  const directory = join(data, DIRECTORY);
  makeDirectory(directory);
  chmodSync(directory, MODE);
  rmSync(join(directory, 'events'), { force: true });
}
