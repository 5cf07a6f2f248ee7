import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createZstdCompress } from 'node:zlib';
import { systemMessage } from '../../../base/lib/system-message.ts';
import type { Database, Queries, Table } from '../../../base/store/database.ts';
import { INDEX_SCHEMA } from '../../../index/index-schema.ts';
import { readState } from '../../../ingest/indexer/index-state.ts';
import { JOURNAL } from '../../../ingest/journal/journal.ts';
import { METADATA_TABLES } from '../../../metadata/tables.ts';
import { readBinding } from '../../storage/chain-binding.ts';
import { CopyRefused } from '../errors.ts';
import { countRows, pagesOf } from '../pages.ts';
import { type CopyPlace, identityOf, openSource, tablesIn } from '../source.ts';
import { endOf, type PartName, type SnapshotHeader, type SnapshotPart, writeHeader } from './header.ts';
import { partialOf, removeLeftovers } from './partial.ts';
import { END_OF_TABLE, encodePage } from './rows.ts';

export interface SnapshotProgress {
  readonly doing: 'reading' | 'writing' | 'indexing' | 'comparing';
  readonly table: string;
  readonly done: number;
  readonly total: number;
}

interface CreateSnapshotOptions {
  readonly from: CopyPlace;
  readonly file: string;
  /** Version of this program. */
  readonly program: string;
  readonly onProgress: (progress: SnapshotProgress) => void;
  readonly signal: AbortSignal;
}

/**
 * Writes journal, current index and what was fetched about tokens to one file, also while they are served and events arrive: the
 * index as it is now, and a journal that has all that the index has applied. Images are not in it. The file appears under its name only
 * when it is complete and on the disk; until then it is FILE.PID.partial.
 * @throws the reason of the signal; CopyRefused, IndexMismatch, UnfinishedCopy, the two database errors
 */
export async function createSnapshot(options: CreateSnapshotOptions): Promise<SnapshotHeader> {
  const source = await openSource(options.from, { served: true });
  const temporary = partialOf(options.file);
  try {
    await removeLeftovers(options.file);
    const file = await open(temporary, 'wx', 0o600);
    try {
      const tell = await meterOf([source.indexDb, source.journalDb, source.metadataDb], options);
      const parts: SnapshotPart[] = [];
      const add = async (name: PartName, queries: Queries, tables: readonly Table[]) => {
        const output = { path: temporary, start: endOf(parts) };
        parts.push(await writePart({ name, queries, tables, output, tell }));
      };
      const indexTables = await tablesIn(source.indexDb, INDEX_SCHEMA.tables);
      // The index first: the journal, read later, has all that the index knows.
      const index = await source.indexDb.read(async queries => {
        await identityOf(queries, source);
        await add('index', queries, indexTables);
        return { ...(await readBinding(queries)), ...(await readState(queries)) };
      });
      await source.journalDb.read(queries => add('journal', queries, [JOURNAL]));
      const { metadataDb } = source;
      if (metadataDb) {
        const tables = await tablesIn(metadataDb, METADATA_TABLES);
        await metadataDb.read(queries => add('metadata', queries, tables));
      }
      const header: SnapshotHeader = {
        program: options.program,
        schemaVersion: index.schemaVersion ?? 0,
        chainId: index.chainId ?? 0,
        createdAt: new Date().toISOString(),
        tip: index.tip && { height: index.tip.height, indexBlockHash: index.tip.indexBlockHash },
        position: index.position,
        journalLength: parts.find(({ name }) => name === 'journal')?.tables[0]?.rows ?? 0,
        parts,
      };
      await writeHeader(file, header);
      await file.sync();
      await rename(temporary, options.file);
      await syncDirectory(dirname(options.file));
      return header;
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(temporary, { force: true });
    throw isOfFileSystem(error) ? notWritten(options.file, error) : error;
  } finally {
    await source.close();
  }
}

interface PartToWrite {
  readonly name: PartName;
  readonly queries: Queries;
  readonly tables: readonly Table[];
  readonly output: { readonly path: string; readonly start: number };
  readonly tell: Tell;
}

async function writePart({ name, queries, tables, output, tell }: PartToWrite): Promise<SnapshotPart> {
  const written: SnapshotPart['tables'][number][] = [];
  async function* rowsOfTables(): AsyncGenerator<Uint8Array> {
    for (const table of tables) {
      const hash = createHash('sha256');
      let rows = 0;
      for await (const page of pagesOf(queries, table)) {
        const { head, values } = encodePage(page);
        hash.update(values);
        yield head;
        yield values;
        rows += page.length;
        await tell(table, page.length);
      }
      yield END_OF_TABLE;
      written.push({ name: table.name, columns: table.columns, rows, digest: hash.digest('hex') });
    }
  }
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(
    Readable.from(rowsOfTables()),
    createZstdCompress(),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(output.path, { flags: 'r+', start: output.start }),
  );
  return { name, bytes, sha256: hash.digest('hex'), tables: written };
}

type Tell = (table: Table, rows: number) => Promise<void>;

/** @returns a function that counts rows, and throws the reason of the signal */
async function meterOf(
  [index, journal, metadata]: readonly [Database, Database, Database | undefined],
  { onProgress, signal }: CreateSnapshotOptions,
): Promise<Tell> {
  let total = 0;
  const count = async (db: Database, tables: readonly Table[]) => {
    const present = await tablesIn(db, tables);
    await db.read(async queries => {
      for (const table of present) total += await countRows(queries, table);
    });
  };
  await count(index, INDEX_SCHEMA.tables);
  await count(journal, [JOURNAL]);
  if (metadata) await count(metadata, METADATA_TABLES);
  let done = 0;
  return async ({ name }, rows) => {
    done += rows;
    onProgress({ doing: 'reading', table: name, done, total });
    // On SQLite nothing else lets a signal in.
    await setImmediate();
    signal.throwIfAborted();
  };
}

const isOfFileSystem = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error;

const notWritten = (file: string, cause: NodeJS.ErrnoException): CopyRefused =>
  new CopyRefused(`${file} cannot be written: ${systemMessage(cause)}`, 'Name a file where there is room for it.', {
    cause,
  });

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  await directory.sync().finally(() => directory.close());
}
