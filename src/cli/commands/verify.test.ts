import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleEvents } from '../../../test/crash/round.ts';
import { callProgram } from '../../../test/support/call-program.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { deliverTo, openPlace, type Place } from '../../../test/support/places.ts';
import { openStorage } from '../../operate/storage/storage.ts';

const run = (command: string, place: Pick<Place, 'args'>) => callProgram([command, ...place.args]);

onSqliteAtLeast((engine, openFresh) => {
  test(`verify ends with 0 on a sound index, with 1 and what to do on another, and reindex mends that (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, sampleEvents().slice(0, 100));
    const sound = await run('verify', place);
    assert.equal(sound.code, 0, sound.output);
    assert.match(sound.output, /^state 1-[0-9a-f]{64} chain 0x80000000 tip \d+ 0x[0-9a-f]{64} rebuilt 0$/m);
    assert.match(sound.output, /^sound: \d+ checks/m);

    const storage = await openStorage(place);
    await storage.indexDb.write(tx => tx.run(`UPDATE accounts SET received = received || '0'`));
    await storage.close();
    const damaged = await run('verify', place);
    assert.equal(damaged.code, 1);
    assert.match(damaged.output, /^WRONG balances: .*\n {6}accounts: \S+ has received \d+, a recount gives \d+/m);
    assert.match(damaged.output, /\.\.\. \d+ in all\n.*stacks-index reindex/);

    assert.equal((await run('reindex', place)).code, 0);
    assert.equal((await run('verify', place)).code, 0);
  });

  test(`verify makes nothing where there is nothing, and says so (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const empty = await run('verify', {
      ...place,
      args: engine === 'sqlite' ? ['--data', `${place.data}/none`] : place.args,
    });
    assert.equal(empty.code, 1);
    assert.match(empty.output, /^stacks-index: .+\n.+/m);
    assert.doesNotMatch(empty.output, / at .*\.ts:/);
  });
});
