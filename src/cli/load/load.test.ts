import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { pino } from 'pino';
import { linesOfArchive, sampleEvents } from '../../../test/crash/round.ts';
import { archiveOf } from '../../../test/network/archives.ts';
import { startArchiveServer } from '../../../test/support/archive-server.ts';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { type OpenFresh, onSqliteAtLeast } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { casesOf } from '../../../test/support/scale.ts';
import { openTestIndex, TESTNET, type TestIndex } from '../../../test/support/test-index.ts';
import type { Database } from '../../base/store/database.ts';
import { openLoads } from '../../ingest/journal/archive-loads.ts';
import type { Delivery } from '../../ingest/journal/entries.ts';
import { waitingTotals } from '../../ingest/journal/waiting-deliveries.ts';
import type { UnprovenLoad } from '../../operate/storage/unproven-load.ts';
import { loadNameOf } from '../replay/sources.ts';
import { LoadEstimate } from './estimate.ts';
import { loadArchives, recogniseChain } from './load.ts';

const LIMITS = { maxEventBytes: 1e8, maxEventNesting: 512, zstdWindowLog: 27, allowPrivate: true, minFreeSpace: 0 };
const SILENT = pino({ level: 'silent' });

interface Loaded {
  readonly marks: (UnprovenLoad | undefined)[];
}

interface LoadCase {
  readonly archives: readonly string[];
  readonly chainId?: number;
  /** Called before each turn; true ends the load. */
  readonly onTurn?: (turn: number) => Promise<boolean>;
  /** Whether the index is marked. */
  readonly isUnproven?: boolean;
}

/** Runs the load in this thread. */
async function load(
  database: Database,
  { archives, chainId = TESTNET, onTurn = async () => false, isUnproven = false }: LoadCase,
): Promise<Loaded> {
  const stopping = new AbortController();
  const marks: (UnprovenLoad | undefined)[] = [];
  let turn = 0;
  const parts = {
    ...{ journalDb: database, chainId, logger: SILENT, signal: stopping.signal, part: { rows: 10, bytes: 1e6 } },
    restartBytes: 1,
    isUnwitnessed: async () => (await database.read(q => q.get('SELECT 1 AS found FROM journal'))) === undefined,
    inTurn: async <T>(work: () => Promise<T>): Promise<T> => {
      if (await onTurn(turn++)) stopping.abort();
      stopping.signal.throwIfAborted();
      return work();
    },
    isUnproven: async () => isUnproven,
    onProof: async (mark: UnprovenLoad | undefined) => void marks.push(mark),
  };
  const options = { ...LIMITS, data: tmpdir(), database: undefined, archives };
  await loadArchives(options, parts).catch(error => {
    if (!stopping.signal.aborted) throw error;
  });
  return { marks };
}

function fileOf(t: TestContext, name: string, content: Uint8Array | string): string {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-load-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, name), content);
  return join(directory, name);
}

async function openIndex(
  openFresh: OpenFresh,
): Promise<{ index: TestIndex; database: Database; close(): Promise<void> }> {
  const { database, cleanup } = await openFresh();
  return { index: await openTestIndex(database), database, close: cleanup };
}

/** Forks, microblocks and pending transactions are among them. */
const EVENTS = sampleEvents().slice(0, 120);

