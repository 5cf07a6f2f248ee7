import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine, onSqliteAtLeast } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { casesOf } from '../../../test/support/scale.ts';
import type { Database } from '../../base/store/database.ts';
import { type ArchiveLoad, openLoads } from './archive-loads.ts';
import type { Delivery } from './entries.ts';
import { Journal } from './journal.ts';
import { waitingTotals } from './waiting-deliveries.ts';

const delivery = (path: string, text: string, receivedAt: number): Delivery => ({
  ...{ path, receivedAt },
  body: Buffer.from(text),
});

async function contents(journal: Journal): Promise<string[]> {
  const found: string[] = [];
  for await (const { seq, path, receivedAt, body } of journal.entries())
    found.push(`${seq} ${path} ${receivedAt} ${Buffer.from(body)}`);
  return found;
}

const ARCHIVE = 'archive.tsv';
const loadOf = (state: ArchiveLoad['state']): ArchiveLoad => ({
  ...{ source: ARCHIVE, place: 0, state, reason: '' },
  ...{ bytesRead: 1, bytesTotal: 2, estimatedEnd: null },
});

async function joinAll(journal: Journal): Promise<void> {
  while ((await journal.joinWaiting()) > 0);
}

async function empty(database: Database): Promise<void> {
  await Journal.create(database);
  for (const table of ['journal', 'waiting_deliveries', 'archive_loads'])
    await database.write(tx => tx.run(`DELETE FROM ${table}`));
}

/** Few bodies, so that the node and the archive repeat each other. */
const event = fc.record({
  path: fc.constantFrom('/new_block', '/new_mempool_tx'),
  text: fc.constantFrom('a', 'b', 'c'),
});

onEveryEngine((engine, openFresh) => {
  test(`events that come while an archive is loaded join the journal after its last row, as if they came then (${engine})`, async t => {
    const { database } = await openFresh(t);
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 6 }),
        fc.array(fc.record({ event, after: fc.nat(6) }), { maxLength: 8 }),
        async (rows, live) => {
          const archived = rows.map(({ path, text }, i) => delivery(path, text, i));
          const arrivals = live.map(({ event, after }, i) => ({
            delivered: delivery(event.path, event.text, 100 + i),
            after: live.slice(0, i + 1).reduce((most, each) => Math.max(most, each.after), after),
          }));
          await empty(database);
          const first = new Journal(database);
          await first.append(archived);
          for (const { delivered } of arrivals) await first.accept(delivered);
          const expected = await contents(first);

          await empty(database);
          const [loading, taking] = [new Journal(database), new Journal(database)];
          assert.equal(await loading.beginLoads([ARCHIVE]), true);
          for (let i = 0; i <= 7; i++) {
            for (const { delivered, after } of arrivals) if (after === i) await taking.accept(delivered);
            await loading.append(archived.slice(i, i + 1), loadOf('loading'));
            assert.equal(await loading.joinWaiting(), 0);
          }
          await loading.noteLoad(loadOf('complete'));
          await joinAll(loading);
          assert.deepEqual(await contents(loading), expected);
          assert.deepEqual(await database.read(waitingTotals), { count: 0, bytes: 0 });
        },
      ),
      { numRuns: casesOf('PROPERTY_RUNS', engine) * 5 },
    );
  });
});

onSqliteAtLeast((engine, openFresh) => {
  test(`an event that comes while others still join waits behind them (${engine})`, async t => {
    const { database } = await openFresh(t);
    await Journal.create(database);
    const journal = new Journal(database);
    await journal.beginLoads([ARCHIVE]);
    for (let i = 0; i < 250; i++) await journal.accept(delivery('/new_block', `${i}`, i));
    await journal.noteLoad(loadOf('complete'));
    assert.equal(await journal.joinWaiting(), 200);
    assert.equal(await journal.accept(delivery('/new_block', 'late', 999)), undefined);
    assert.equal((await database.read(waitingTotals)).count, 51);
    await joinAll(journal);
    assert.equal(await journal.length(), 251);
    assert.match((await contents(journal)).at(-1) ?? '', /late$/);
    assert.equal((await journal.accept(delivery('/new_block', 'direct', 1000)))?.seq, 252);
  });

  test(`events that wait take no more than their bytes, and a repeated one is no further one (${engine})`, async t => {
    const { database } = await openFresh(t);
    await Journal.create(database);
    const journal = new Journal(database, { maxWaitingBytes: 40 });
    await journal.beginLoads([ARCHIVE]);
    await journal.accept(delivery('/new_block', 'first', 1));
    const { bytes } = await database.read(waitingTotals);
    await journal.accept(delivery('/new_block', 'first', 2));
    assert.deepEqual(await database.read(waitingTotals), { count: 1, bytes });
    await assert.rejects(
      async () => {
        for (let i = 0; i < 10; i++) await journal.accept(delivery('/new_block', `other ${i}`, 1));
      },
      { code: 'DISK_FULL', message: /events that wait .* take 40 bytes already/ },
    );
    assert.ok((await database.read(waitingTotals)).bytes <= 40);
  });

  test(`an archive that is complete is not opened again; one that others replace is given up (${engine})`, async t => {
    const { database } = await openFresh(t);
    await Journal.create(database);
    const journal = new Journal(database);
    await journal.beginLoads([ARCHIVE]);
    await journal.noteLoad(loadOf('failed'));
    assert.equal(await journal.beginLoads(['other']), true);
    assert.deepEqual(
      (await database.read(openLoads)).map(({ source }) => source),
      ['other'],
    );
    await journal.noteLoad({ ...loadOf('complete'), source: 'other' });
    assert.equal(await journal.beginLoads(['other']), false);
    assert.equal(await journal.beginLoads([]), false);
  });
});
