/** docs/moving.md from start to end: the events in the database of the old API become an index that answers as the old API does. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram, runServer, untilIndexed } from './crash/program.ts';
import { sampleEvents } from './crash/round.ts';
import { onEveryEngine, openFreshOf } from './support/engines.ts';
import { fillObserverTable } from './support/observer-table.ts';
import { deliverTo, openPlace } from './support/places.ts';
import { scale } from './support/scale.ts';
import { until } from './support/until.ts';

onEveryEngine((engine, openFresh) => {
  if (engine === 'sqlite') return; // the other software has PostgreSQL
  test('an operator loads the events, is interrupted, switches the node over, and compares', async t => {
    if (scale === 'short') return t.skip('npm run test:all compares two servers');
    const events = sampleEvents();
    const [half, stop] = [Math.floor(events.length / 2), events.length - 10];
    const database = await openPlace(openFresh, t);
    const [moved, old] = [await openPlace(openFreshOf.sqlite, t), await openPlace(openFreshOf.sqlite, t)];
    const from = database.database ?? '';
    const replay = () => runProgram(['replay', '--from', from, ...moved.args]);

    // 1. Load, and be killed.
    await fillObserverTable(from, events.slice(0, half));
    const killed = replay();
    await until(() => existsSync(join(moved.data, 'journal.sqlite')), 'it does not begin', killed);
    await killed.kill();
    const again = replay();
    assert.equal((await again.ended).code, 0, again.output());

    // 2. The node is stopped.
    await fillObserverTable(from, events.slice(half, stop));
    const rest = replay();
    assert.equal((await rest.ended).code, 0, rest.output());
    assert.match(rest.output(), new RegExp(`${stop} events, ${stop - half} new`));

    // 3. Serve, and lead the node over.
    await deliverTo(old, events);
    const [server, oldServer] = [await runServer(moved.args), await runServer(old.args)];
    t.after(() => Promise.all([server.kill(), oldServer.kill()]));
    assert.ok((await server.ready) && (await oldServer.ready), server.output() + oldServer.output());
    for (const event of events.slice(stop)) assert.equal((await server.post(event)).status, 200);
    await untilIndexed(server);

    // 4. Compare.
    const oldUrl = `http://127.0.0.1:${oldServer.port}`;
    const compared = runProgram(['compare', '--with', oldUrl, ...moved.args, '--samples', '2']);
    assert.equal((await compared.ended).code, 0, compared.output());
    assert.match(compared.output(), /getBlockV2:/);
    assert.equal((await runProgram(['verify', ...moved.args]).ended).code, 0);
  });
});
