import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { indexFile } from '../../src/operate/storage/generations.ts';
import { atLength, scale } from '../support/scale.ts';
import { runProgram, runServer, type Server, untilIndexed } from './program.ts';
import { type Random, seededRandom } from './random.ts';
import { assertComplete, journalOfDelivered, readFound } from './reference.ts';
import { sampleEvents } from './round.ts';
import { type CrashStore, directoryStore } from './store.ts';

const events = sampleEvents();

/**
 * What a power failure can leave of a WAL from byte `synced` on: anything. What is before was synced before a checkpoint copied it into
 * the database file (docs/reliability.md), and no power failure takes that back.
 */
const DAMAGES: Readonly<Record<string, (wal: string, synced: number, random: Random) => void>> = {
  'garbage after its end': (wal, _synced, random) => appendFileSync(wal, garbage(30_000, random)),
  'zeros after its end': wal => appendFileSync(wal, Buffer.alloc(20_000)),
  'its last frame cut in the middle': (wal, synced) => truncateSync(wal, Math.max(synced, statSync(wal).size - 1000)),
  'its last half gone': (wal, synced) => truncateSync(wal, middle(wal, synced)),
  'garbage over its last half': (wal, synced, random) => {
    const from = middle(wal, synced);
    overwrite(wal, from, garbage(statSync(wal).size - from, random));
  },
  'a header of garbage': (wal, synced, random) =>
    overwrite(wal, synced, garbage(Math.min(32, statSync(wal).size - synced), random)),
  'nothing left of it': (wal, synced) => truncateSync(wal, synced),
};

const middle = (wal: string, synced: number): number => synced + Math.floor((statSync(wal).size - synced) / 2);

function overwrite(file: string, from: number, bytes: Buffer): void {
  const all = readFileSync(file);
  bytes.copy(all, from);
  writeFileSync(file, all);
}

/**
 * How many bytes of a WAL a checkpoint has begun to copy into the database file. The index of the WAL beside it has the number of
 * frames at offset 128 (sqlite.org/walformat.html, "nBackfillAttempted"); 0 when the WAL started over since.
 */
function syncedBytes(wal: string): number {
  const shared = wal.replace(/-wal$/, '-shm');
  const frames = readFileSync(shared).readUInt32LE(128);
  const pageSize = readFileSync(wal).readUInt32BE(8);
  return frames === 0 ? 0 : Math.min(statSync(wal).size, 32 + frames * (24 + pageSize));
}

/** Damages that leave every synced frame as it was. */
const AFTER_THE_END = ['garbage after its end', 'zeros after its end'];

const garbage = (length: number, random: Random): Buffer =>
  Buffer.from(Array.from({ length }, () => random.int(0, 255)));

async function started(t: TestContext, store: CrashStore): Promise<Server> {
  const serve = await runServer(store.args);
  t.after(() => serve.kill());
  assert.ok(await serve.ready, serve.output());
  return serve;
}

/** Posts these events, which must all be accepted. */
async function post(serve: Server, from: number, to: number): Promise<void> {
  for (const event of events.slice(from, to)) assert.equal((await serve.post(event)).status, 200);
}

/** Damages a WAL again and again while the chain grows; in the end all must be as if nothing had happened. */
async function growDamaged(t: TestContext, file: string, damages: readonly string[]): Promise<void> {
  const store = directoryStore();
  t.after(store.remove);
  const random = seededRandom(1);
  let sent = 0;
  for (const damage of damages) {
    const serve = await started(t, store);
    await post(serve, sent, sent + STEP);
    sent += STEP;
    await serve.kill();
    const wal = join(store.directory ?? '', file);
    assert.ok(existsSync(wal) && statSync(wal).size > 0, 'there is no WAL to damage');
    DAMAGES[damage]?.(wal, syncedBytes(wal), random);
    const { entries } = await store.look(readFound);
    assert.equal(entries.length, (await journalOfDelivered(events.slice(0, sent))).length, damage);
  }
  const serve = await started(t, store);
  await untilIndexed(serve);
  assert.equal((await serve.kill('SIGTERM')).code, 0, serve.output());
  await assertComplete(store, await journalOfDelivered(events.slice(0, sent)));
}

const STEP = scale === 'short' ? 25 : 40;

test('whatever follows the end of the journal in its WAL, nothing that was acknowledged is lost', t =>
  growDamaged(t, 'journal.sqlite-wal', scale === 'short' ? AFTER_THE_END.slice(0, 1) : AFTER_THE_END));

const ofIndex = scale === 'short' && 'npm run test:all damages the index too';
test('a damaged WAL of the index costs work, and nothing else', { skip: ofIndex }, t =>
  growDamaged(t, `${basename(indexFile(''))}-wal`, Object.keys(DAMAGES)),
);

test('a journal that lost its end, with an index that is ahead of it, is named with what to do', {
  skip: atLength,
}, async t => {
  const store = directoryStore();
  t.after(store.remove);
  const serve = await started(t, store);
  await post(serve, 0, STEP);
  await untilIndexed(serve);
  await serve.kill();
  truncateSync(join(store.directory ?? '', 'journal.sqlite-wal'), 0);
  const again = runProgram(['serve', ...store.args, '--port', '0', '--event-port', '0']);
  t.after(() => again.kill());
  assert.equal((await again.ended).code, 1);
  assert.match(again.output(), /the index is ahead of its journal.*\n.*reindex/);
});
