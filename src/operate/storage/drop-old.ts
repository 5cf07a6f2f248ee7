import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../base/lib/app-error.ts';
import { quoteName } from '../../base/store/ddl.ts';
import { postgresLocks, postgresUrl } from '../../base/store/open.ts';
import { sqliteError } from '../../base/store/sqlite-errors.ts';
import { SCHEMA_VERSION } from './chain-binding.ts';
import {
  dropBesideJournal,
  dropSchema,
  INDEX_GENERATION,
  type JournalPlace,
  removeFiles,
  schemaOf,
} from './generations.ts';
import { holdNameOf } from './holds.ts';
import { whileReindexing } from './locks.ts';
import { hasOwn, type OtherIndex, otherIndexes } from './other-indexes.ts';
import { NoIndex } from './storage.ts';

/** An index that was removed. */
export interface DroppedIndex {
  /** Its file or schema. */
  readonly name: string;
  readonly bytes: number;
}

/**
 * Removes the indexes of other releases, and the records of their current ones: afterwards such a release begins with a new index. Journal, metadata, webhooks and
 * the index of this release stay.
 * @param onDropped called for each index after its removal
 * @throws OldIndexInUse if a process uses one; indexes removed before stay removed. NoIndex while this release has no index of its own; ReindexRunning
 */
export async function dropOldIndexes(place: JournalPlace, onDropped: (dropped: DroppedIndex) => void): Promise<void> {
  await whileReindexing(place, async () => {
    if (!(await hasOwn(place))) throw new NoIndex();
    for (const index of await otherIndexes(place)) {
      const { location } = index;
      const dropped =
        location.kind === 'sqlite'
          ? dropFile(location.file)
          : await dropTables(place, index, location.schema ?? (await schemaOf(place)));
      onDropped(dropped);
    }
    await dropPointers(place);
  });
}

/** @throws OldIndexInUse */
function dropFile(file: string): DroppedIndex {
  const bytes = ['', '-wal'].reduce((sum, suffix) => sum + sizeOf(file + suffix), 0);
  let alone: DatabaseSync | undefined;
  try {
    // Every process that uses the file, even a reader, holds a lock that excludes this one.
    alone = new DatabaseSync(file);
    alone.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    removeFiles(file);
  } catch (error) {
    // A damaged file is removed below.
    if (sqliteError(error).code === 'BUSY') throw new OldIndexInUse(basename(file));
  } finally {
    alone?.close();
  }
  removeFiles(file); // including files that the last connection wrote when it closed
  return { name: basename(file), bytes };
}

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);

/** @throws OldIndexInUse */
async function dropTables(
  place: JournalPlace,
  { series, generation }: OtherIndex,
  schema: string,
): Promise<DroppedIndex> {
  const own = await schemaOf(place);
  const bytes = await sizeOfSchema(place, schema);
  const { whileAlone } = await postgresLocks();
  const isDropped = await whileAlone(postgresUrl(place.database ?? ''), holdNameOf(own, series, generation), () =>
    schema === own ? dropBesideJournal(place) : dropSchema(place, schema),
  );
  if (!isDropped) throw new OldIndexInUse(schema);
  return { name: schema, bytes: bytes - (schema === own ? await sizeOfSchema(place, schema) : 0) };
}

async function sizeOfSchema({ journalDb }: JournalPlace, schema: string): Promise<number> {
  const sql = `SELECT CAST(coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bigint) AS bytes
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relkind = 'r'`;
  const row = await journalDb.read(queries => queries.get<{ bytes: number }>(sql, [schema]));
  return Number(row?.bytes ?? 0);
}

async function dropPointers({ data, database, journalDb }: JournalPlace): Promise<void> {
  if (database === undefined) {
    const isOther = (name: string) => /^index\.current(?:\.\d+)?$/.test(name) && !name.endsWith(`.${SCHEMA_VERSION}`);
    for (const name of readdirSync(data).filter(isOther)) rmSync(join(data, name), { force: true });
    return;
  }
  await journalDb.create([INDEX_GENERATION]);
  await journalDb.write(async tx => {
    await tx.run(`DELETE FROM ${quoteName(INDEX_GENERATION.name)} WHERE name <> ?`, [`current.${SCHEMA_VERSION}`]);
  });
}

/** A process uses the index of another release. */
export class OldIndexInUse extends AppError {
  override readonly name = 'OldIndexInUse';
  override readonly kind = 'operator';

  constructor(index: string) {
    super(`another process uses ${index}, the index of another release`, {
      hint: 'Stop the processes of that release first: they go on with this index.',
    });
  }
}
