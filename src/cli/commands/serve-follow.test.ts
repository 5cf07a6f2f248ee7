import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { sampleEvents } from '../../../test/crash/round.ts';
import { assertSameTables } from '../../../test/support/chain-assertions.ts';
import { onEveryEngine, openFreshOf } from '../../../test/support/engines.ts';
import { fillMessages } from '../../../test/support/observer-table.ts';
import { deliverTo, dumpOf, journalLength, openPlace } from '../../../test/support/places.ts';
import { until } from '../../../test/support/until.ts';
import { readOptions } from '../options/options.ts';
import { servingOptions, startServing } from './serve.ts';

const EVENTS = 120;

onEveryEngine((engine, openFresh) => {
  if (engine === 'sqlite') return; // the other software has PostgreSQL, and a directory has one writer

  test('serve --follow makes the index that a node would, by one of several processes, and goes on in another', async t => {
    const [source, target] = [await openPlace(openFresh, t), await openPlace(openFresh, t)];
    const expected = await openPlace(openFreshOf.sqlite, t);
    const events = sampleEvents().slice(0, EVENTS);
    await fillMessages(source.database ?? '', events.slice(0, 80));
    const follow = ['--follow', source.database ?? '', '--event-port', '0', '--mode', 'writeonly'];
    const options = readOptions(['serve', ...target.args, ...follow, '--chain-id', '0x80000000'], {});
    const log: string[] = [];
    const start = () =>
      startServing(servingOptions(options), pino({}, { write: (line: string) => void log.push(line) }));
    const begins = () => log.filter(line => line.includes('following a table of events')).length;
    const [one, other] = [await start(), await start()];
    await until(async () => (await journalLength(target)) === 80, 'the rows were not journaled');
    assert.equal(begins(), 1, 'only the leader follows');
    // Whichever led, the other one or a new process continues.
    await one.close();
    await fillMessages(source.database ?? '', events.slice(80));
    const third = await start();
    await until(async () => (await journalLength(target)) === EVENTS, 'the rest was not journaled');
    await other.close();
    await third.close();
    await deliverTo(target, []);
    await deliverTo(expected, events);
    assertSameTables(await dumpOf(target), await dumpOf(expected));
  });
});
