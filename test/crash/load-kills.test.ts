import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/base/store/database.ts';
import { Journal } from '../../src/ingest/journal/journal.ts';
import { openJournal } from '../../src/operate/storage/storage.ts';
import { type ArchiveServer, startArchiveServer } from '../support/archive-server.ts';
import { callProgram } from '../support/call-program.ts';
import { onSqliteAtLeast } from '../support/engines.ts';
import { openPlace, type Place } from '../support/places.ts';
import { atLength, casesOf } from '../support/scale.ts';
import { until } from '../support/until.ts';
import { runServer, type Server, untilIndexed } from './program.ts';
import { seededRandom } from './random.ts';
import { linesOfArchive, sampleEvents } from './round.ts';

/** More than are stored at once. */
const ROWS = 450;
const CONTENT = Buffer.from(linesOfArchive(ROWS).join('\n'));
const MOST = Buffer.byteLength(linesOfArchive(ROWS - 20).join('\n'));
/** The node begins below the end of the archive. */
const LIVE = sampleEvents().slice(ROWS - 10, ROWS + 20);

interface ArchiveLoad {
  readonly state: string;
  readonly progress: number;
  readonly waiting_events: number;
}

const loadOf = async (server: Server) => {
  const { body } = await server.get('/extended');
  return body === undefined ? undefined : { isStarted: 'chain_tip' in body, load: body.archive_load as ArchiveLoad };
};

async function journalOf(place: Place): Promise<{ readonly texts: string[]; readonly isOpen: boolean }> {
  const { journalDb } = await openJournal(place);
  try {
    const journal = new Journal(journalDb);
    const texts: string[] = [];
    for await (const { path, body } of journal.entries()) texts.push(`${path} ${Buffer.from(body)}`);
    return { texts, isOpen: await journal.beginLoads([]) };
  } finally {
    await journalDb.close();
  }
}

const texts = (events: readonly { readonly path: string; readonly body: Uint8Array }[]) =>
  events.map(({ path, body }) => `${path} ${Buffer.from(body)}`);

const isMempool = (text: string): boolean => /^\/(new|drop)_mempool_tx /.test(text);

/** What the journal holds of the archive and of the events after it: known blocks come once, and so does the same news twice in a row. */
const EXPECTED = texts(sampleEvents().slice(0, ROWS)).concat(
  texts(LIVE).filter((text, i) => i >= 10 || isMempool(text)),
);

onSqliteAtLeast((engine, openFresh) => {
  test(`whenever a process that loads is killed, archive and events are in the journal once, in their order; a standby goes on (${engine})`, {
    skip: atLength,
  }, async t => {
    const place = await openPlace(openFresh, t);
    const archive = await startArchiveServer(CONTENT, { stallAfter: MOST });
    t.after(() => archive.close());
    const run = () => start(t, place, archive);
    const first = await run();
    const standby = engine === 'postgres' ? await run() : undefined;
    await until(async () => ((await loadOf(first))?.load?.progress ?? 0) > 0, 'it does not load', first);
    for (const event of LIVE.slice(0, 15)) await accepts(first, event);
    const half = (await loadOf(first))?.load;
    assert.ok(half && half.progress < 1 && half.waiting_events > 0, JSON.stringify(half));
    await first.kill();
    archive.behaviour.stallAfter = undefined;

    let server = standby ?? (await run());
    for (const kill of kills(engine)) {
      archive.behaviour.pauseMs = 40;
      await Promise.race([server.ready, delay(kill.ms)]);
      if (kill.isLoading) await Promise.race([server.says('loading an archive'), delay(5 * kill.ms)]);
      await delay(kill.ms / 10);
      await server.kill();
      server = await run();
    }
    archive.behaviour.pauseMs = undefined;
    for (const event of LIVE) await accepts(server, event);
    await until(
      async () => {
        const status = await loadOf(server);
        return status?.isStarted === true && status.load === undefined;
      },
      'the load does not end',
      server,
    );
    await untilIndexed(server);
    await server.kill();
    const { texts, isOpen } = await journalOf(place);
    assert.equal(isOpen, false);
    assert.deepEqual(texts.slice(0, ROWS), EXPECTED.slice(0, ROWS));
    // Posts that were repeated may be news again.
    assert.deepEqual(new Set(texts), new Set(EXPECTED));
    assert.deepEqual(
      texts.slice(ROWS).filter(text => !isMempool(text)),
      EXPECTED.slice(ROWS).filter(text => !isMempool(text)),
    );
    const { code, output } = await callProgram(['verify', ...place.args]);
    assert.equal(code, 0, output);
  });
});

async function start(
  t: { after(hook: () => Promise<unknown>): void },
  place: Place,
  { url }: ArchiveServer,
): Promise<Server> {
  // The archive names the network.
  const server = await runServer([...place.args, '--replay', url, '--allow-private'], {}, []);
  t.after(() => server.kill());
  return server;
}

/** The port is closed while the process starts, and opened anew once the network is known. */
const accepts = (server: Server, event: { readonly path: string; readonly body: Uint8Array }) =>
  until(async () => (await server.post(event)).status === 200, 'it takes no events', server);

/** Instants of further kills, at length. */
function kills(engine: Database['engine']): readonly { readonly ms: number; readonly isLoading: boolean }[] {
  const random = seededRandom(Number(process.env.CRASH_SEED ?? 1));
  return Array.from({ length: casesOf('CRASH_KILLS', engine) }, () => ({
    ms: random.int(0, 3000),
    isLoading: random.int(0, 1) === 1,
  }));
}
