import { AppError, systemMessage } from '../../../base/lib/app-error.ts';

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
export class ArchiveError extends AppError {
  override readonly name = 'ArchiveError';
  override readonly kind = 'operator';
  declare readonly code: 'archive_unreadable' | 'archive_damaged' | 'not_an_archive';
  /** The last line that was read completely; 0 when there was none. */
  readonly line: number;

  constructor(code: ArchiveError['code'], file: string, line: number, cause: unknown) {
    const problem = PROBLEMS[code];
    super(`${file} ${problem}${line > 0 ? ` after line ${line}` : ''}: ${systemMessage(cause)}`, {
      code,
      hint: HINTS[code],
      cause,
    });
    this.line = line;
  }
}

const PROBLEMS: Readonly<Record<ArchiveError['code'], string>> = {
  archive_unreadable: 'cannot be read',
  archive_damaged: 'is damaged or incomplete',
  not_an_archive: 'is not an event archive: there is no event',
};

const HINTS: Readonly<Record<ArchiveError['code'], string>> = {
  archive_unreadable: 'Check that the file exists and may be read.',
  archive_damaged: 'Fetch the archive again and compare its checksum. The rows up to this line are good.',
  not_an_archive:
    'A line of an archive has four columns separated by tabs: id, time, path and payload. `stacks-index export` writes such a file.',
};
