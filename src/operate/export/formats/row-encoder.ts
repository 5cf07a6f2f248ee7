import type { ExportRow } from '../columns.ts';

/** Makes the bytes of a file of rows. What it returns is to be written in order. */
export interface RowEncoder {
  /** Takes further rows. @returns bytes that are complete; may be empty */
  add(rows: readonly ExportRow[]): Uint8Array;
  /** @returns the last bytes of the file */
  end(): Uint8Array;
}
