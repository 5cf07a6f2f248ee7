/** What commands do with events that wait for the end of an archive. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openLoads } from '../src/ingest/journal/archive-loads.ts';
import { Journal } from '../src/ingest/journal/journal.ts';
import { waitingTotals } from '../src/ingest/journal/waiting-deliveries.ts';
import { openJournal } from '../src/operate/storage/storage.ts';
import { callProgram } from './support/call-program.ts';
import { ChainBuilder } from './support/chain-builder.ts';
import { type OpenFresh, onSqliteAtLeast } from './support/engines.ts';
import { deliverTo, openPlace, type Place } from './support/places.ts';

const SOURCE = 'https://example.com/archive.zst';
const chain = new ChainBuilder('waiting').chain(6).map(({ delivery }) => delivery);

/** An index of three blocks, and three that wait. */
async function loadingPlace(openFresh: OpenFresh, t: TestContext): Promise<Place> {
  const place = await openPlace(openFresh, t);
  await deliverTo(place, chain.slice(0, 3));
  await inJournal(place, async journal => {
    await journal.beginLoads([SOURCE]);
    for (const delivery of chain.slice(3)) await journal.accept(delivery);
  });
  return place;
}

async function inJournal<T>(
  place: Place,
  work: (journal: Journal, db: Awaited<ReturnType<typeof openJournal>>['journalDb']) => Promise<T>,
): Promise<T> {
  const { journalDb } = await openJournal(place);
  try {
    return await work(new Journal(journalDb), journalDb);
  } finally {
    await journalDb.close();
  }
}

const waitingIn = (place: Place) =>
  inJournal(place, async (_journal, db) => ({
    waiting: (await db.read(waitingTotals)).count,
    open: (await db.read(openLoads)).map(({ source }) => source),
  }));

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'stacks-waiting-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

onSqliteAtLeast((engine, openFresh) => {
  test(`copy and snapshot take along what waits, and refuse a target where something waits (${engine})`, async t => {
    const place = await loadingPlace(openFresh, t);
    const [copied, restored] = [await openPlace(openFresh, t), await openPlace(openFresh, t)];
    const [from, to] = [place, copied].map(({ args }) => args[1] ?? '');
    const copy = await callProgram(['copy', '--from', from ?? '', '--to', to ?? '']);
    assert.equal(copy.code, 0, copy.output);
    const file = join(directory(t), 'snapshot');
    for (const args of [
      ['create', file, ...place.args],
      ['restore', file, ...restored.args],
    ]) {
      const { code, output } = await callProgram(['snapshot', ...args]);
      assert.equal(code, 0, output);
    }
    for (const each of [copied, restored]) {
      assert.deepEqual(await waitingIn(each), { waiting: 3, open: [SOURCE] });
      await inJournal(each, async journal => {
        await journal.beginLoads([]);
        assert.equal(await journal.joinWaiting(), 3);
        assert.equal(await journal.length(), 6);
      });
    }
    const empty = await openPlace(openFresh, t);
    await inJournal(empty, async journal => {
      await journal.beginLoads([SOURCE]);
      await journal.accept(chain[0] ?? assert.fail());
    });
    const refused = await callProgram(['copy', '--from', from ?? '', '--to', empty.args[1] ?? '']);
    assert.equal(refused.code, 1);
    assert.match(refused.output, /the target has a journal or an index already/);
    assert.equal((await waitingIn(empty)).waiting, 1);
  });

  test(`export refuses while events wait, and verify finds damage of what waits (${engine})`, async t => {
    const place = await loadingPlace(openFresh, t);
    const file = join(directory(t), 'events.tsv');
    const exported = await callProgram(['export', file, ...place.args]);
    assert.equal(exported.code, 1);
    assert.match(exported.output, /3 events of the node wait until an archive is loaded.*\n.*--replay none/);
    assert.equal(existsSync(file), false);
    assert.equal((await callProgram(['verify', ...place.args])).code, 0);
    await inJournal(place, (_journal, db) =>
      db.write(async tx => {
        await tx.run('UPDATE waiting_deliveries SET path = ? WHERE seq = 1', ['/new_burn_block']);
        await tx.run('DELETE FROM waiting_deliveries WHERE seq = 2');
      }),
    );
    const { code, output } = await callProgram(['verify', ...place.args]);
    assert.equal(code, 1);
    assert.match(output, /the payload of event 1 \(\/new_burn_block\) is not the one that was received/);
    assert.match(output, /event 3 does not follow event 1/);
  });
});
