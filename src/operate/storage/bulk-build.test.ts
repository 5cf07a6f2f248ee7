import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { assertSameTables } from '../../../test/support/chain-assertions.ts';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { dumpIndex } from '../../../test/support/dump.ts';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { openPlace } from '../../../test/support/places.ts';
import type { Database } from '../../base/store/database.ts';
import { createIndexSql } from '../../base/store/ddl.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { Indexer } from '../../ingest/indexer/indexer.ts';
import type { Delivery, JournalEntry } from '../../ingest/journal/entries.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { openStorage, type Storage } from './storage.ts';

/** Blocks that each have a burn block of their own. */
function tenures(chain: ChainBuilder, length: number): Delivery[] {
  const sent: Delivery[] = [];
  for (let tip: BuiltBlock | undefined; sent.length < 2 * length; ) {
    const burn = chain.burnBlock(tip && { parent: tip.burn });
    tip = chain.block({ ...(tip && { parent: tip }), burn });
    sent.push(burn.delivery, tip.delivery);
  }
  return sent;
}

const WANTED = INDEX_SCHEMA.tables.flatMap(table => (table.readIndexes ? createIndexSql(table) : []));

async function readIndexesIn(db: Database): Promise<number> {
  const sql =
    db.engine === 'sqlite'
      ? `SELECT name FROM sqlite_schema WHERE type = 'index'`
      : 'SELECT indexname AS name FROM pg_indexes WHERE schemaname = current_schema()';
  const names = new Set((await db.read(queries => queries.all<{ name: string }>(sql))).map(({ name }) => name));
  return WANTED.filter(text => names.has(/EXISTS "(\w+)"/.exec(text)?.[1] ?? '')).length;
}

onEveryEngine((engine, openFresh) => {
  test(`an index whose building in bulk was cut short has all its indexes once it is opened, and goes on as one built block by block (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const whole = await openPlace(openFresh, t);
    const sent = tenures(new ChainBuilder('cut'), 24);
    const indexerOf = ({ journalDb, indexDb: db }: Storage) => {
      const { chainId } = place;
      const [journal, logger] = [new Journal(journalDb), pino({ level: 'silent' })];
      return { journal, indexer: new Indexer({ db, journal, chainId, schema: INDEX_SCHEMA, logger }) };
    };
    const reference = await openStorage(whole);
    t.after(() => reference.close());
    const oneByOne = indexerOf(reference);
    for (const delivery of sent) {
      await oneByOne.journal.append([delivery]);
      await oneByOne.indexer.catchUp();
    }

    const first = await openStorage({ ...place, inBulk: true });
    const { journal, indexer } = indexerOf(first);
    assert.ok((await readIndexesIn(first.indexDb)) < WANTED.length);
    await indexer.applyParts([await journal.append(sent.slice(0, 24))], true);
    const rest = await journal.append(sent.slice(24));
    function* cutShort(): Iterable<JournalEntry[]> {
      yield rest.slice(0, 10);
      throw new Error('killed');
    }
    await assert.rejects(indexer.applyParts(cutShort(), true), /killed/);
    await first.close();

    const second = await openStorage(place);
    t.after(() => second.close());
    assert.equal(await readIndexesIn(second.indexDb), WANTED.length);
    await indexerOf(second).indexer.catchUp();
    const { undo_log: found, meta: _, ...tables } = await dumpIndex(second.indexDb);
    const { undo_log: expected, meta: __, ...others } = await dumpIndex(reference.indexDb);
    assertSameTables(tables, others);
    assert.ok(found && expected && found.length < expected.length);
  });
});
