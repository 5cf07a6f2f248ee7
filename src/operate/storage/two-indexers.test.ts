import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { sampleEvents } from '../../../test/crash/round.ts';
import { assertSameTables } from '../../../test/support/chain-assertions.ts';
import { onEveryEngine, onSqliteAtLeast, openFreshOf } from '../../../test/support/engines.ts';
import { deliverTo, dumpOf, openPlace } from '../../../test/support/places.ts';
import { scale } from '../../../test/support/scale.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { Indexer } from '../../ingest/indexer/indexer.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { openStorage } from './storage.ts';

const events = sampleEvents().slice(0, scale === 'short' ? 80 : 400);
const A_TURN = 17;

onSqliteAtLeast((engine, openFresh) => {
  test(`indexers that take turns on one index make what a single one makes (${engine})`, async t => {
    const alone = await openPlace(openFresh, t);
    await deliverTo(alone, events);
    const place = await openPlace(openFresh, t);
    const storage = await openStorage(place);
    const journal = new Journal(storage.journalDb);
    const logger = pino({ level: 'silent' });
    const indexer = () =>
      new Indexer({ db: storage.indexDb, journal, chainId: place.chainId, schema: INDEX_SCHEMA, logger });
    // Each remembers rows from its last turn that the other one has changed since.
    const indexers = [indexer(), indexer()];
    for (let start = 0, turn = 0; start < events.length; start += A_TURN, turn++) {
      await journal.append(events.slice(start, start + A_TURN));
      await indexers[turn % 2]?.catchUp();
    }
    await storage.close();
    assertSameTables(await dumpOf(place), await dumpOf(alone));
  });
});

onEveryEngine((engine, openFresh) => {
  test(`indexers that work at the same time apply everything once (${engine})`, async t => {
    if (engine === 'sqlite') return t.skip('a directory has one writer');
    const alone = await openPlace(openFreshOf.sqlite, t);
    await deliverTo(alone, events);
    const place = await openPlace(openFresh, t);
    const storages = [await openStorage(place), await openStorage(place), await openStorage(place)];
    const logger = pino({ level: 'silent' });
    const [first] = storages;
    await new Journal((first ?? assert.fail()).journalDb).append(events);
    await Promise.all(
      storages.map(async ({ indexDb, journalDb }) => {
        const journal = new Journal(journalDb);
        const indexer = new Indexer({
          db: indexDb,
          journal,
          chainId: place.chainId,
          schema: INDEX_SCHEMA,
          logger,
        });
        // The second indexer finds its entries applied.
        while ((await indexer.state()).position < events.length)
          await indexer.catchUp().catch(error => assert.equal(error.code, 'CONFLICT'));
      }),
    );
    for (const storage of storages) await storage.close();
    assertSameTables(await dumpOf(place), await dumpOf(alone));
  });
});
