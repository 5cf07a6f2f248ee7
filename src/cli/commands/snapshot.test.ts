import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from '../../../test/crash/program.ts';
import { sampleEvents } from '../../../test/crash/round.ts';
import { callProgram } from '../../../test/support/call-program.ts';
import { assertSameTables } from '../../../test/support/chain-assertions.ts';
import { onSqliteAtLeast, openFreshOf } from '../../../test/support/engines.ts';
import { deliverTo, dumpOf, openPlace, type Place } from '../../../test/support/places.ts';
import { until } from '../../../test/support/until.ts';
import { openJournalToRead } from '../../operate/storage/storage.ts';
import { readUnfinishedCopy } from '../../operate/storage/unfinished-copy.ts';

/** Whether a restore writes into a place. */
async function isUnfinished(place: Place): Promise<boolean> {
  try {
    const { journalDb } = await openJournalToRead(place);
    return (await readUnfinishedCopy(journalDb).finally(() => journalDb.close())) !== undefined;
  } catch {
    return false; // it makes the database at this moment
  }
}

onSqliteAtLeast((engine, openFresh) => {
  test(`a restore that was killed is refused by verify until it is done, and then is sound (${engine})`, async t => {
    const from = await openPlace(openFresh, t);
    const to = await openPlace(openFresh, t);
    const file = join((await openPlace(openFreshOf.sqlite, t)).data, 'chain.snapshot');
    const { tip } = await deliverTo(from, sampleEvents().slice(0, 100));
    const created = await callProgram(['snapshot', 'create', file, ...from.args]);
    assert.equal(created.code, 0, created.output);
    assert.ok(created.output.includes(`tip:     ${tip?.height} ${tip?.indexBlockHash}\n`), created.output);

    const killed = runProgram(['snapshot', 'restore', file, ...to.args]);
    await until(() => isUnfinished(to), 'it does not begin', killed);
    await killed.kill();
    const refused = await callProgram(['verify', ...to.args]);
    assert.equal(refused.code, 1);
    assert.match(refused.output, /stacks-index: this is a copy that is not finished\n.*stacks-index snapshot restore/);

    const restored = await callProgram(['snapshot', 'restore', file, ...to.args]);
    assert.equal(restored.code, 0, restored.output);
    // On a slow machine lines of progress come after it.
    const said = (output: string) => /\n {2}chain:[\s\S]*made by:.*\n/.exec(output)?.[0] ?? assert.fail(output);
    assert.equal(said(restored.output), said(created.output));
    assertSameTables(await dumpOf(to), await dumpOf(from));
    assert.equal((await callProgram(['verify', ...to.args])).code, 0);
  });
});

test('a snapshot that is called wrongly says how it is called', async () => {
  for (const args of [[], ['create'], ['mend', 'a.snapshot'], ['create', 'a', 'b']]) {
    const { code, output } = await callProgram(['snapshot', ...args]);
    assert.equal(code, 2, output);
    assert.match(output, /snapshot/);
  }
});
