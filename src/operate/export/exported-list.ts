import type { ExportColumns, ExportRow } from './columns.ts';
import type { PartSpan } from './parts.ts';
import type { PinnedRead } from './pinned-reads.ts';

/** Rows that are read at once, in the order of the list. */
export interface ExportPage<Row = ExportRow> {
  readonly rows: readonly Row[];
  /** Share of the part that is read up to this page, 0 to 1. */
  readonly share: number;
}

/** The rows of a part of a list, in pages of bounded size. */
export type PagesOf<C extends ExportColumns> = (
  read: PinnedRead,
  part: PartSpan,
) => AsyncIterable<ExportPage<ExportRow<C>>>;

/** A list that can be exported. */
export interface ExportedList<C extends ExportColumns = ExportColumns> {
  readonly columns: C;
  readonly pages: PagesOf<C>;
  /** Whether every export writes it anew as one part, because all its rows may change with any block. */
  readonly isWhole: boolean;
}
