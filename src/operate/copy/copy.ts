import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Queries, Table } from '../../base/store/database.ts';
import type { JournalPlace } from '../storage/generations.ts';
import { unmarkFinishedCopy } from '../storage/unfinished-copy.ts';
import { compareTable, type TableComparison } from './compare.ts';
import { countRows, lastKey, pagesOf } from './pages.ts';
import { type Meter, type MeterOptions, meterOf, type Part, partsOf, rowTotal } from './parts.ts';
import { type CopyLocation, type CopySource, identityOf, openSource } from './source.ts';
import { beginFilling, createIndexes, createTables, openPart, using, whileFilling } from './target.ts';

interface CopyOptions extends MeterOptions {
  readonly from: CopyLocation;
  readonly to: CopyLocation;
  /** Called for every table after its comparison. */
  readonly onCompared: (comparison: TableComparison) => void;
}

export interface Copied {
  /** Names of the tables that are not the same on both sides: then the target is no copy. */
  readonly differing: readonly string[];
  /** The directory of images that were not copied, as PostgreSQL holds none. */
  readonly imagesLeft: string | undefined;
}

/**
 * Copies the journal, the current index and the token metadata to a target that is empty or holds an unfinished copy of the same
 * source; then reads both sides again and compares them. Until they are found equal, no other command opens the target. The copy can
 * be stopped or killed at any time: the next call continues after the last row of each table.
 * @throws the reason of the signal; CopyRefused, DirectoryInUse, IndexMismatch, UnfinishedCopy (the source), the two database errors
 */
export async function copyEverything(options: CopyOptions): Promise<Copied> {
  const source = await openSource(options.from);
  try {
    const parts = await partsOf(source);
    const meter = meterOf(2 * (await rowTotal(parts)), options);
    const differing: string[] = [];
    let imagesLeft: string | undefined;
    await whileFilling(options.to, async target => {
      const copying: Copying = { source, target, meter, onCompared: options.onCompared };
      for (const part of parts) differing.push(...(await copyPart(part, copying)));
      if (differing.length > 0) return;
      imagesLeft = await copyImages(options.from, options.to);
      await unmarkFinishedCopy(target.journalDb);
    });
    return { differing, imagesLeft };
  } finally {
    await source.close();
  }
}

interface Copying extends Pick<CopyOptions, 'onCompared'> {
  readonly source: CopySource;
  readonly target: JournalPlace;
  readonly meter: Meter;
}

/** Copies and compares one part in a snapshot of the source. @returns the names of the tables that differ */
async function copyPart({ name, db, present }: Part, copying: Copying): Promise<string[]> {
  const { source, target, meter } = copying;
  const differing = await db.read(async queries => {
    if (name === 'index') await beginFilling(target, await identityOf(queries, source));
    return using(await openPart(name, target), async copy => {
      await createTables(name, copy);
      for (const table of present) await copyRows(table, queries, copy, meter);
      return differingTables(present, queries, copy, copying);
    });
  });
  if (differing.length === 0) await using(await openPart(name, target), copy => createIndexes(name, copy, meter));
  return differing;
}

async function differingTables(
  tables: readonly Table[],
  source: Queries,
  target: Database,
  { meter, onCompared }: Copying,
): Promise<string[]> {
  const differing: string[] = [];
  for (const table of tables) {
    const comparison = await compareTable(table, source, target, rows => meter('comparing', table, rows));
    onCompared(comparison);
    if (!comparison.same) differing.push(table.name);
  }
  return differing;
}

/** Writes rows in the order of the key, so that a later run continues after the last row. */
async function copyRows(table: Table, source: Queries, target: Database, meter: Meter): Promise<void> {
  const { last, rows } = await target.read(async queries => ({
    last: await lastKey(queries, table),
    rows: await countRows(queries, table),
  }));
  await meter('copying', table, rows);
  for await (const page of pagesOf(source, table, last)) {
    await target.write(tx => tx.insertMany(table, page));
    await meter('copying', table, page.length);
  }
}

const IMAGES = 'images';

/** The directory of images of a place, if it has one. */
function imagesOf({ data, database }: CopyLocation): string | undefined {
  const directory = join(data, IMAGES);
  return database === undefined && existsSync(directory) ? directory : undefined;
}

/**
 * Copies the images of tokens from a directory to a directory.
 * @returns the directory where they stay if the target is PostgreSQL, which holds none
 */
async function copyImages(from: CopyLocation, to: CopyLocation): Promise<string | undefined> {
  const images = imagesOf(from);
  if (images === undefined) return undefined;
  if (to.database !== undefined) return images;
  await cp(images, join(to.data, IMAGES), { recursive: true, filter: path => !path.endsWith('.partial') });
  return undefined;
}
