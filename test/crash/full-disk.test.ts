import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { indexFile } from '../../src/operate/storage/generations.ts';
import { callProgram } from '../support/call-program.ts';
import { deliverTo } from '../support/places.ts';
import { scale } from '../support/scale.ts';
import { TESTNET } from '../support/test-index.ts';
import { until } from '../support/until.ts';
import { mountSmallDisk, type SmallDisk } from './mounts.ts';
import { type Program, runProgram, runServer, untilIndexed } from './program.ts';
import { assertComplete, journalOfDelivered, journalOfReplayed, readFound } from './reference.ts';
import { ARCHIVE, eventsOfARound, partOfArchive, sampleEvents } from './round.ts';
import { directoryStore } from './store.ts';

const SIZE_MIB = 40;
/** Events of a replay, in the short form. */
const PART = 250;

/** A small disk for a test, or undefined when the test is skipped. */
function smallDisk(t: TestContext): SmallDisk | undefined {
  const disk = mountSmallDisk(SIZE_MIB);
  if ('missing' in disk) {
    t.skip(disk.missing);
    return undefined;
  }
  t.after(disk.remove);
  return disk;
}

test('a full disk: events are refused with the reason, requests are answered, and it goes on when there is space', async t => {
  const disk = smallDisk(t);
  if (disk === undefined) return;
  const events = eventsOfARound();
  const store = directoryStore(disk.path);
  // The disk of this test is smaller than what is to stay free.
  const serve = await runServer([...store.args, '--min-free-space', '0']);
  t.after(() => serve.kill());
  assert.ok(await serve.ready, serve.output());
  let next = 0;
  for (const until of [40, 41, 80]) {
    for (; next < until; next++) assert.equal((await serve.post(events[next] ?? fail())).status, 200);
    disk.fill();
    // What is left of the last page of a file may still take a small event.
    let refused = await serve.post(events[next] ?? fail());
    for (; refused.status === 200; refused = await serve.post(events[next] ?? fail())) next++;
    assert.equal(refused.status, 503, refused.text);
    assert.match(refused.text, /full.*Free space on the disk/);
    assert.match(refused.retryAfter ?? '', /^\d+$/);
    for (const path of ['/extended/v2/blocks', '/extended/v1/tx', '/extended'])
      assert.equal((await serve.get(path)).status, 200, path);
    await delay(300); // the indexer has tried as well
    disk.free();
  }
  for (; next < events.length; next++) assert.equal((await serve.post(events[next] ?? fail())).status, 200);
  await untilIndexed(serve);
  assert.equal((await serve.kill('SIGTERM')).code, 0, serve.output());
  await assertComplete(store, await journalOfDelivered(events));
});

test('a replay onto a full disk waits for space, and goes on', async t => {
  const disk = smallDisk(t);
  if (disk === undefined) return;
  const store = directoryStore(disk.path);
  const directory = mkdtempSync(join(tmpdir(), 'stacks-part-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const events = scale === 'short' ? sampleEvents().slice(0, PART) : sampleEvents();
  const archive = scale === 'short' ? partOfArchive(directory, PART) : ARCHIVE;
  const replay = runProgram(['replay', archive, ...store.args, '--min-free-space', '0']);
  t.after(() => replay.kill());
  await until(() => existsSync(indexFile(store.directory ?? '')), 'the replay does not begin', replay);
  disk.fill();
  await untilItWaits(replay);
  disk.free();
  assert.equal((await replay.ended).code, 0, replay.output());
  await assertComplete(store, await journalOfReplayed(events));
});

test('a replay that finds no space for its tables waits for it, and goes on', async t => {
  if (scale === 'short') return t.skip('npm run test:all fills the disk before the tables too');
  const disk = smallDisk(t);
  if (disk === undefined) return;
  const store = directoryStore(disk.path);
  disk.fill();
  const replay = runProgram(['replay', ARCHIVE, ...store.args, '--min-free-space', '0']);
  t.after(() => replay.kill());
  await untilItWaits(replay);
  disk.free();
  assert.equal((await replay.ended).code, 0, replay.output());
  const { entries } = await store.look(readFound);
  assert.equal(entries.length, sampleEvents().length);
});

const untilItWaits = async (replay: Program) =>
  assert.ok(await replay.says('Trying again: SQLite: database or disk is full'), replay.output());

test('a directory that cannot be written ends the program with 1 and says what to do', async t => {
  const disk = smallDisk(t);
  if (disk === undefined) return;
  const store = directoryStore(disk.path);
  await deliverTo({ data: store.directory ?? '', database: undefined, chainId: TESTNET }, eventsOfARound());
  disk.makeReadOnly();
  const places = [store.args, ['--data', join(disk.path, 'new')]];
  for (const place of places) {
    // A process of its own shows that it ends; in the short form one is enough.
    const commands = [
      ['serve', '--port', '0', '--event-port', '0'],
      ['replay', ARCHIVE],
    ];
    for (const command of scale === 'all' || place === store.args ? commands.slice(0, scale === 'all' ? 2 : 1) : []) {
      const program = runProgram([...command, ...place]);
      t.after(() => program.kill());
      assert.equal((await program.ended).code, 1, program.output());
      assertExplained(program.output());
    }
    // Without a chain id the index is read first.
    assertExplained((await callProgram(['serve', '--port', '0', '--event-port', '0', ...place])).stderr);
  }
});

/** One line with the cause, one with the remedy; no stack. */
function assertExplained(output: string): void {
  assert.match(output, /stacks-index: .*(read-only|readonly|cannot be written)/i);
  assert.match(output, /make .* writable|choose a directory .* this user may make and write/i);
  assert.doesNotMatch(output, /^ +at /m);
}

const fail = (): never => assert.fail('there are more events');
