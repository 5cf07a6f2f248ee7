import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleEvents } from '../../../test/crash/round.ts';
import { callProgram } from '../../../test/support/call-program.ts';
import { assertSameTables } from '../../../test/support/chain-assertions.ts';
import { onSqliteAtLeast, openFreshOf } from '../../../test/support/engines.ts';
import { fillMessages, fillObserverTable, spoilObserverTable } from '../../../test/support/observer-table.ts';
import { deliverTo, dumpOf, openPlace } from '../../../test/support/places.ts';
import { openJournalToRead } from '../../operate/storage/storage.ts';

const EVENTS = 200;

onSqliteAtLeast((engine, openFresh) => {
  if (engine === 'sqlite') return; // the other software has PostgreSQL
  test('replay --from makes the index that the events of the other database make, and goes on where it was', async t => {
    const source = await openPlace(openFresh, t);
    const [target, expected] = [await openPlace(openFreshOf.sqlite, t), await openPlace(openFreshOf.sqlite, t)];
    const events = sampleEvents().slice(0, EVENTS);
    const from = source.database ?? '';
    const replay = () => callProgram(['replay', '--from', from, ...target.args, '--chain-id', '0x80000000']);
    const nothing = await replay();
    assert.equal(nothing.code, 1);
    assert.match(nothing.output, /stacks-index: there is no table event_observer_requests.*\nName the database/);

    await fillObserverTable(from, events.slice(0, EVENTS / 2));
    const first = await replay();
    assert.match(first.output, new RegExp(`${EVENTS / 2} events, ${EVENTS / 2} new`));
    await fillObserverTable(from, events.slice(EVENTS / 2));
    const second = await replay();
    assert.equal(second.code, 0, second.output);
    assert.match(second.output, new RegExp(`${EVENTS} events, ${EVENTS / 2} new`));
    await deliverTo(expected, events);
    assertSameTables(await dumpOf(target), await dumpOf(expected));

    await spoilObserverTable(from);
    const spoilt = await replay();
    assert.equal(spoilt.code, 3, spoilt.output);
    for (const reason of ['the time of receipt must be', 'the path must not', 'the payload must not'])
      assert.match(spoilt.output, new RegExp(`event_observer_requests:\\d+: ${reason}`));
    assert.match(spoilt.output, /4 line\(s\) were skipped/);
    assertSameTables(await dumpOf(target), await dumpOf(expected));
  });

  test('replay --from reads the table of the event publisher, and serve --follow would begin behind it', async t => {
    const source = await openPlace(openFresh, t);
    const [target, expected] = [await openPlace(openFreshOf.sqlite, t), await openPlace(openFreshOf.sqlite, t)];
    const events = sampleEvents().slice(0, EVENTS);
    const from = source.database ?? '';
    await fillObserverTable(from, []);
    await fillMessages(from, events);
    const loaded = await callProgram(['replay', '--from', from, ...target.args, '--chain-id', '0x80000000']);
    assert.match(loaded.output, new RegExp(`^messages .*${EVENTS} events, ${EVENTS} new`, 'm'));
    await deliverTo(expected, events);
    assertSameTables(await dumpOf(target), await dumpOf(expected));
    const { journalDb } = await openJournalToRead(target);
    t.after(() => journalDb.close());
    const noted = await journalDb.read(queries => queries.get<{ id: number }>('SELECT id FROM followed'));
    assert.equal(noted?.id, EVENTS);
  });
});
