import type { ExportRow } from '../columns.ts';

/** Encodes a file of rows. The caller writes the returned bytes in order. */
export interface RowEncoder {
  /** Takes further rows. @returns bytes that are complete; may be empty */
  add(rows: readonly ExportRow[]): Uint8Array;
  /** @returns the last bytes of the file */
  end(): Uint8Array;
}
