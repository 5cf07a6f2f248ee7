import type { HttpFile } from '../../base/net/http-file.ts';
import type { ArchiveProgress } from '../../ingest/node/archive/decompress.ts';
import type { ArchiveRow } from '../../ingest/node/archive/row.ts';

/** A source of events. */
export interface ReplaySource {
  readonly name: string;
  /** Filled while it is read. */
  readonly progress: ArchiveProgress;
  /** Whether `rows` returns rows only once, as with a pipe, or should not be called twice, as with a URL. */
  readonly isReadOnce: boolean;
  readonly rows: () => AsyncIterable<ArchiveRow>;
  /** Call it after the last row: compares the bytes with the published checksum. Missing without a published checksum. */
  readonly proof?: () => Proof;
  /** For a file on a server: where reading begins, and the version of the file. */
  readonly file?: Pick<HttpFile, 'beginAt' | 'version' | 'startedAt'>;
  /** For a table of events: its name in `followed` (ingest/journal/followed.ts). */
  readonly followed?: string;
}

/** Whether the bytes of a load have the published checksum. */
export type Proof =
  | { readonly kind: 'proven'; readonly sha256: string }
  | { readonly kind: 'wrong'; readonly reason: string }
  /** There is no checksum, or not every byte was read. */
  | { readonly kind: 'unchecked'; readonly reason: string };

export function sayRetry({ message, hint }: { readonly message: string; readonly hint: string }): void {
  process.stderr.write(`\nTrying again: ${message}\n${hint}\n`);
}
