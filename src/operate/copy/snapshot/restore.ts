import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { createZstdDecompress } from 'node:zlib';
import type { Database, Table } from '../../../base/store/database.ts';
import { SCHEMA_VERSION } from '../../storage/chain-binding.ts';
import { unmarkFinishedCopy } from '../../storage/unfinished-copy.ts';
import { digestTable } from '../compare.ts';
import { countRows } from '../pages.ts';
import { type Meter, type MeterOptions, meterOf, TABLES_OF_PART } from '../parts.ts';
import { type CopyLocation, CopyRefused } from '../source.ts';
import { beginFilling, createIndexes, createTables, openPart, using, whileFilling } from '../target.ts';
import { checkSnapshot, rangeOf, type SnapshotHeader, type SnapshotPart, type SnapshotTable } from './header.ts';
import { type RowReader, rowReader } from './rows.ts';

interface RestoreOptions extends MeterOptions {
  readonly file: string;
  readonly to: CopyLocation;
}

/**
 * Loads a snapshot into a place that is empty or holds an unfinished restore of the same file. The whole file is checked before anything is
 * written, and every table is read back and compared after it was. Until then nothing else opens the place. It can be stopped or killed at
 * any time: the next call goes on after the last row of each table.
 * @throws the reason of the signal; CopyRefused, DirectoryInUse, the two database errors
 */
export async function restoreSnapshot({ file, to, ...options }: RestoreOptions): Promise<SnapshotHeader> {
  const { header, digest } = await checkSnapshot(file, options.signal);
  refuseOtherVersions(header);
  const rows = header.parts.flatMap(({ tables }) => tables).reduce((sum, table) => sum + table.rows, 0);
  const meter = meterOf(2 * rows, options);
  await whileFilling(to, async target => {
    await beginFilling(target, `snapshot ${digest}`);
    for (const part of header.parts) {
      await using(await openPart(part.name, target), async db => {
        const bytes = pipeline(createReadStream(file, rangeOf(header, part)), createZstdDecompress(), () => {});
        await fillPart(part, db, rowReader(bytes), meter).finally(() => bytes.destroy());
      });
    }
    await unmarkFinishedCopy(target.journalDb);
  });
  return header;
}

function refuseOtherVersions({ program, schemaVersion, parts }: SnapshotHeader): void {
  const hint = `Restore it with stacks-index ${program}, then update and run stacks-index reindex; or make a new snapshot with this version.`;
  if (schemaVersion !== SCHEMA_VERSION)
    throw new CopyRefused(
      `the snapshot has schema version ${schemaVersion}; this program needs ${SCHEMA_VERSION}`,
      hint,
    );
  for (const part of parts)
    for (const { name, columns } of part.tables)
      if (!isDeepStrictEqual(TABLES_OF_PART[part.name]?.find(table => table.name === name)?.columns, columns))
        throw new CopyRefused(`the table ${name} of the snapshot is not the one of this program`, hint);
}

async function fillPart(part: SnapshotPart, db: Database, rows: RowReader, meter: Meter): Promise<void> {
  await createTables(part.name, db);
  for (const table of part.tables) await fillTable(tableOf(part, table), db, rows, meter);
  for (const table of part.tables) await compareWithSnapshot(tableOf(part, table), table, db, meter);
  await createIndexes(part.name, db, meter);
}

function tableOf(part: SnapshotPart, { name }: SnapshotTable): Table {
  const table = TABLES_OF_PART[part.name].find(each => each.name === name);
  if (!table) throw new Error(`no table ${name}`); // refuseOtherVersions has looked
  return table;
}

/** Rows are written in their order, so those that are there already are the first ones. */
async function fillTable(table: Table, db: Database, rows: RowReader, meter: Meter): Promise<void> {
  let there = await db.read(queries => countRows(queries, table));
  for await (const page of rows.pages(table.columns)) {
    const missing = page.slice(there);
    there -= page.length - missing.length;
    if (missing.length > 0) await db.write(tx => tx.insertMany(table, missing));
    await meter('writing', table, page.length);
  }
}

async function compareWithSnapshot(table: Table, wanted: SnapshotTable, db: Database, meter: Meter): Promise<void> {
  const found = await db.read(queries => digestTable(queries, table, rows => meter('comparing', table, rows)));
  if (found.rows === wanted.rows && found.digest === wanted.digest) return;
  throw new CopyRefused(
    `the table ${table.name} is not what the snapshot has`,
    'Check the disk of the target, delete what it has, and restore again.',
  );
}
