import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProgram } from '../../../test/crash/program.ts';
import { sampleEvents } from '../../../test/crash/round.ts';
import { callProgram } from '../../../test/support/call-program.ts';
import { assertSameTables } from '../../../test/support/chain-assertions.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { deliverTo, dumpOf, openPlace, type Place } from '../../../test/support/places.ts';
import { FACTS } from '../../ingest/indexer/tables.ts';
import { openPart } from '../../operate/copy/target.ts';
import { openJournalToFill } from '../../operate/storage/storage.ts';

const copyArgs = (from: Place, to: Place): string[] => ['copy', '--from', from.args[1] ?? '', '--to', to.args[1] ?? ''];
const copy = (from: Place, to: Place) => callProgram(copyArgs(from, to));

/** Interrupts a copy. A copy that ends before the signal arrives is repeated to another place. */
async function interruptedCopy(from: Place, openTarget: () => Promise<Place>) {
  for (;;) {
    const to = await openTarget();
    const program = runProgram(copyArgs(from, to));
    if (await program.says('copying meta')) await program.kill('SIGINT');
    const { code } = await program.ended;
    if (code !== 0) return { to, stopped: { code, output: program.output() } };
  }
}

onSqliteAtLeast((engine, openFresh) => {
  test(`a copy can be interrupted, is refused by verify until it is done, and then is sound (${engine})`, async t => {
    const from = await openPlace(openFresh, t);
    await deliverTo(from, sampleEvents().slice(0, 100));
    const { to, stopped } = await interruptedCopy(from, () => openPlace(openFresh, t));
    assert.equal(stopped.code, 1, stopped.output);
    assert.match(stopped.output, /^Stopped\. Run the same command again/m);
    const refused = await callProgram(['verify', ...to.args]);
    assert.equal(refused.code, 1);
    assert.match(refused.output, /stacks-index: this is a copy that is not finished\n.*stacks-index copy/);

    const done = await copy(from, to);
    assert.equal(done.code, 0, done.output);
    assert.match(done.output, /^ok {4}txs: \d+ rows, [0-9a-f]{16}\n(.*\n)*copied: \d+ tables, equal on both sides/m);
    assertSameTables(await dumpOf(to), await dumpOf(from));
    assert.equal((await callProgram(['verify', ...to.args])).code, 0);
    const again = await copy(from, to);
    assert.equal(again.code, 1);
    assert.match(again.output, /stacks-index: the target has a journal or an index already\n.*--to/);
  });

  test(`a copy that differs ends with 1 and names the table (${engine})`, async t => {
    const from = await openPlace(openFresh, t);
    await deliverTo(from, sampleEvents().slice(0, 100));
    const { to } = await interruptedCopy(from, () => openPlace(openFresh, t));
    const target = openJournalToFill(to);
    const index = await openPart('index', target);
    await index.write(tx => tx.insertMany(FACTS, [['~', 'of another chain']]));
    await index.close();
    await target.journalDb.close();
    const { code, output } = await copy(from, to);
    assert.equal(code, 1, output);
    assert.match(output, /^WRONG facts: from \d+ rows, [0-9a-f]{16}; to \d+ rows, [0-9a-f]{16}\n/m);
    assert.match(output, /^WRONG: facts\n.*delete its content and copy again/m);
  });
});

test('a copy that is called wrongly says how it is called', async () => {
  for (const args of [[], ['--from', 'a'], ['--from', 'a', '--to', './a'], ['--from', 'a', '--to', 'b', 'c']]) {
    const { code, output } = await callProgram(['copy', ...args]);
    assert.equal(code, 2, output);
    assert.match(output, /--from/);
  }
});
