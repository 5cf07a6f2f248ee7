import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { copyEverything } from '../src/operate/copy/copy.ts';
import { reindex } from '../src/operate/storage/reindex.ts';
import { openJournal } from '../src/operate/storage/storage.ts';
import { BuiltHistory } from './support/built-history.ts';
import { eventsOf, REORG_AND_BACK } from './support/burn-view-cases.ts';
import { type EngineName, onEveryEngine, openFreshOf } from './support/engines.ts';
import { deliverTo, openPlace, type Place } from './support/places.ts';
import { atLength } from './support/scale.ts';

const OTHER: Readonly<Record<EngineName, EngineName>> = { sqlite: 'postgres', postgres: 'sqlite' };
const events = eventsOf(REORG_AND_BACK);
const history = new BuiltHistory(events);

/** After how many events the index is built anew, and after how many more it is copied. */
const CUTS = events.flatMap((_, i) => (i > 0 ? [[i, Math.min(events.length - 1, i + 2)] as const] : []));

onEveryEngine(engine => {
  // A copy goes from one engine to the other: both are there.
  if (engine !== 'postgres') return;
  describe('through a rebuild and a copy', { skip: atLength }, () => {
    for (const from of ['sqlite', 'postgres'] as const)
      for (const [rebuild, copy] of CUTS)
        test(`a Bitcoin reorg leads to the same tips after a rebuild at event ${rebuild} and a copy at ${copy} (from ${from})`, {
          skip: atLength,
        }, async t => {
          const place = await openPlace(openFreshOf[from], t);
          await deliverRange(place, 0, rebuild);
          await rebuildIn(place);
          await deliverRange(place, rebuild, copy);
          const target = await openPlace(openFreshOf[OTHER[from]], t);
          const nothing = () => {};
          const { signal } = new AbortController();
          await copyEverything({ from: place, to: target, onProgress: nothing, onCompared: nothing, signal });
          await deliverRange(target, copy, events.length);
          await rebuildIn(target);
          assert.equal(history.nameOf(await deliverTo(target, [])), 's3');
        });
  });
});

async function rebuildIn(place: Place): Promise<void> {
  const journal = await openJournal(place);
  const { signal } = new AbortController();
  const logger = pino({ level: 'silent' });
  try {
    await reindex({ place: journal, chainId: place.chainId, logger, onProgress: () => {}, signal });
  } finally {
    await journal.journalDb.close();
  }
}

/** One by one, each by a storage that is opened for it: a restart between any two. */
async function deliverRange(place: Place, from: number, to: number): Promise<void> {
  for (const [event, tip] of REORG_AND_BACK.slice(from, to))
    assert.equal(history.nameOf(await deliverTo(place, [history.delivery(event.name)])), tip, `after ${event.name}`);
}
