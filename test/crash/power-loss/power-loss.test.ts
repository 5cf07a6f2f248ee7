import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { casesOf, scale } from '../../support/scale.ts';
import { entriesOf } from '../deliver.ts';
import { runServer, type Server, untilIndexed } from '../program.ts';
import { type Random, seededRandom } from '../random.ts';
import { contentOf, type Found, openReference, readFound } from '../reference.ts';
import { sampleEvents } from '../round.ts';
import { storeIn } from '../store.ts';
import type { Kept } from './file-content.ts';
import { buildLayer, type Layer } from './layer.ts';
import { type Files, filesAfter, type Loss, readFiles, writeFiles } from './write-log.ts';

const LOSSES = casesOf('POWER_LOSSES');
/**
 * Each life of the program is checked with this many power failures; the next life begins with the result of one of
 * them.
 */
const LOSSES_OF_A_LIFE = Math.min(20, LOSSES);
/** SQLite writes by pages. */
const LARGEST_WRITE = 4096;
/** In the short form the beginning of the sample chain. */
const EVENTS = scale === 'short' ? 60 : Number.POSITIVE_INFINITY;
const SEED = Number(process.env.CRASH_SEED ?? 1);
/** What is there after a power failure: of what was not synced nothing, all, or (mostly) any part. */
const KEPT: readonly Kept[] = ['none', 'all', 'some', 'some', 'some'];

const layer = buildLayer();
after(() => ('remove' in layer ? layer.remove() : undefined));
const skip = 'missing' in layer ? layer.missing : false;

/** What a life of the program left to judge. */
interface Life {
  readonly before: Files;
  readonly log: Buffer;
  /** For each event that was acknowledged, in order: how long the log was when its 200 arrived. */
  readonly acknowledged: readonly number[];
  /** The files at its end, when no power failed. */
  readonly after: Files;
}

/** Starts the program on these files and posts events to it until all are acknowledged. */
async function live(t: TestContext, layer: Layer, before: Files, events: Parameters<Server['post']>[0][]) {
  const home = mkdtempSync(join(tmpdir(), 'stacks-power-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const [directory, logFile] = [join(home, 'data'), join(home, 'log')];
  writeFiles(directory, before);
  const server = await runServer(['--data', directory], layer.environment(directory, logFile));
  t.after(() => server.kill());
  assert.ok(await server.ready, server.output());
  const acknowledged: number[] = [];
  for (const event of events) {
    const { status, text } = await server.post(event);
    assert.equal(status, 200, text);
    acknowledged.push(statSync(logFile).size);
  }
  await untilIndexed(server);
  await server.kill();
  const log = readFileSync(logFile);
  const after = readFiles(directory);
  assertSameFiles(filesAfter(before, log, { at: log.length, kept: 'all' }, seededRandom(1)), after);
  rmSync(home, { recursive: true, force: true });
  return { before, log, acknowledged, after } satisfies Life;
}

/** The log has every write, except one if the program was killed before that had its record. */
function assertSameFiles(logged: Files, real: Files): void {
  assert.deepEqual([...logged.keys()].toSorted(), [...real.keys()].toSorted());
  const different = [...real].filter(([name, bytes]) => !logged.get(name)?.equals(bytes));
  const names = different.map(([name]) => name).join(', ');
  assert.ok(different.length <= 1, `${names} are not what the log tells`);
  for (const [name, bytes] of different)
    assert.ok(
      changedSpan(logged.get(name) ?? Buffer.alloc(0), bytes) <= LARGEST_WRITE,
      `${names} is not what the log tells`,
    );
}

/** Bytes from the first to the last that differ. */
function changedSpan(a: Buffer, b: Buffer): number {
  const end = Math.max(a.length, b.length);
  let first = 0;
  while (first < end && a[first] === b[first]) first++;
  let last = end - 1;
  while (last > first && a[last] === b[last]) last--;
  return last - first + 1;
}

/** At any moment, or just when an event was acknowledged. */
function lossOf({ log, acknowledged }: Life, random: Random): Loss {
  const anywhere = random.int(0, log.length);
  const at = random.int(0, 1) === 0 ? anywhere : (acknowledged[random.int(0, acknowledged.length - 1)] ?? anywhere);
  return { at, kept: KEPT[random.int(0, KEPT.length - 1)] ?? 'some' };
}

async function lookAt(files: Files): Promise<Found> {
  const home = mkdtempSync(join(tmpdir(), 'stacks-power-'));
  try {
    const store = storeIn(home);
    writeFiles(store.directory ?? '', files);
    return await store.look(readFound);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Each index is what an uninterrupted one makes of as many entries of its journal. */
async function assertIndexed(all: readonly Found[]): Promise<void> {
  const reference = await openReference();
  try {
    for (const found of all.toSorted((a, b) => a.position - b.position)) await reference.check(found);
  } finally {
    await reference.close();
  }
}

test('whenever the power fails, what was acknowledged is there, and the index is that of a prefix of the journal', {
  skip,
}, async t => {
  if ('missing' in layer) return;
  const random = seededRandom(SEED);
  const events = sampleEvents().slice(0, EVENTS);
  const { expected, isEntry } = await entriesOf(events);
  const entriesUpTo = (count: number) => isEntry.slice(0, count).filter(Boolean).length;
  const lives = Math.ceil(LOSSES / LOSSES_OF_A_LIFE);
  const tally = { losses: 0, lives, lost: 0, behind: 0 };
  let files: Files = new Map();
  let next = 0;
  for (let life = 1; life <= lives; life++) {
    const posted = events.slice(next, Math.ceil((events.length * life) / (lives + 1)));
    const lived = await live(t, layer, files, posted);
    const left: { readonly found: Found; readonly files: Files; readonly acknowledged: number }[] = [];
    for (let i = 0; i < LOSSES_OF_A_LIFE; i++) {
      const loss = lossOf(lived, random);
      const files = filesAfter(lived.before, lived.log, loss, random);
      const acknowledged = next + lived.acknowledged.filter(at => at <= loss.at).length;
      const found = await lookAt(files).catch(cause => {
        throw new Error(`life ${life}, power failure ${JSON.stringify(loss)}: ${cause}`, { cause });
      });
      const { entries, position } = found;
      assert.ok(
        entries.length >= entriesUpTo(acknowledged),
        `life ${life}, ${JSON.stringify(loss)}: ${entriesUpTo(acknowledged)} entries were acknowledged, ${entries.length} are there`,
      );
      assert.ok(entries.every((entry, i) => entry.seq === i + 1 && contentOf(entry) === expected[i]));
      if (entries.length < entriesUpTo(next + posted.length)) tally.lost++;
      if (position < entries.length) tally.behind++;
      left.push({ found, files, acknowledged });
    }
    await assertIndexed(left.map(({ found }) => found));
    tally.losses += left.length;
    const goesOn = left[random.int(0, left.length - 1)];
    files = goesOn?.files ?? files;
    next = goesOn?.acknowledged ?? next;
  }
  const last = await live(t, layer, files, events.slice(next));
  const found = await lookAt(last.after);
  assert.equal(found.position, expected.length);
  assert.ok(found.entries.every((entry, i) => contentOf(entry) === expected[i]));
  await assertIndexed([found]);
  t.diagnostic(JSON.stringify(tally));
  assert.ok(tally.lost > 0 && tally.behind > 0, `the failures took nothing: ${JSON.stringify(tally)}`);
});
