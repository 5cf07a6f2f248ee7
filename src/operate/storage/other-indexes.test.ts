import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { pino } from 'pino';
import { assertSameTables } from '../../../test/support/chain-assertions.ts';
import { onEveryEngine, onSqliteAtLeast } from '../../../test/support/engines.ts';
import { PAST_EVENTS, pastEvents, placeOfPast } from '../../../test/support/past-index.ts';
import { deliverTo, dumpOf, openPlace, type Place } from '../../../test/support/places.ts';
import { readReleases } from '../../../tools/release/releases.ts';
import { postgresLocks, postgresUrl } from '../../base/store/open.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import { addDropped } from '../../ingest/journal/journal-format.ts';
import { ReadSource } from '../serving/read-source.ts';
import { SCHEMA_VERSION } from './chain-binding.ts';
import { type DroppedIndex, dropOldIndexes, OldIndexInUse } from './drop-old.ts';
import { inspectAt, type JournalPlace, schemaOf } from './generations.ts';
import { holdNameOf } from './holds.ts';
import { dropRecent } from './journal-drop.ts';
import { lookForChain } from './known-chain.ts';
import { indexToRebuild, newestOther, otherIndexes } from './other-indexes.ts';
import { reindex } from './reindex.ts';
import { NoIndex, openJournal, openStorage } from './storage.ts';

const logger = pino({ level: 'silent' });
const releases = readReleases(join(import.meta.dirname, '../../..')).filter(({ schema }) => schema !== SCHEMA_VERSION);

const withJournal = async <T>(place: Place, work: (journal: JournalPlace) => Promise<T>): Promise<T> => {
  const journal = await openJournal(place);
  return work(journal).finally(() => journal.journalDb.close());
};

const rebuild = (place: Place) =>
  withJournal(place, journal =>
    reindex({
      ...{ place: journal, chainId: undefined, logger, onProgress: () => {} },
      signal: new AbortController().signal,
    }),
  );

async function dropOld(place: Place): Promise<DroppedIndex[]> {
  const dropped: DroppedIndex[] = [];
  await withJournal(place, journal => dropOldIndexes(journal, each => dropped.push(each)));
  return dropped;
}

/** What a process of a past release finds. */
async function oldIndex(place: Place): Promise<string> {
  if (place.database === undefined)
    return createHash('sha256')
      .update(readFileSync(join(place.data, 'index.sqlite')))
      .digest('hex');
  return withJournal(place, async journal => {
    const other = await newestOther(journal);
    return JSON.stringify([other?.schemaVersion, other && (await inspectAt(other.location, readState))]);
  });
}

/** Uses the index of a past release, as a process of it does, also one that only reads. @returns ends that */
async function useOld(place: Place): Promise<() => Promise<void>> {
  if (place.database === undefined) {
    const reader = new DatabaseSync(join(place.data, 'index.sqlite'), { readOnly: true });
    reader.prepare('SELECT * FROM meta').all();
    return async () => reader.close();
  }
  const { holdShared } = await postgresLocks();
  const schema = await withJournal(place, schemaOf);
  return holdShared(postgresUrl(place.database), holdNameOf(schema, undefined, 0));
}

for (const { version, schema } of releases)
  onEveryEngine((engine, openFresh) => {
    test(`beside the index of ${version} this release builds its own, equal to a fresh one, and leaves the other until drop-old (${engine})`, async t => {
      const place = await placeOfPast(version, openFresh, t);
      const before = await oldIndex(place);
      await assert.rejects(openStorage(place), { name: 'IndexMismatch', message: new RegExp(`version ${schema};`) });
      assert.equal((await lookForChain(place)).chainId, place.chainId);
      assert.equal((await withJournal(place, indexToRebuild))?.schemaVersion, schema);
      await assert.rejects(dropOld(place), NoIndex, 'the only index is not dropped');

      const source = new ReadSource({
        ...{ data: place.data, database: place.database, primary: place.database, chainId: place.chainId },
        ...{ poolSize: 1, queryTimeoutMs: 60_000, logger },
      });
      t.after(() => source.close());
      await assert.rejects(source.look(), { code: 'SCHEMA', message: new RegExp(`version ${schema};`) });

      const { finished, kept } = await rebuild(place);
      assert.deepEqual([finished, kept], [true, schema]);
      assert.equal((await source.look()).position, PAST_EVENTS, 'a process that only reads waits for it');
      await source.close();
      const fresh = await openPlace(openFresh, t);
      await deliverTo(fresh, pastEvents());
      const expected = await dumpOf(fresh);
      assertSameTables(await dumpOf(place), expected);
      assert.equal(await oldIndex(place), before);
      assert.equal(await withJournal(place, indexToRebuild), undefined);

      const stop = await useOld(place);
      await assert.rejects(dropOld(place), OldIndexInUse);
      assert.equal(await oldIndex(place), before);
      await stop();
      const dropped = await dropOld(place);
      assert.equal(dropped.length, 1);
      assert.ok((dropped[0]?.bytes ?? 0) > 100_000, JSON.stringify(dropped));
      assert.deepEqual(await withJournal(place, otherIndexes), []);
      if (engine === 'sqlite') assert.equal(existsSync(join(place.data, 'index.sqlite')), false);
      assertSameTables(await dumpOf(place), expected);
      assert.deepEqual(await dropOld(place), []);
    });
  });

for (const { version } of releases)
  onSqliteAtLeast((engine, openFresh) => {
    test(`beside the index of ${version} a journal loses no payload; without some payloads no index is built from it (${engine})`, async t => {
      const place = await placeOfPast(version, openFresh, t);
      await withJournal(place, async journal => {
        const other = await newestOther(journal);
        assert.ok(other);
        const limits = { burnForkDepth: 0, signal: new AbortController().signal };
        // Its own index would be read only where no other one is.
        assert.equal(await dropRecent({ ...journal, indexDb: journal.journalDb }, limits), true);
        await journal.journalDb.write(tx => addDropped(tx, 1, 2));
        await assert.rejects(indexToRebuild(journal), { name: 'IndexMismatch', hint: /--archive[\s\S]*snapshot/ });
      });
      await assert.rejects(rebuild(place), { code: 'PAYLOAD_DROPPED' });
      assert.ok(await withJournal(place, newestOther));
    });
  });
