import type { Database, Table } from '../../../base/store/database.ts';
import { SCHEMA_VERSION } from '../../storage/chain-binding.ts';
import { unmarkFinishedCopy } from '../../storage/unfinished-copy.ts';
import { digestTable } from '../compare.ts';
import { countRows } from '../pages.ts';
import { type Meter, type MeterOptions, meterOf } from '../parts.ts';
import { type CopyLocation, CopyRefused } from '../source.ts';
import { beginFilling, createIndexes, createTables, openPart, using, whileFilling } from '../target.ts';
import { checkContents, type DescribedTable, readPart, tablesOf, versionHint } from './contents.ts';
import { checkSnapshot, type SnapshotHeader } from './header.ts';
import type { RowReader } from './rows.ts';

interface RestoreOptions extends MeterOptions {
  readonly file: string;
  readonly to: CopyLocation;
}

/**
 * Loads a snapshot into a place that is empty or holds an unfinished restore of the same file. Checks the whole file before it writes
 * anything, and reads back and compares every table after writing. Until then no other command opens the place. It can be stopped or
 * killed at any time: the next call continues after the last row of each table.
 * @throws the reason of the signal; CopyRefused, DirectoryInUse, the two database errors
 */
export async function restoreSnapshot({ file, to, ...options }: RestoreOptions): Promise<SnapshotHeader> {
  const { header, digest } = await checkSnapshot(file, options.signal);
  requireSchema(header);
  const rows = header.parts.flatMap(({ tables }) => tables).reduce((sum, table) => sum + table.rows, 0);
  const meter = meterOf(3 * rows, options);
  const snapshot = { file, header };
  await checkContents(snapshot, meter);
  await whileFilling(to, async target => {
    await beginFilling(target, `snapshot ${digest}`);
    for (const part of header.parts)
      await using(await openPart(part.name, target), async db => {
        const tables = tablesOf(snapshot, part);
        await createTables(part.name, db);
        await readPart(snapshot, part, async reader => {
          for (const { table } of tables) await fillTable(table, db, reader, meter);
        });
        for (const each of tables) await compareWithSnapshot(each, db, meter);
        await createIndexes(part.name, db, meter);
      });
    await unmarkFinishedCopy(target.journalDb);
  });
  return header;
}

/** @throws CopyRefused for a snapshot of another schema version */
export function requireSchema(header: SnapshotHeader): void {
  if (header.schemaVersion !== SCHEMA_VERSION)
    throw new CopyRefused(
      `the snapshot has schema version ${header.schemaVersion}; this program needs ${SCHEMA_VERSION}`,
      versionHint(header),
    );
}

/** Writes rows in their order, so existing rows are the first ones of the table. */
async function fillTable(table: Table, db: Database, reader: RowReader, meter: Meter): Promise<void> {
  let there = await db.read(queries => countRows(queries, table));
  for await (const { rows } of reader.pages(table.columns)) {
    const missing = rows.slice(there);
    there -= rows.length - missing.length;
    if (missing.length > 0) await db.write(tx => tx.insertMany(table, missing));
    await meter('writing', table, rows.length);
  }
}

async function compareWithSnapshot({ table, described }: DescribedTable, db: Database, meter: Meter): Promise<void> {
  const found = await db.read(queries => digestTable(queries, table, rows => meter('comparing', table, rows)));
  if (found.rows === described.rows && found.digest === described.digest) return;
  throw new CopyRefused(
    `the table ${table.name} is not what the snapshot has`,
    'Check the disk of the target, delete what it has, and restore again.',
  );
}
