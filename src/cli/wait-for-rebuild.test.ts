import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { sampleEvents } from '../../test/crash/round.ts';
import { onSqliteAtLeast, openFreshOf } from '../../test/support/engines.ts';
import { PAST_EVENTS, placeOfPast } from '../../test/support/past-index.ts';
import { journalLength } from '../../test/support/places.ts';
import { freePort } from '../../test/support/postgres.ts';
import { until } from '../../test/support/until.ts';
import { readReleases } from '../../tools/release/releases.ts';
import { readState } from '../ingest/indexer/index-state.ts';
import { addDropped } from '../ingest/journal/journal-format.ts';
import { SCHEMA_VERSION } from '../operate/storage/chain-binding.ts';
import { whileReindexing } from '../operate/storage/locks.ts';
import { newestOther } from '../operate/storage/other-indexes.ts';
import { openJournal, openStorage } from '../operate/storage/storage.ts';
import { servingOptions } from './commands/serve.ts';
import { readOptions } from './options/options.ts';
import { waitForRebuild } from './wait-for-rebuild.ts';

const old = readReleases(join(import.meta.dirname, '../..')).findLast(({ schema }) => schema !== SCHEMA_VERSION);
const version = old?.version ?? '';
const logger = pino({ level: 'silent' });

interface Got {
  readonly status: number;
  readonly body: { readonly code?: string; readonly progress?: Readonly<Record<string, unknown>> };
}

async function send(port: number, path: string, body?: Uint8Array): Promise<Got> {
  const method = body ? 'POST' : 'GET';
  const sent = request({ port, host: '127.0.0.1', path, method, agent: false }).end(body);
  sent.on('error', () => undefined);
  const [response] = await once(sent, 'response').catch(() => []);
  if (response === undefined) return { status: 0, body: {} };
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

onSqliteAtLeast((engine, openFresh) => {
  test(`serve builds the index of an older release anew; meanwhile events are stored and requests get 503 with the progress (${engine})`, async t => {
    const place = await placeOfPast(version, openFresh, t);
    const [port, eventPort] = [await freePort(), await freePort()];
    const ports = ['--port', String(port), '--event-port', String(eventPort)];
    const options = servingOptions(readOptions(['serve', ...place.args, ...ports, '--chain-id', '0x80000000'], {}));
    const journal = await openJournal(place);
    t.after(() => journal.journalDb.close());
    let waiting: Promise<void> | undefined;
    // While another process builds it, as on PostgreSQL a second server would: so this one waits.
    await whileReindexing(journal, async () => {
      waiting = waitForRebuild(options, logger, new AbortController().signal);
      await until(async () => (await send(port, '/livez')).status === 200, 'it does not start');
      const { status, body } = await send(port, '/extended/v2/blocks');
      assert.deepEqual([status, body.code], [503, 'REBUILDING']);
      assert.deepEqual(Object.keys(body.progress ?? {}), ['part', 'indexed', 'events', 'height', 'estimated_end']);
      const next = sampleEvents()[PAST_EVENTS];
      assert.ok(next);
      await until(async () => (await send(eventPort, next.path, next.body)).status === 200, 'it takes no events');
    });
    await waiting;
    assert.equal(await journalLength(place), PAST_EVENTS + 1);
    const storage = await openStorage(place);
    const { position } = await storage.indexDb.read(readState).finally(() => storage.close());
    assert.ok(position >= PAST_EVENTS, `${position} events`);
    assert.ok(await newestOther(journal), 'the index of the older release stays');
    await waitForRebuild(options, logger, new AbortController().signal); // there is nothing left to do
  });
});

test('serve builds nothing from a journal without some payloads: it names an archive and a snapshot, and changes nothing', async t => {
  const place = await placeOfPast(version, openFreshOf.sqlite, t);
  const { journalDb } = await openJournal(place);
  await journalDb.write(tx => addDropped(tx, 1, 2));
  await journalDb.close();
  const options = servingOptions(readOptions(['serve', ...place.args, '--chain-id', '0x80000000'], {}));
  await assert.rejects(waitForRebuild(options, logger, new AbortController().signal), {
    name: 'IndexMismatch',
    hint: /reindex --archive ARCHIVE\|URL[\s\S]*snapshot/,
  });
  const read = await openJournal(place);
  assert.ok(await newestOther(read));
  await read.journalDb.close();
});
