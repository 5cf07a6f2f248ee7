import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import type { Gap } from '../src/ingest/chain/unapplied.ts';
import { readGaps } from '../src/ingest/indexer/gaps.ts';
import { readState } from '../src/ingest/indexer/index-state.ts';
import type { Delivery } from '../src/ingest/journal/entries.ts';
import { reindex } from '../src/operate/storage/reindex.ts';
import { openJournal, openStorage } from '../src/operate/storage/storage.ts';
import { runServer, type Server, untilIndexed } from './crash/program.ts';
import { ARCHIVE, partOfArchive, sampleEvents } from './crash/round.ts';
import { callProgram } from './support/call-program.ts';
import { assertSameTables, canonicalTables } from './support/chain-assertions.ts';
import { type BuiltBlock, ChainBuilder } from './support/chain-builder.ts';
import { onSqliteAtLeast } from './support/engines.ts';
import { deliverTo, dumpOf, openPlace, type Place } from './support/places.ts';
import { databaseWithTables } from './support/reused-database.ts';
import { atLength, scale } from './support/scale.ts';
import { openTestIndex } from './support/test-index.ts';

const events = sampleEvents();

const MISSING_HEIGHT = 10;

/** The first part of the sample chain without one of its blocks: all blocks above it wait. */
const part = events.slice(0, 70);
const MISSING = part.findIndex(({ path, body }) => path === '/new_block' && heightOf(body) === MISSING_HEIGHT);
const withGap = part.filter((_, i) => i !== MISSING);
const missing = part.slice(MISSING, MISSING + 1);
const HEIGHT_OF_PART = Math.max(...part.filter(({ path }) => path === '/new_block').map(({ body }) => heightOf(body)));

function heightOf(body: Uint8Array): number {
  return (JSON.parse(Buffer.from(body).toString()) as { block_height: number }).block_height;
}

interface Status {
  readonly chain_tip: { readonly block_height: number };
  readonly gaps: readonly { readonly height: number; readonly missing_parent: string }[];
}

interface Cleaned {
  after(hook: () => Promise<void> | void): void;
}

const deliveriesOf = (blocks: readonly BuiltBlock[]): Delivery[] => blocks.map(({ delivery }) => delivery);

async function statusOf(server: Server): Promise<Status> {
  await untilIndexed(server);
  return (await server.get('/extended')).body as unknown as Status;
}

async function start(t: Cleaned, place: Place): Promise<Server> {
  const server = await runServer(place.args);
  t.after(async () => void (await server.kill()));
  assert.ok(await server.ready, server.output());
  return server;
}

/** The height of the tip, and the gaps, in a place without a server. */
async function stateOf(place: Place): Promise<{ readonly height: number | undefined; readonly gaps: readonly Gap[] }> {
  const storage = await openStorage(place);
  try {
    return await storage.indexDb.read(async queries => ({
      height: (await readState(queries)).tip?.height,
      gaps: await readGaps(queries),
    }));
  } finally {
    await storage.close();
  }
}

async function command(...args: string[]): Promise<void> {
  const { code, output } = await callProgram([...args, '--chain-id', '0x80000000']);
  assert.equal(code, 0, output);
}

/** A sample chain with a gap in a new place, and what its status must say. */
async function placeWithGap(place: Place): Promise<void> {
  await deliverTo(place, withGap);
  const { height, gaps } = await stateOf(place);
  assert.equal(height, MISSING_HEIGHT - 1);
  assert.equal(gaps[0]?.height, MISSING_HEIGHT + 1, JSON.stringify(gaps));
}

async function assertHealed(place: Place): Promise<void> {
  assert.deepEqual(await stateOf(place), { height: HEIGHT_OF_PART, gaps: [] });
  await command('verify', ...place.args);
}

function archiveOfPart(t: Cleaned): string {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-part-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return partOfArchive(directory, part.length);
}

