import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import { Journal } from '../../src/ingest/journal/journal.ts';
import { readDropped } from '../../src/ingest/journal/journal-format.ts';
import { openJournalToRead, openStorage } from '../../src/operate/storage/storage.ts';
import { callProgram } from '../support/call-program.ts';
import { assertSameTables, canonicalTables } from '../support/chain-assertions.ts';
import { onEveryEngine } from '../support/engines.ts';
import { archiveOf, asOtherToolWrites } from '../support/other-archive.ts';
import { deliverTo, dumpOf, journalLength, openPlace, type Place } from '../support/places.ts';
import {
  blocksOfClassA,
  chainOfNode,
  type KnownToNode,
  NODE_TOKEN,
  startReplayingNode,
  withoutBlocks,
} from '../support/replaying-node.ts';
import { casesOf, scale } from '../support/scale.ts';
import { todaysEvents } from '../support/todays-chain.ts';
import { until } from '../support/until.ts';
import { type Program, runProgram, runServer } from './program.ts';
import { seededRandom } from './random.ts';
import { sampleEvents } from './round.ts';

/* Kills of the commands that free a journal and repair gaps, and of the server that a repair writes through. */

const skip = scale === 'short' && 'npm run test:all kills these commands too';

const random = seededRandom(Number(process.env.CRASH_SEED ?? 1));

const tablesOf = (place: Place) => canonicalTables({ dump: () => dumpOf(place) });

async function droppedIn(place: Place): Promise<number> {
  const { journalDb } = await openJournalToRead(place);
  return (await readDropped(journalDb).finally(() => journalDb.close())).dropped;
}

/** Kills a program once a figure has reached a value, or lets it end before. @returns whether it was killed */
async function killAt(program: Program, figure: () => Promise<number>, value: number): Promise<boolean> {
  let hasEnded = false;
  program.ended.then(() => {
    hasEnded = true;
  });
  await until(async () => hasEnded || (await figure()) >= value, 'it neither works nor ends', program);
  const { code, signal } = await program.kill();
  if (signal === null) assert.ok(code === 0 || code === 1, program.output());
  return signal !== null;
}

onEveryEngine((engine, openFresh) => {
  test(`whenever a drop of payloads is killed, the next one drops the rest, and an archive brings all back (${engine})`, {
    skip,
  }, async t => {
    const events = sampleEvents();
    const place = await openPlace(openFresh, t);
    const storage = await openStorage(place);
    const journal = new Journal(storage.journalDb);
    // Each in a pack of its own.
    for (const event of events) await journal.accept(event);
    await storage.close();
    await deliverTo(place, []);
    const before = await dumpOf(place);
    const drop = ['journal', 'drop', '--below', '100000', '--burn-fork-depth', '1', ...place.args];
    for (let kills = 0; kills < casesOf('CRASH_KILLS', engine); kills++) {
      const value = (await droppedIn(place)) + random.int(0, 60);
      const wasKilled = await killAt(runProgram(drop, {}, []), () => droppedIn(place), value);
      const verified = await callProgram(['verify', ...place.args]);
      assert.equal(verified.code, 0, verified.output);
      if (!wasKilled) break;
    }
    const last = await callProgram(drop);
    assert.equal(last.code, 0, last.output);
    const whole = await openPlace(openFresh, t);
    const wholeStorage = await openStorage(whole);
    const wholeJournal = new Journal(wholeStorage.journalDb);
    for (const event of events) await wholeJournal.accept(event);
    await wholeStorage.close();
    await deliverTo(whole, []);
    assert.equal((await callProgram([...drop.slice(0, 6), ...whole.args])).code, 0);
    assert.equal(await droppedIn(place), await droppedIn(whole));
    const archive = await archiveOf(t, events.map(asOtherToolWrites));
    const rebuilt = await callProgram(['reindex', '--archive', archive, '--chain-id', '0x80000000', ...place.args]);
    assert.equal(rebuilt.code, 0, rebuilt.output);
    assertSameTables(await dumpOf(place), before);
  });

  const events = todaysEvents();
  const missing = blocksOfClassA(events);
  let chain: ReadonlyMap<string, KnownToNode>;
  before(async () => {
    chain = await chainOfNode(events);
  });

  /** The command, whose node pauses so that a kill falls between two blocks. */
  async function repairing(t: TestContext, place: Place): Promise<() => Program> {
    const node = await startReplayingNode(t, chain);
    const args = ['gaps', 'repair', '--node', node.url, '--node-pause', '30', '--pox-cycles', '0:10:2', ...place.args];
    return () => runProgram(args, { STACKS_INDEX_NODE_TOKEN: NODE_TOKEN }, []);
  }

  test(`whenever a repair, or the server that it writes through, is killed, no block is stored twice and the next one repairs the rest (${engine})`, {
    skip,
  }, async t => {
    const whole = await openPlace(openFresh, t);
    await deliverTo(whole, events);
    const expected = await tablesOf(whole);
    const lacking = withoutBlocks(events, missing);
    for (const killed of ['command alone', 'command', 'server'] as const)
      for (let kills = 0; kills < Math.ceil(casesOf('CRASH_KILLS', engine) / 4); kills++) {
        const place = await openPlace(openFresh, t);
        await deliverTo(place, lacking);
        const repair = await repairing(t, place);
        const server = killed === 'command alone' ? undefined : await runServer(place.args);
        if (server) t.after(() => server.kill());
        await server?.ready;
        const value = lacking.length + random.int(0, missing.length);
        const command = repair();
        const added = () => journalLength(place);
        if (killed === 'server' && server) {
          await until(
            async () => (await added()) >= Math.min(value, lacking.length + missing.length - 1),
            'nothing is added',
            command,
          );
          await server.kill();
          const { code } = await command.ended;
          assert.ok(code === 0 || code === 1, command.output());
        } else await killAt(command, added, value);
        const last = repair();
        assert.equal((await last.ended).code, 0, last.output());
        await server?.kill('SIGTERM');
        assert.equal(await journalLength(place), lacking.length + missing.length);
        assertSameTables(await tablesOf(place), expected);
        const verified = await callProgram(['verify', ...place.args]);
        assert.equal(verified.code, 0, verified.output);
      }
  });
});
