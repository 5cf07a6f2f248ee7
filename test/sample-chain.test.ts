import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import type { Row } from '../src/base/store/database.ts';
import { readArchive } from '../src/ingest/node/archive/read.ts';
import { writeArchive } from '../src/ingest/node/archive/write.ts';
import { defaultEventServerLimits, startEventServer } from '../src/ingest/node/event-server.ts';
import { corrected } from '../tools/conformance/corrections.ts';
import { partOfArchive } from './crash/round.ts';
import { onEveryEngine, onSqliteAtLeast } from './support/engines.ts';
import { difference, readRecording } from './support/recording.ts';
import { databaseWithTables } from './support/reused-database.ts';
import { scale } from './support/scale.ts';
import { openTestIndex, type TestIndex } from './support/test-index.ts';

const root = join(import.meta.dirname, '..');
const archive = join(root, 'examples/sample-chain.tsv.gz');
/** Recorded with the row of an orphaned block although a canonical one has the transaction: docs/compatibility.md. */
const ORPHANED_ROW = '/extended/v1/search/0xa680958a84054867d564530be207d55a55d1ba4d0cadfda914d6340dfb4f72ec';

/** Without what contradicts itself in it (docs/compatibility.md). */
const recording = corrected(
  readRecording(join(root, 'test/fixtures/sample-chain.responses.jsonl.gz')),
).responses.filter(({ path }) => path !== ORPHANED_ROW);

/** Endpoints that are not served yet; their recorded responses are skipped. */
const NOT_SERVED = /^\/metadata\//;

/** Asks every recorded request, or one in so many. That each response is as its route publishes it, `get` sees to. */
async function assertAsRecorded(index: TestIndex, each: 1 | 3 | 10 = 1): Promise<void> {
  const wrong: string[] = [];
  const asked: number[] = [];
  for (const [i, recorded] of recording.entries()) {
    if (i % each !== 0) continue;
    const response = await index.get(recorded.path);
    if (NOT_SERVED.test(recorded.path) || /^\/(extended(\/v1\/status)?\/?)?$/.test(recorded.path)) continue;
    const why = difference(recorded, response.status, response.body);
    asked.push(response.status);
    if (why !== undefined) wrong.push(`${recorded.path} ${why}`);
  }
  assert.equal(
    wrong.length,
    0,
    `${wrong.length} of ${asked.length} responses differ:\n${wrong.slice(0, 20).join('\n')}`,
  );
  assert.ok(asked.length > 1000 / each, `only ${asked.length} requests were asked`);
  for (const status of [200, 400, 404])
    assert.ok(asked.filter(each => each === status).length > 50 / each, `few responses are ${status}`);
}

/** Tables with times of receipt, or counts of such, which differ between a replay and a delivery. */
const TIMED = new Set(['mempool_txs', 'pending_txs', 'pending_lists', 'dropped_txs', 'mempool_counts']);

function assertSameTables(actual: Record<string, Row[]>, expected: Record<string, Row[]>): void {
  for (const [name, rows] of Object.entries(expected))
    if (!TIMED.has(name)) assert.deepEqual(actual[name], rows, `table ${name}`);
}

onEveryEngine((engine, openFresh) => {
  test(`a replay of the sample chain answers as recorded, and as its routes publish it (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await index.replay(archive);
    await assertAsRecorded(index, scale === 'short' && engine === 'postgres' ? 10 : 1);
  });
});

/** Events of the chain that are posted and exported in the short form. */
const PART = 80;

onSqliteAtLeast((engine, openFresh) => {
  /** Of all tests here, none of which changes it; in the short form, of a part of the chain. */
  let replayed: TestIndex;
  let source = archive;
  const cleanups: (() => Promise<void> | void)[] = [];
  before(async () => {
    const suite = { after: (hook: () => Promise<void> | void) => void cleanups.push(hook) };
    if (scale === 'short') source = partOfArchive(newDirectory(suite), PART);
    replayed = await openTestIndex(await databaseWithTables(openFresh, suite));
    await replayed.replay(source);
  });
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  test(`events posted one by one, each twice, make the index that a replay makes (${engine})`, async t => {
    const posted = await openTestIndex(await databaseWithTables(openFresh, t));
    await postAll(posted, source);
    assertSameTables(await posted.dump(), await replayed.dump());
    if (scale === 'all') await assertAsRecorded(posted, 10);
  });

  test(`a replay of what was replayed already changes nothing (${engine})`, async () => {
    const before = await replayed.dump();
    await replayed.replay(source);
    assert.deepEqual(await replayed.dump(), before);
  });

  test(`the journal exported and replayed makes an identical index (${engine})`, async t => {
    const file = join(newDirectory(t), 'journal.tsv.zst');
    await writeArchive(file, exported(replayed));
    const second = await openTestIndex(await databaseWithTables(openFresh, t));
    await second.replay(file);
    assert.deepEqual(await second.dump(), await replayed.dump());
  });
});

/** A directory that is gone after the test. */
function newDirectory(t: { after(hook: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-sample-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function* exported(index: TestIndex) {
  for await (const { seq, receivedAt, path, body } of index.journal.entries())
    yield { id: seq, receivedAt, path, body };
}

/** Posts every event of an archive to an event server, twice in a row, as an impatient node does. */
async function postAll(index: TestIndex, file: string): Promise<void> {
  const server = await startEventServer({
    host: '127.0.0.1',
    port: 0,
    limits: defaultEventServerLimits,
    logger: pino({ level: 'silent' }),
    accept: async delivery => {
      await index.deliver(delivery);
    },
  });
  try {
    for await (const row of readArchive(file)) {
      if (row.kind === 'bad') continue;
      for (let times = 0; times < 2; times++) {
        const response = await fetch(`http://127.0.0.1:${server.port}${row.path}`, {
          method: 'POST',
          body: Buffer.from(row.body),
        });
        assert.equal(response.status, 200, await response.text());
      }
    }
  } finally {
    await server.close();
  }
}
