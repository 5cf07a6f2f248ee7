import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onEveryEngine, onSqliteAtLeast } from '../../../test/support/engines.ts';
import { openPlace } from '../../../test/support/places.ts';
import { TESTNET } from '../../../test/support/test-index.ts';
import type { Database } from '../../base/store/database.ts';
import { createIndexSql } from '../../base/store/ddl.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { META } from '../../ingest/indexer/tables.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { bindChain } from './chain-binding.ts';
import { currentGeneration } from './generations.ts';
import { hasLate, makeLate } from './late-indexes.ts';
import { reindex } from './reindex.ts';
import {
  type OpenIndex,
  openIndex,
  openIndexToRead,
  openJournal,
  openJournalToRead,
  openStorage,
  type StorageLocation,
  UnfinishedIndex,
} from './storage.ts';

const namesOf = (all: boolean): string[] =>
  INDEX_SCHEMA.tables.flatMap(({ readIndexes, ...table }) =>
    createIndexSql(all && readIndexes ? { ...table, readIndexes } : table).map(
      sql => /INDEX IF NOT EXISTS "(\w+)"/.exec(sql)?.[1] ?? sql,
    ),
  );
const [ALL, NEEDED] = [namesOf(true).length, namesOf(false).length];
const NAMES = new Set(namesOf(true));

const LISTED = {
  sqlite: `SELECT name FROM sqlite_schema WHERE type = 'index'`,
  postgres: 'SELECT indexname AS name FROM pg_indexes WHERE schemaname = current_schema()',
};

/** How many of the declared indexes a database has. */
async function indexesIn(db: Database): Promise<number> {
  const rows = await db.read(queries => queries.all<{ name: string }>(LISTED[db.engine]));
  return rows.filter(({ name }) => NAMES.has(name)).length;
}

async function readable(place: StorageLocation, t: TestContext): Promise<OpenIndex> {
  const journal = await openJournalToRead(place);
  t.after(() => journal.journalDb.close());
  return openIndexToRead(journal);
}

onEveryEngine((engine, openFresh) => {
  test(`an index that is filled gets the indexes of readers at the end, and no reader opens it before (${engine})`, async t => {
    assert.ok(NEEDED < ALL);
    const place = await openPlace(openFresh, t);
    const first = await openStorage({ ...place, isFilled: true });
    assert.equal(await indexesIn(first.indexDb), NEEDED);
    await first.close();
    await assert.rejects(readable(place, t), UnfinishedIndex);

    const again = await openStorage({ ...place, isFilled: true });
    assert.equal(await indexesIn(again.indexDb), NEEDED, 'one that continues does not make them either');
    const seen: string[] = [];
    await makeLate(again.indexDb, table => seen.push(table));
    assert.equal(await indexesIn(again.indexDb), ALL);
    assert.ok(seen.length > 5 && new Set(seen).size === seen.length);
    await again.close();
    await (await readable(place, t)).close();
  });

  test(`an index whose filling was cut short is completed by the next process that opens it to write (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await (await openStorage({ ...place, isFilled: true })).close();
    const seen: string[] = [];
    const second = await openStorage(place, table => seen.push(table));
    assert.equal(await indexesIn(second.indexDb), ALL);
    assert.ok(seen.length > 0);
    assert.equal(await second.indexDb.read(hasLate), false);
    await second.close();
    await (await readable(place, t)).close();
  });
});

onSqliteAtLeast((engine, openFresh) => {
  test(`a stop ends the making of indexes behind the table at work; the next process makes the others (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const first = await openStorage({ ...place, isFilled: true });
    const stop = new AbortController();
    const seen: string[] = [];
    const onLate = (table: string) => {
      seen.push(table);
      setImmediate(() => stop.abort()); // as a signal of the system comes: when the event loop turns
    };
    await makeLate(first.indexDb, onLate, stop.signal);
    assert.equal(seen.length, 1);
    await first.close();
    await assert.rejects(readable(place, t), UnfinishedIndex);

    const again = await openStorage({ ...place, isFilled: true });
    await makeLate(again.indexDb);
    assert.equal(await indexesIn(again.indexDb), ALL);
    await again.close();
    await (await readable(place, t)).close();
  });

  test(`an index that is to be filled has its mark as soon as it has its schema version (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([META]);
    await bindChain(database, TESTNET, { isFilled: true });
    assert.equal(await database.read(hasLate), true);
    await database.write(tx => tx.run('DELETE FROM meta'));
    await bindChain(database, TESTNET);
    await bindChain(database, TESTNET, { isFilled: true });
    assert.equal(await database.read(hasLate), false, 'one that others may read already gets none');
  });

  test(`an index that others may read already keeps all its indexes when it is opened to be filled (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await (await openStorage(place)).close();
    const filled = await openStorage({ ...place, isFilled: true });
    assert.equal(await indexesIn(filled.indexDb), ALL);
    await filled.close();
    await (await readable(place, t)).close();
  });

  test(`an index that reindex makes the current one has all indexes; one that it leaves unfinished has not (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const storage = await openStorage(place);
    const chain = new ChainBuilder('late');
    const burn = chain.burnBlock();
    await new Journal(storage.journalDb).append([burn.delivery, chain.block({ burn }).delivery]);
    await storage.close();
    const journal = await openJournal(place);
    t.after(() => journal.journalDb.close());
    const build = (signal: AbortSignal) =>
      reindex({ place: journal, chainId: place.chainId, logger: pino({ level: 'silent' }), onProgress() {}, signal });

    assert.equal((await build(AbortSignal.abort())).finished, false);
    const next = (await currentGeneration(journal)) + 1;
    const unfinished = await openIndex(journal, place.chainId, { generation: next, isFilled: true });
    assert.equal(await indexesIn(unfinished.indexDb), NEEDED);
    await unfinished.close();

    assert.equal((await build(new AbortController().signal)).finished, true);
    const { indexDb, close } = await readable(place, t);
    assert.equal(await indexesIn(indexDb), ALL);
    await close();
  });
});
