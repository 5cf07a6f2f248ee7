import { systemMessage } from '../../lib/system-message.ts';

/** One POST of the node, as an archive keeps it. */
export interface ArchivedEvent {
  /** Ascending, with gaps; some archives repeat one. */
  readonly id: number;
  /** Microseconds since 1970. */
  readonly receivedAt: number;
  /** For example `/new_block`. */
  readonly path: string;
  /** The JSON text, in the bytes that were received. Not parsed. */
  readonly body: Uint8Array;
}

/** One line of an archive; `line` counts from 1. What to do about a bad one is for the caller to decide. */
export type ArchiveRow =
  | ({ readonly kind: 'event'; readonly line: number } & ArchivedEvent)
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string };

/** Reading had to stop: the file is missing or unreadable, or its compressed stream is damaged or cut off. */
export class ArchiveError extends Error {
  readonly code: 'archive_unreadable' | 'archive_damaged';
  /** The last line that was read completely; 0 when there was none. */
  readonly line: number;
  readonly hint: string;

  constructor(code: ArchiveError['code'], file: string, line: number, cause: unknown) {
    const problem = code === 'archive_damaged' ? 'is damaged or incomplete' : 'cannot be read';
    super(`${file} ${problem}${line > 0 ? ` after line ${line}` : ''}: ${systemMessage(cause)}`, { cause });
    this.name = 'ArchiveError';
    this.code = code;
    this.line = line;
    this.hint =
      code === 'archive_damaged'
        ? 'Fetch the archive again and compare its checksum. The rows up to this line are good.'
        : 'Check that the file exists and may be read.';
  }
}
