import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { simulatedChain } from '../../bench/simulated/chain.ts';
import { PROFILES } from '../../bench/simulated/profiles.ts';
import type { Database, DatabaseTransaction, Queries, Table } from '../../src/base/store/database.ts';
import { createSql } from '../../src/base/store/ddl.ts';
import { INDEX_SCHEMA } from '../../src/index/index-schema.ts';
import type { ArchivedEvent } from '../../src/ingest/node/archive/row.ts';
import { onEveryEngine, openFreshOf } from '../support/engines.ts';
import { openTestIndex } from '../support/test-index.ts';

const SAMPLE = join(import.meta.dirname, '../../examples/sample-chain.tsv.gz');
/** Blocks as mainnet has them, on few contracts: those of the first blocks are no small ones. */
const PROFILE = { ...PROFILES.nakamoto, fungibleTokens: 20, collections: 5, leastPrincipals: 200 };
const BLOCKS = { before: 100, measured: 300 };

/** What a block of one to three transactions may take. */
const MOST = {
  /** Statements that are waited for: each is a way to the server and back, on PostgreSQL. */
  waits: 1,
  /** Calls that write rows of a table: one for rows of many blocks. */
  writes: 0.6,
  /** Rows that are written. */
  rows: 51,
  /** Bytes of the rows of index and journal, without what lies between them; of a chain that is so short. */
  bytes: 6_200,
};

/** The indexer's statements while it writes. */
interface Work {
  waits: number;
  writes: number;
  rows: number;
  readonly texts: Set<string>;
}

/** The same database, which counts the work in its `write`. */
function counting(db: Database, work: Work): Database {
  const read = (queries: Queries): Queries => ({
    all: (sql, params) => {
      work.waits++;
      work.texts.add(sql);
      return queries.all(sql, params);
    },
    get: (sql, params) => {
      work.waits++;
      work.texts.add(sql);
      return queries.get(sql, params);
    },
  });
  const written = (tx: DatabaseTransaction): DatabaseTransaction => ({
    ...read(tx),
    run: (sql, params) => {
      work.waits++;
      work.texts.add(sql);
      return tx.run(sql, params);
    },
    find: (table, keys) => {
      work.waits++;
      return tx.find(table, keys);
    },
    insertMany: (table, rows) => {
      work.writes++;
      work.rows += rows.length;
      return tx.insertMany(table, rows);
    },
    upsertMany: (table, rows) => {
      work.writes++;
      work.rows += rows.length;
      return tx.upsertMany(table, rows);
    },
    deleteMany: (table, keys) => {
      work.writes++;
      work.rows += keys.length;
      return tx.deleteMany(table, keys);
    },
  });
  return { ...db, write: run => db.write(tx => run(written(tx))) };
}

async function eventsOf(blocks: number): Promise<ArchivedEvent[]> {
  const events: ArchivedEvent[] = [];
  for await (const event of simulatedChain({ profile: PROFILE, blocks, seed: 'cost' })) events.push(event);
  return events;
}

/** Bytes of all rows, of SQLite. */
async function bytesOfRows(db: Database): Promise<number> {
  const row = await db.read(queries => queries.get<{ bytes: number }>('SELECT sum(payload) AS bytes FROM dbstat'));
  return row?.bytes ?? 0;
}

/** All that a flag marks, or a whole table, unless the statement ends with the first row of it. */
const isWhole = (step: string, sql: string): boolean =>
  (/\((connected|canonical)=\?\)$/.test(step) || /^SCAN (?!\d* ?CONSTANT)/.test(step)) &&
  (!/\bLIMIT 1$/.test(sql) || /\bJOIN\b/.test(sql));

/** Such steps of SQLite's plans. */
async function stepsWithoutEnd(db: Database, texts: ReadonlySet<string>): Promise<string[]> {
  const steps: string[] = [];
  for (const sql of texts) {
    if (!/^(SELECT (?!min\()|UPDATE|DELETE)/.test(sql.trim())) continue;
    const plan = await db.read(queries => queries.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`));
    for (const { detail } of plan) if (isWhole(detail, sql)) steps.push(`${detail}: ${sql}`);
  }
  return steps;
}

/** Plans of SQLite that use an index which a filled database gets at its end (Table.readIndexes). */
async function plansWithLateIndexes(db: Database, texts: ReadonlySet<string>): Promise<string[]> {
  const late = new Set(INDEX_SCHEMA.tables.flatMap(lateIndexesOf));
  const found: string[] = [];
  for (const sql of texts) {
    if (!/^(SELECT|UPDATE|DELETE)/.test(sql.trim())) continue;
    const plan = await db.read(queries => queries.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`));
    for (const { detail } of plan) {
      const index = / USING (?:COVERING )?INDEX (\w+)/.exec(detail)?.[1];
      if (index !== undefined && late.has(index)) found.push(`${detail}: ${sql}`);
    }
  }
  return found;
}

const lateIndexesOf = ({ readIndexes = [], ...table }: Table): string[] =>
  createSql([{ ...table, indexes: readIndexes }], 'sqlite')
    .slice(1)
    .map(({ name }) => name);

test('no statement of the indexer uses an index that a filled database gets at its end', async t => {
  const { database } = await openFreshOf.sqlite(t);
  const work: Work = { waits: 0, writes: 0, rows: 0, texts: new Set() };
  const index = await openTestIndex(counting(database, work));
  await index.replay(SAMPLE);
  await index.journal.append(await eventsOf(BLOCKS.before));
  await index.indexer.catchUp();
  assert.ok(INDEX_SCHEMA.tables.flatMap(lateIndexesOf).length > 10);
  assert.ok(work.texts.size > 20);
  assert.deepEqual(await plansWithLateIndexes(database, work.texts), []);
});

onEveryEngine((engine, openFresh) => {
  test(`a small block takes few statements, rows and bytes, and none looks at the whole chain (${engine})`, async t => {
    const { database } = await openFresh(t);
    const work: Work = { waits: 0, writes: 0, rows: 0, texts: new Set() };
    const index = await openTestIndex(counting(database, work));
    const events = await eventsOf(BLOCKS.before + BLOCKS.measured);
    await index.journal.append(events.slice(0, BLOCKS.before));
    await index.indexer.catchUp();
    const before = { ...work, bytes: engine === 'sqlite' ? await bytesOfRows(database) : 0 };
    await index.journal.append(events.slice(BLOCKS.before));
    const { tip } = await index.indexer.catchUp();
    assert.equal(tip?.height, BLOCKS.before + BLOCKS.measured);
    const bytes = engine === 'sqlite' ? await bytesOfRows(database) : 0;
    const blocks = events.length - BLOCKS.before;
    const taken = {
      waits: (work.waits - before.waits) / blocks,
      writes: (work.writes - before.writes) / blocks,
      rows: (work.rows - before.rows) / blocks,
      bytes: (bytes - before.bytes) / blocks,
    };
    t.diagnostic(JSON.stringify(taken));
    for (const what of ['waits', 'writes', 'rows', 'bytes'] as const)
      assert.ok(taken[what] <= MOST[what], `${taken[what]} ${what} a block; ${MOST[what]} are allowed`);
    if (engine === 'sqlite') assert.deepEqual(await stepsWithoutEnd(database, work.texts), []);
  });
});
