import { createHash } from 'node:crypto';
import type { Database, Queries, Table } from '../../base/store/database.ts';
import { growingBuffer, writeField } from '../../base/store/postgres-binary.ts';
import { pagesOf } from './pages.ts';

/** A digest of the rows of a table: equal for equal rows. */
export interface TableDigest {
  readonly rows: number;
  /** SHA-256 of all values in the order of the key, as hex. */
  readonly digest: string;
}

export interface TableComparison {
  readonly table: string;
  readonly source: TableDigest;
  readonly target: TableDigest;
  readonly same: boolean;
}

/** Reads a table on both sides to its end. @param onRows called with rows of the source */
export async function compareTable(
  table: Table,
  source: Queries,
  target: Database,
  onRows: (rows: number) => Promise<void>,
): Promise<TableComparison> {
  const [ofSource, ofTarget] = await Promise.all([
    digestTable(source, table, onRows),
    target.read(queries => digestTable(queries, table, async () => {})),
  ]);
  const same = ofSource.rows === ofTarget.rows && ofSource.digest === ofTarget.digest;
  return { table: table.name, source: ofSource, target: ofTarget, same };
}

/** Reads a table to its end. @param onRows called with its rows */
export async function digestTable(
  queries: Queries,
  table: Table,
  onRows: (rows: number) => Promise<void>,
): Promise<TableDigest> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of pagesOf(queries, table)) {
    const values = growingBuffer();
    for (const row of page) for (const value of row) writeField(values, value);
    hash.update(values.result());
    rows += page.length;
    await onRows(page.length);
  }
  return { rows, digest: hash.digest('hex') };
}
