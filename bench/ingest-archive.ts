import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Table } from '../src/base/store/database.ts';
import { INDEX_SCHEMA } from '../src/index/index-schema.ts';
import { JOURNAL } from '../src/ingest/journal/entries.ts';
import type { Storage } from '../src/operate/storage/storage.ts';
import { type ArchiveCounts, countArchive, cutArchive } from './cut-archive.ts';
import type { IngestUse, PartUse } from './ingest-run.ts';
import type { Place, StoredBytes } from './place.ts';
import { runProgram } from './program.ts';
import { temporaryDirectory } from './temporary.ts';

/** The speed of ingesting a part of the transactions. */
export interface Rate {
  readonly perSecond: number;
  /** Microseconds of CPU for each transaction, without those of a database server. */
  readonly cpuMicros: number;
}

/** The cost of building an index. */
export interface Ingested extends ArchiveCounts {
  /** The time of only reading and parsing. */
  readonly ceilingSeconds: number;
  readonly seconds: number;
  readonly whole: Rate;
  readonly firstTenth: Rate;
  readonly lastTenth: Rate;
  readonly maxResidentBytes: number;
  /** Rows of all tables. */
  readonly rows: number;
  readonly bytes: StoredBytes;
}

/** Builds an index of an archive, or of its first transactions, in an empty place. */
export async function ingestArchive(archive: string, place: Place, limit?: number): Promise<Ingested> {
  const directory = temporaryDirectory();
  try {
    const started = performance.now();
    const counts = await countArchive(archive, limit);
    const ceilingSeconds = (performance.now() - started) / 1000;
    const { transactions } = counts;
    const tenth = Math.ceil(transactions / 10);
    const parts = await cutArchive(
      archive,
      [tenth, transactions - tenth, limit ?? Number.POSITIVE_INFINITY],
      directory.path,
    );
    const result = join(directory.path, 'use.json');
    await runProgram('bench/ingest-run.ts', [...parts, ...place.args, '--json', result]);
    const use = JSON.parse(readFileSync(result, 'utf8')) as IngestUse;
    const whole = addedUp(use.parts);
    const [first, , last] = use.parts;
    return {
      ...counts,
      ceilingSeconds,
      seconds: whole.seconds,
      whole: rateOf(transactions, whole),
      firstTenth: rateOf(tenth, first),
      lastTenth: rateOf(tenth, last),
      maxResidentBytes: use.maxResidentBytes,
      rows: await rowsOf(place),
      bytes: await place.bytes(),
    };
  } finally {
    directory.remove();
  }
}

const addedUp = (parts: readonly PartUse[]): PartUse => ({
  seconds: parts.reduce((sum, { seconds }) => sum + seconds, 0),
  cpuSeconds: parts.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
});

function rateOf(transactions: number, use: PartUse | undefined): Rate {
  const { seconds, cpuSeconds } = use ?? { seconds: Number.NaN, cpuSeconds: Number.NaN };
  return { perSecond: transactions / seconds, cpuMicros: (cpuSeconds * 1e6) / transactions };
}

async function rowsOf(place: Place): Promise<number> {
  const storage: Storage = await place.open();
  try {
    const count = (db: Storage['indexDb'], { name }: Table) =>
      db.read(async queries => (await queries.get<{ n: number }>(`SELECT count(*) AS n FROM ${name}`))?.n ?? 0);
    let rows = await count(storage.journalDb, JOURNAL);
    for (const table of INDEX_SCHEMA.tables) rows += await count(storage.indexDb, table);
    return rows;
  } finally {
    await storage.close();
  }
}
