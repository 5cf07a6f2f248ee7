import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createZstdDecompress } from 'node:zlib';
import type { Database, Table } from '../../../base/store/database.ts';
import { INDEX_SCHEMA } from '../../../index/index-schema.ts';
import { JOURNAL } from '../../../ingest/journal/journal.ts';
import { METADATA_TABLES } from '../../../metadata/tables.ts';
import { SCHEMA_VERSION } from '../../storage/chain-binding.ts';
import type { JournalPlace } from '../../storage/generations.ts';
import { openJournalToFill } from '../../storage/storage.ts';
import { unmarkFinishedCopy } from '../../storage/unfinished-copy.ts';
import { digestTable } from '../compare.ts';
import { CopyRefused } from '../errors.ts';
import { countRows } from '../pages.ts';
import type { CopyPlace } from '../source.ts';
import { beginFilling, emptyTables, openIndexToFill, openMetadataToFill, using, whileFilling } from '../target.ts';
import type { SnapshotProgress } from './create.ts';
import {
  checkSnapshot,
  type PartName,
  rangeOf,
  type SnapshotHeader,
  type SnapshotPart,
  type SnapshotTable,
} from './header.ts';
import { type RowReader, rowReader } from './rows.ts';

interface RestoreOptions {
  readonly file: string;
  readonly to: CopyPlace;
  readonly onProgress: (progress: SnapshotProgress) => void;
  readonly signal: AbortSignal;
}

/**
 * Loads a snapshot into a place that is empty or holds an unfinished restore of the same file. The whole file is checked before anything is
 * written, and every table is read back and compared after it was. Until then nothing else opens the place. It can be stopped or killed at
 * any time: the next call goes on after the last row of each table.
 * @throws the reason of the signal; CopyRefused, DirectoryInUse, the two database errors
 */
export async function restoreSnapshot({ file, to, onProgress, signal }: RestoreOptions): Promise<SnapshotHeader> {
  const { header, digest } = await checkSnapshot(file, signal);
  refuseOtherVersions(header);
  const tell = meterOf(header, onProgress, signal);
  await whileFilling(to, async target => {
    await beginFilling(target, `snapshot ${digest}`);
    for (const part of header.parts) {
      await using(await openPart(part.name, target), async db => {
        const bytes = pipeline(createReadStream(file, rangeOf(header, part)), createZstdDecompress(), () => {});
        await fillPart(part, db, rowReader(bytes), tell).finally(() => bytes.destroy());
      });
    }
    await unmarkFinishedCopy(target.journalDb);
  });
  return header;
}

/** The tables of a part in this program. */
const TABLES: Readonly<Record<PartName, readonly Table[]>> = {
  index: INDEX_SCHEMA.tables,
  journal: [JOURNAL],
  metadata: METADATA_TABLES,
};

async function openPart(name: PartName, target: JournalPlace): Promise<Database> {
  switch (name) {
    case 'index':
      return openIndexToFill(target);
    case 'journal':
      return openJournalToFill(target).journalDb;
    case 'metadata':
      return openMetadataToFill(target);
    default:
      return name satisfies never;
  }
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
      if (!isDeepStrictEqual(TABLES[part.name]?.find(table => table.name === name)?.columns, columns))
        throw new CopyRefused(`the table ${name} of the snapshot is not the one of this program`, hint);
}

async function fillPart(part: SnapshotPart, db: Database, rows: RowReader, tell: Tell): Promise<void> {
  const all = TABLES[part.name];
  await db.create(all, { indexes: false });
  // What a server fetched in a place without a block is no part of the snapshot.
  if (part.name === 'metadata') await emptyTables(db, all);
  for (const table of part.tables) await fillTable(tableOf(all, table), db, rows, tell);
  for (const table of part.tables) await compareWithSnapshot(tableOf(all, table), table, db, tell);
  for (const table of all.filter(({ indexes }) => indexes)) {
    await tell('indexing', table.name, 0);
    await db.create([table]);
  }
}

function tableOf(tables: readonly Table[], { name }: SnapshotTable): Table {
  const table = tables.find(each => each.name === name);
  if (!table) throw new Error(`no table ${name}`); // refuseOtherVersions has looked
  return table;
}

/** Rows are written in their order, so those that are there already are the first ones. */
async function fillTable(table: Table, db: Database, rows: RowReader, tell: Tell): Promise<void> {
  let there = await db.read(queries => countRows(queries, table));
  for await (const page of rows.pages(table.columns)) {
    const missing = page.slice(there);
    there -= page.length - missing.length;
    if (missing.length > 0) await db.write(tx => tx.insertMany(table, missing));
    await tell('writing', table.name, page.length);
  }
}

async function compareWithSnapshot(table: Table, wanted: SnapshotTable, db: Database, tell: Tell): Promise<void> {
  const found = await db.read(queries => digestTable(queries, table, rows => tell('comparing', table.name, rows)));
  if (found.rows === wanted.rows && found.digest === wanted.digest) return;
  throw new CopyRefused(
    `the table ${table.name} is not what the snapshot has`,
    'Check the disk of the target, delete what it has, and restore again.',
  );
}

type Tell = (doing: SnapshotProgress['doing'], table: string, rows: number) => Promise<void>;

/** @returns a function that counts rows, and throws the reason of the signal */
function meterOf({ parts }: SnapshotHeader, onProgress: RestoreOptions['onProgress'], signal: AbortSignal): Tell {
  const tables = parts.flatMap(part => part.tables);
  const total = 2 * tables.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  return async (doing, table, rows) => {
    done += rows;
    onProgress({ doing, table, done, total });
    // On SQLite nothing else lets a signal in.
    await setImmediate();
    signal.throwIfAborted();
  };
}
