import type { ArchiveRow } from './row.ts';

/** A batch reaches one of these, or is the last. */
export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** Rows in batches; each batch reaches one of the limits. */
export async function* batches<R extends ArchiveRow>(
  rows: AsyncIterable<R> | Iterable<R>,
  limits: BatchLimits,
): AsyncIterable<R[]> {
  let batch: R[] = [];
  let bytes = 0;
  try {
    for await (const row of rows) {
      batch.push(row);
      bytes += row.kind === 'event' ? row.body.length : 0;
      if (batch.length < limits.rows && bytes < limits.bytes) continue;
      const full = batch;
      batch = [];
      bytes = 0;
      yield full;
    }
  } catch (error) {
    // The rows before the end of a damaged archive are good.
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}
