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

/** One line of an archive; `line` counts from 1. The caller decides what to do about a bad one. */
export type ArchiveRow =
  | ({
      readonly kind: 'event';
      readonly line: number;
      /** A later reading may begin at this offset of the file, once this row and all before it are stored. */
      readonly restartAt?: number;
    } & ArchivedEvent)
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string };

const CODES = {
  archive_unreadable: {
    problem: 'cannot be read',
    hint: 'Check that the file exists and may be read.',
  },
  archive_damaged: {
    problem: 'is damaged or incomplete',
    hint: 'Fetch the archive again and compare its checksum. The rows up to this line are good.',
  },
  zstd_window: {
    problem: 'was compressed with a window that is larger than allowed',
    hint: 'Allow more memory for the decoder: --zstd-window-log 31 reads every zstd stream and takes up to 2 GiB.',
  },
  not_an_archive: {
    problem: 'is not an event archive: there is no event',
    hint: 'A line of an archive has four columns separated by tabs: id, time, path and payload. `stacks-index export` writes such a file.',
  },
  binary_dump: {
    problem: 'is a dump of PostgreSQL in its own format',
    hint: 'Load it through pg_restore: pg_restore --data-only --table=event_observer_requests --file=- DUMP | stacks-index replay -',
  },
  dump_without_events: {
    problem: 'is a dump of PostgreSQL without the rows of event_observer_requests',
    hint: 'List what the dump has: pg_restore --list DUMP. Without this table no event can be read from it: use an event archive (.tsv, .gz, .zst).',
  },
  rows_out_of_order: {
    problem: 'has rows whose ids do not ascend, and their order decides forks',
    hint: 'Restore the table in PostgreSQL and load it from there, in the order of its ids: stacks-index replay --from postgres://user:password@host:5432/name',
  },
} as const;

/** Reading had to stop: the source is missing or unreadable, its compressed stream is damaged or cut off, or it is no archive. */
export class ArchiveError extends AppError {
  override readonly name = 'ArchiveError';
  override readonly kind = 'operator';
  declare readonly code: keyof typeof CODES;
  /** The last line that was read completely; 0 when there was none. */
  readonly line: number;

  constructor(code: keyof typeof CODES, file: string, line: number, cause?: unknown) {
    const { problem, hint } = CODES[code];
    const why = cause === undefined ? '' : `: ${systemMessage(cause)}`;
    super(`${file} ${problem}${line > 0 ? ` after line ${line}` : ''}${why}`, { code, hint, cause });
    this.line = line;
  }
}
