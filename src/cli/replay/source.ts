import type { HttpFile } from '../../base/net/http-file.ts';
import type { ArchiveProgress } from '../../ingest/node/archive/decompress.ts';
import type { ArchiveRow } from '../../ingest/node/archive/row.ts';

/** Where events come from. */
export interface ReplaySource {
  readonly name: string;
  /** Filled while it is read. */
  readonly progress: ArchiveProgress;
  /** Whether `rows` gives rows only once, as a pipe does, or should not be called twice, as with a URL. */
  readonly isReadOnce: boolean;
  readonly rows: () => AsyncIterable<ArchiveRow>;
  /** After the last row: whether the bytes were those that the publisher names. Missing where no checksum is published. */
  readonly proof?: () => Proof;
  /** Of a file on a server: where it begins to be read, and which version of it. */
  readonly file?: Pick<HttpFile, 'beginAt' | 'version' | 'startedAt'>;
  /** Of a table of events: its name in `followed` (ingest/journal/followed.ts). */
  readonly followed?: string;
}

/** Whether the bytes of a load were those that their publisher names. */
export type Proof =
  | { readonly kind: 'proven'; readonly sha256: string }
  | { readonly kind: 'wrong'; readonly reason: string }
  /** There is no checksum, or not every byte was read. */
  | { readonly kind: 'unchecked'; readonly reason: string };

export function sayRetry({ message, hint }: { readonly message: string; readonly hint: string }): void {
  process.stderr.write(`\nTrying again: ${message}\n${hint}\n`);
}
