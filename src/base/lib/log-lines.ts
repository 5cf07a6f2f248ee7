import { writeSync } from 'node:fs';

/** Milliseconds between two tries of a pipe whose reader is behind, and the tries of a line before it is dropped. */
const PAUSE_MS = 10;
const TRIES = 100;

/**
 * Writes log lines to a file descriptor, each before the call returns, so that the last line before a crash is there. A line that cannot be
 * written is dropped: a full disk, or a reader that is gone or has stopped reading, must not stop the server, which goes on serving reads from a
 * full disk. (The destination of pino throws the first error, and then repeats the write for ever.)
 */
export function logLines(fd: number): { write(line: string): void } {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  /** Whether the last bytes written are not the end of a line. */
  let isCut = false;
  /** Whether the line before this one was dropped: waiting for each of them would hold the server. */
  let isDropping = false;
  return {
    write(line) {
      const bytes = Buffer.from(isCut ? `\n${line}` : line);
      let written = 0;
      for (let tries = 1; written < bytes.length; tries++)
        try {
          written += writeSync(fd, bytes, written);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'EAGAIN' && !isDropping && tries < TRIES) {
            Atomics.wait(clock, 0, 0, PAUSE_MS);
            continue;
          }
          isCut ||= written > 0;
          isDropping = true;
          return;
        }
      isCut = false;
      isDropping = false;
    },
  };
}
