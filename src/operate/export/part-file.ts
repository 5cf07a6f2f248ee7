import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { completePartial, partialOf } from '../../base/lib/partial-file.ts';
import type { ExportColumns } from './columns.ts';
import type { ExportPage } from './exported-list.ts';
import { parquetEncoder } from './formats/parquet.ts';
import type { RowEncoder } from './formats/row-encoder.ts';
import { csvEncoder, ndjsonEncoder } from './formats/text.ts';
import type { ExportFormat } from './names.ts';

/** A file of rows, as it was written. */
export interface WrittenFile {
  readonly rows: number;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

interface PartFile {
  readonly path: string;
  readonly format: ExportFormat;
  readonly columns: ExportColumns;
  /** The program and its version. */
  readonly program: string;
  readonly signal: AbortSignal;
  /** @param rows in the file so far */
  readonly onPage: (share: number, rows: number) => void;
}

/**
 * Writes pages to a file, which appears under its name when it is complete and on the disk. Holds a page in memory, and for Parquet a group of rows.
 * @throws the reason of the signal, errors of the file system and of reading
 */
export async function writePartFile(
  { path, format, columns, program, signal, onPage }: PartFile,
  pages: AsyncIterable<ExportPage>,
): Promise<WrittenFile> {
  const hash = createHash('sha256');
  let rows = 0;
  let bytes = 0;
  const file = await open(partialOf(path), 'w');
  const write = async (chunk: Uint8Array) => {
    if (chunk.length === 0) return;
    hash.update(chunk);
    bytes += chunk.length;
    await file.writeFile(chunk); // from where the last one ended
  };
  try {
    const encoder = encoderOf(format, columns, program);
    for await (const page of pages) {
      await write(encoder.add(page.rows));
      rows += page.rows.length;
      onPage(page.share, rows);
      await setImmediate(); // signals arrive between turns of the event loop
      signal.throwIfAborted();
    }
    await write(encoder.end());
    await file.sync();
  } catch (error) {
    await rm(partialOf(path), { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await completePartial(path);
  return { rows, bytes, sha256: hash.digest('hex') };
}

function encoderOf(format: ExportFormat, columns: ExportColumns, program: string): RowEncoder {
  switch (format) {
    case 'parquet':
      return parquetEncoder(columns, program);
    case 'ndjson':
      return ndjsonEncoder(columns);
    case 'csv':
      return csvEncoder(columns);
    default:
      return format satisfies never;
  }
}