onSqliteAtLeast((engine, openFresh) => {
  test(`a gap heals when the node delivers the missing block (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await placeWithGap(place);
    const server = await start(t, place);
    const before = await statusOf(server);
    assert.deepEqual([before.chain_tip.block_height, before.gaps.length > 0], [MISSING_HEIGHT - 1, true]);
    for (const event of missing) assert.equal((await server.post(event)).status, 200);
    const { chain_tip, gaps } = await statusOf(server);
    assert.deepEqual([chain_tip.block_height, gaps], [HEIGHT_OF_PART, []]);
    await server.kill('SIGTERM');
    await assertHealed(place);
  });

  test(`a gap heals when an archive that overlaps is replayed (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await placeWithGap(place);
    await command('replay', archiveOfPart(t), ...place.args);
    assert.deepEqual(await stateOf(place), { height: HEIGHT_OF_PART, gaps: [] });
  });

  test(`a gap heals by the export of another index (${engine})`, { skip: atLength }, async t => {
    const place = await openPlace(openFresh, t);
    const other = await openPlace(openFresh, t);
    const directory = mkdtempSync(join(tmpdir(), 'stacks-gap-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    await placeWithGap(place);
    await deliverTo(other, part);
    const file = join(directory, 'other.tsv.zst');
    await command('export', file, ...other.args);
    await command('replay', file, ...place.args);
    await assertHealed(place);
  });

  test(`a gap is in an index that is built anew, and heals in the middle of building it (${engine})`, {
    skip: atLength,
  }, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, withGap);
    const stop = new AbortController();
    const build = async (signal: AbortSignal, onProgress: () => void) => {
      const journal = await openJournal(place);
      const logger = pino({ level: 'silent' });
      try {
        return await reindex({ place: journal, chainId: place.chainId, logger, onProgress, signal });
      } finally {
        await journal.journalDb.close();
      }
    };
    const stopped = await build(stop.signal, () => stop.abort());
    assert.equal(stopped.finished, false);
    await deliverTo(place, missing);
    const before = await dumpOf(place);
    assert.equal((await build(new AbortController().signal, () => {})).finished, true);
    assertSameTables(await dumpOf(place), before);
    await assertHealed(place);
  });

  test(`blocks that wait are all applied when the one below them comes (${engine})`, async t => {
    const chain = new ChainBuilder('deep gap');
    const root = chain.block();
    const [lowest, ...waiting] = chain.chain(scale === 'all' ? 300 : 20, root);
    assert.ok(lowest);
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await index.deliver(root.delivery, ...deliveriesOf(waiting));
    const gap = { height: 3, missing_parent: lowest.indexHash };
    assert.deepEqual((await index.get('/extended')).body.gaps, [gap]);
    const { tip } = await index.deliver(lowest.delivery);
    assert.equal(tip?.indexBlockHash, waiting.at(-1)?.indexHash);
    assert.deepEqual((await index.get('/extended')).body.gaps, []);
    const straight = await openTestIndex(await databaseWithTables(openFresh, t));
    await straight.deliver(root.delivery, lowest.delivery, ...deliveriesOf(waiting));
    assertSameTables(await canonicalTables(index), await canonicalTables(straight));
  });

  test(`of several branches that wait for one block the longest wins when it comes (${engine})`, async t => {
    const chain = new ChainBuilder('branches on a gap');
    const root = chain.block();
    const lowest = chain.block({ parent: root });
    const branches = [3, 7, 5].map(length => chain.chain(length, lowest));
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await index.deliver(root.delivery, ...branches.flatMap(deliveriesOf));
    const { gaps, chain_tip } = (await index.get('/extended')).body;
    assert.equal(chain_tip.block_height, 1);
    assert.deepEqual(
      new Set(gaps.map((gap: { missing_parent: string }) => gap.missing_parent)),
      new Set([lowest.indexHash]),
    );
    const { tip } = await index.deliver(lowest.delivery);
    assert.equal(tip?.indexBlockHash, branches[1]?.at(-1)?.indexHash);
    assert.deepEqual((await index.get('/extended')).body.gaps, []);
    const straight = await openTestIndex(await databaseWithTables(openFresh, t));
    await straight.deliver(root.delivery, lowest.delivery, ...deliveriesOf(branches[1] ?? []));
    const { lists, list_counters, ...tables } = await canonicalTables(index);
    const expected = await canonicalTables(straight);
    assertSameTables(tables, Object.fromEntries(Object.entries(expected).filter(([name]) => name in tables)));
    assert.deepEqual([lists, list_counters], [expected.lists, expected.list_counters]);
  });

  if (engine === 'sqlite') {
    test('a replay into a directory that is served is refused, and says what to do', { skip: atLength }, async t => {
      const place = await openPlace(openFresh, t);
      await deliverTo(place, events.slice(0, 20));
      await start(t, place);
      const replayed = await callProgram(['replay', ARCHIVE, ...place.args]);
      assert.equal(replayed.code, 1);
      assert.match(replayed.output, /in use by another process\n.*(serve|replay)/s);
    });
  }
});