onSqliteAtLeast((engine, openFresh) => {
  test(`an index that serves while it loads equals that of replay, then serve: whatever overlaps, comes in between and stops it (${engine})`, async t => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          rows: fc.integer({ min: 20, max: 100 }),
          overlap: fc.nat(20),
          arrivals: fc.array(fc.nat(12), { maxLength: 40 }),
          stops: fc.uniqueArray(fc.integer({ min: 1, max: 14 }), { maxLength: 2 }),
        }),
        async ({ rows, overlap, arrivals, stops }) => {
          const archive = fileOf(t, 'archive.tsv', linesOfArchive(rows).join('\n'));
          const live = EVENTS.slice(rows - overlap, rows - overlap + arrivals.length + 5);
          const expected = await openIndex(openFresh);
          const found = await openIndex(openFresh);
          try {
            await expected.index.replay(archive);
            await expected.index.deliver(...live);

            await found.index.journal.beginLoads([loadNameOf(archive)]);
            const due = [...arrivals].sort((a, b) => a - b);
            let next = 0;
            let turns = 0;
            const accept = async () => {
              const delivery = live[next++];
              if (delivery) await found.index.journal.accept(delivery);
            };
            for (const stop of [...stops, undefined])
              await load(found.database, {
                archives: [archive],
                onTurn: async () => {
                  for (turns++; due[0] !== undefined && due[0] < turns; due.shift()) await accept();
                  // The indexer is anywhere.
                  if (turns % 3 === 0) await found.index.indexer.catchUp();
                  return turns === stop;
                },
              });
            while (next < live.length) await accept();
            await found.index.indexer.catchUp();
            assert.deepEqual(await found.index.dump(), await expected.index.dump());
            assert.equal((await found.database.read(waitingTotals)).count, 0);
          } finally {
            await expected.close();
            await found.close();
          }
        },
      ),
      { numRuns: Math.ceil(casesOf('PROPERTY_RUNS', engine) / 2) },
    );
  });

  const chain = new ChainBuilder('loaded', TESTNET).chain(4);
  const deliveries = chain.map(({ delivery }) => delivery);

  async function failed(database: Database): Promise<string> {
    const [load] = await database.read(openLoads);
    assert.equal(load?.state, 'failed');
    return load?.reason ?? '';
  }

  test(`after an archive that is cut off events go on waiting, until another one or none is named (${engine})`, async t => {
    const { index, database, close } = await openIndex(openFresh);
    t.after(close);
    const whole = gzipSync(linesOfArchive(60).join('\n'));
    const archive = fileOf(t, 'archive.tsv.gz', whole.subarray(0, whole.length - 500));
    await index.journal.beginLoads([loadNameOf(archive)]);
    const { marks } = await load(database, { archives: [archive] });
    assert.match(await failed(database), /is damaged or incomplete.*--replay none/);
    assert.match(marks[0]?.reason ?? '', /cut off/);
    const length = await index.journal.length();
    assert.ok(length > 0);
    assert.equal(await index.journal.accept(EVENTS[70] as Delivery), undefined);
    assert.equal(await index.journal.length(), length);
    const good = fileOf(t, 'archive.tsv.gz', whole);
    await index.journal.beginLoads([loadNameOf(good)]);
    await load(database, { archives: [good] });
    assert.equal(await index.journal.length(), 61);
    await index.journal.beginLoads([loadNameOf(archive)]);
    await index.journal.accept(EVENTS[71] as Delivery);
    assert.equal(await index.journal.beginLoads([]), false);
    await load(database, { archives: [] });
    assert.equal(await index.journal.length(), 62);
  });

  test(`of an archive whose checksum is wrong the events stay, and those of the node go on waiting (${engine})`, async t => {
    const { index, database, close } = await openIndex(openFresh);
    t.after(close);
    const server = await startArchiveServer(Buffer.from(linesOfArchive(30).join('\n')), { checksum: '0'.repeat(64) });
    t.after(() => server.close());
    await index.journal.beginLoads([server.url]);
    const { marks } = await load(database, { archives: [server.url] });
    assert.match(await failed(database), /The checksum is wrong/);
    assert.equal(marks[0]?.source, server.url);
    server.behaviour.checksum = undefined;
    await load(database, { archives: [server.url] });
    assert.deepEqual(await database.read(openLoads), []);
    assert.equal(await index.journal.length(), 30);
  });

  test(`an archive of another network is refused before a row of it is stored (${engine})`, async t => {
    const { index, database, close } = await openIndex(openFresh);
    t.after(close);
    const archive = archiveOf(t, deliveries);
    await index.journal.beginLoads([loadNameOf(archive)]);
    await load(database, { archives: [archive], chainId: 1 });
    assert.match(await failed(database), /is of chain 0x80000000, not of 0x00000001/);
    assert.equal(await index.journal.length(), 0);
  });

  test('the first block of the archives that names a network decides, and nothing is stored for that', async t => {
    const { index, close } = await openIndex(openFresh);
    t.after(close);
    const server = await startArchiveServer(Buffer.from(linesOfArchive(60).join('\n')));
    t.after(() => server.close());
    const parts = { logger: SILENT, signal: new AbortController().signal };
    const options = { ...LIMITS, data: tmpdir(), database: undefined };
    assert.equal(await recogniseChain({ ...options, archives: [server.url] }, parts), TESTNET);
    const unnamed = archiveOf(
      t,
      chain.slice(0, 1).map(({ burn }) => burn.delivery),
    );
    assert.equal(await recogniseChain({ ...options, archives: [unnamed] }, parts), undefined);
    assert.equal(await recogniseChain({ ...options, archives: [unnamed, archiveOf(t, deliveries)] }, parts), TESTNET);
    assert.equal(await recogniseChain({ ...options, archives: ['/nowhere.tsv'] }, parts), undefined);
    assert.equal(await index.journal.length(), 0);
  });

  test(`a load from a server that was stopped anywhere goes on at a frame of zstd, if the file is the same, and the journal is that of the whole (${engine})`, async () => {
    const lines = linesOfArchive(90);
    // Frames end within lines, too.
    const text = Buffer.from(lines.join('\n'));
    const cuts = Array.from({ length: 19 }, (_, i) => Math.floor((text.length * i) / 18));
    const frames = cuts.slice(1).map((end, i) => zstdCompressSync(text.subarray(cuts[i], end)));
    const expected = lines.map(line => line.split('\t')[2]);
    for (const stop of [2, 3, 5, 8, 11]) {
      const { index, database, close } = await openIndex(openFresh);
      const server = await startArchiveServer(Buffer.concat(frames));
      try {
        await index.journal.beginLoads([server.url]);
        await load(database, { archives: [server.url], onTurn: async turn => turn === stop });
        // A marked index needs every byte, and keeps the point that was noted.
        if (stop === 5)
          await load(database, { archives: [server.url], isUnproven: true, onTurn: async turn => turn === 0 });
        if (stop === 8) server.behaviour.etag = '"two"';
        await load(database, { archives: [server.url] });
        const ranges = server.requests.filter(range => range !== 'all');
        // Before turn 2 nothing is noted.
        assert.equal(ranges.length, stop === 2 ? 0 : 1, `${stop}: ${server.requests}`);
        assert.ok(ranges.every(range => Number(/\d+/.exec(range)?.[0]) > 1000));
        const paths: string[] = [];
        for await (const { path } of index.journal.entries()) paths.push(path);
        assert.deepEqual(paths, expected);
        assert.deepEqual(await database.read(openLoads), []);
      } finally {
        await server.close();
        await close();
      }
    }
  });

  test(`archives are loaded in their order, and one that is complete is not read again (${engine})`, async t => {
    const { index, database, close } = await openIndex(openFresh);
    t.after(close);
    const archives = [archiveOf(t, deliveries.slice(0, 2)), archiveOf(t, deliveries)];
    await index.journal.beginLoads(archives.map(loadNameOf));
    await load(database, { archives, onTurn: async turn => turn === 3 });
    assert.deepEqual(
      (await database.read(openLoads)).map(({ source }) => source),
      archives.slice(1),
    );
    for (const archive of archives.slice(0, 1)) rmSync(archive);
    await load(database, { archives });
    assert.deepEqual(await database.read(openLoads), []);
    assert.equal(await index.journal.length(), 4);
  });
});

test('the end of a load is estimated by the bytes of the last minutes', () => {
  const estimate = new LoadEstimate();
  assert.equal(estimate.endOf(0, 1000, 0), null);
  assert.equal(estimate.endOf(100, 1000, 10_000), 100_000);
  assert.equal(estimate.endOf(100, 0, 10_000), null);
  // What was read more than five minutes ago does not count.
  assert.equal(estimate.endOf(110, 1000, 400_000), null);
  assert.equal(estimate.endOf(210, 1000, 410_000), 489_000);
});
