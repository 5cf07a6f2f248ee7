import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { onEveryEngine } from '../../../test/support/engines.ts';
import type { Database } from '../../base/store/database.ts';
import type { ArchiveLoad } from '../../ingest/journal/archive-loads.ts';
import { JOURNAL } from '../../ingest/journal/entries.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { type JournalAdderParts, leadLoad, readLoad } from './archive-load.ts';

const SOURCE = '/archive.zst';
const load: ArchiveLoad = {
  ...{ source: SOURCE, place: 0, state: 'loading', reason: '' },
  ...{ bytesRead: 25, bytesTotal: 100, estimatedEnd: 1000 },
};
const event = { path: '/new_block', receivedAt: 1, body: Buffer.from('a block') };

async function lead(journalDb: Database, sources: readonly string[] | undefined) {
  const warnings: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  let loader: JournalAdderParts | undefined;
  let isStopped = false;
  const running = await leadLoad({
    ...{ journalDb, logger, inTurn: work => work(), onJournal: () => {}, onFailure: error => assert.ifError(error) },
    loading: {
      sources,
      start: parts => {
        loader = parts;
        const stop = async () => {
          isStopped = true;
        };
        return { stop };
      },
    },
  });
  return { running, loader, warnings, isStopped: () => isStopped };
}

onEveryEngine((engine, openFresh) => {
  test(`a load shows its progress and what waits; without one there is nothing to show, as in a journal of before (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([JOURNAL]);
    assert.equal(await readLoad(database), undefined);
    await Journal.create(database);
    assert.equal(await readLoad(database), undefined);
    const journal = new Journal(database);
    await journal.beginLoads([SOURCE]);
    await journal.accept(event);
    await journal.append([], load);
    const loading = await readLoad(database);
    assert.deepEqual(loading, {
      ...{ state: 'loading', source: SOURCE, progress: 0.25, estimatedEnd: 1000, reason: null },
      ...{ waitingEvents: 1, waitingBytes: loading?.waitingBytes },
    });
    await journal.noteLoad({ ...load, state: 'failed', reason: 'it is cut off', estimatedEnd: null });
    const { state, reason } = (await readLoad(database)) ?? {};
    assert.deepEqual([state, reason], ['failed', 'it is cut off']);
    await journal.noteLoad({ ...load, state: 'complete' });
    assert.equal((await readLoad(database))?.state, 'joining');
    await journal.joinWaiting();
    assert.equal(await readLoad(database), undefined);
  });

  test(`the leader loads what is open, and without the option warns and lets events wait (${engine})`, async t => {
    const { database } = await openFresh(t);
    await Journal.create(database);
    const journal = new Journal(database);
    assert.equal((await lead(database, [SOURCE])).running, undefined, 'nothing is open');
    await journal.beginLoads([SOURCE]);
    const { running, warnings } = await lead(database, undefined);
    assert.equal(running, undefined);
    assert.match(warnings.join(), /\/archive.zst.*events wait.*--replay none/);
    assert.ok((await lead(database, [SOURCE])).running);
    // Of a load that is complete, events may still wait.
    await journal.accept(event);
    await journal.noteLoad({ ...load, state: 'complete' });
    assert.ok((await lead(database, undefined)).running);
  });

  test(`the loader waits while the journal is far ahead of the index, and no longer when it is stopped (${engine})`, async t => {
    const { database } = await openFresh(t);
    await Journal.create(database);
    await new Journal(database).beginLoads([SOURCE]);
    const { running, loader, isStopped } = await lead(database, [SOURCE]);
    assert.ok(running && loader);
    let turns = 0;
    const turn = async () => {
      const done = loader.inTurn(async () => void turns++);
      await setImmediate();
      return done;
    };
    running.indexed(5000);
    await turn();
    loader.onJournal(15_001);
    const waiting = turn();
    await setImmediate();
    assert.equal(turns, 1);
    running.indexed(5001);
    await waiting;
    assert.equal(turns, 2);
    loader.onJournal(100_000);
    const stopped = turn();
    await running.stop();
    await stopped;
    assert.ok(isStopped());
  });
});
