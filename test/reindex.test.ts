import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  currentGeneration,
  indexFile,
  openGeneration,
  setCurrentGeneration,
} from '../src/operate/storage/generations.ts';
import { openIndex, openJournal } from '../src/operate/storage/storage.ts';
import { type Program, runProgram, runServer, type Server, untilIndexed } from './crash/program.ts';
import { eventsOfARound } from './crash/round.ts';
import { callProgram } from './support/call-program.ts';
import { assertSameTables } from './support/chain-assertions.ts';
import { onSqliteAtLeast } from './support/engines.ts';
import { deliverTo, dumpOf, openPlace, type Place } from './support/places.ts';
import { atLength, scale } from './support/scale.ts';
import { until } from './support/until.ts';

const events = eventsOfARound();
/** Events that come before a reindex begins, and those that come until it ends. */
const FIRST = Math.floor(events.length * 0.45);
const SECOND = Math.floor(events.length * 0.75);

/** One of each kind of query, in blocks that the first events bring. */
const PATHS = [
  '/extended/v2/blocks?limit=5&offset=3',
  '/extended/v2/blocks/5',
  '/extended/v2/blocks/3/transactions',
  '/extended/v1/tx?limit=20',
  '/extended/v1/burnchain/reward_slot_holders?limit=20',
  '/extended/v1/tx/mempool?limit=20',
  '/extended',
];

async function start(t: { after(hook: () => Promise<void>): void }, place: Place): Promise<Server> {
  const server = await runServer(place.args);
  t.after(async () => void (await server.kill()));
  assert.ok(await server.ready, server.output());
  return server;
}

const reindexOf = (place: Place): Program => runProgram(['reindex', ...place.args]);

/** In this process: what is under test is the server. */
async function reindexed(place: Place): Promise<void> {
  const { code, output } = await callProgram(['reindex', ...place.args, '--chain-id', '0x80000000']);
  assert.equal(code, 0, output);
}

async function finished(program: Program): Promise<void> {
  const { code } = await program.ended;
  assert.equal(code, 0, program.output());
}

/** Waits until the server has moved so many times. */
const untilMoved = (server: Server, times: number) =>
  until(() => server.output().split('serving the rebuilt index').length > times, 'it does not move', server);

async function responsesOf(server: Server): Promise<string[]> {
  const responses: string[] = [];
  for (const path of PATHS) {
    const { status, text } = await server.get(path);
    assert.equal(status, 200, `${path}: ${text}`);
    responses.push(text);
  }
  return responses;
}

const KILLS = 5;
/** When a server is killed, in milliseconds after a reindex has ended. */
const MOMENTS = [0, 500, 1000];
const PAUSE_MS = scale === 'short' ? 150 : 10;

/** Repeats the request until `stop`. @returns the responses other than 200, and the number of all */
function keepAsking(server: Server) {
  const bad: string[] = [];
  let asked = 0;
  let stopped = false;
  const asking = [0, 1, 2].map(async first => {
    for (let i = first; !stopped && bad.length < 10; i++) {
      const path = PATHS[i % PATHS.length] ?? '';
      const { status, text } = await server.get(path);
      asked++;
      if (status !== 200) bad.push(`${path}: ${status} ${text.slice(0, 200)}`);
      await delay(PAUSE_MS);
    }
  });
  return async () => {
    stopped = true;
    await Promise.all(asking);
    return { bad, asked };
  };
}

async function post(server: Server, from: number, to?: number): Promise<void> {
  for (const event of events.slice(from, to)) {
    const { status, text } = await server.post(event);
    assert.equal(status, 200, text);
  }
}

async function generationOf(place: Place): Promise<number> {
  const journal = await openJournal(place);
  try {
    return await currentGeneration(journal);
  } finally {
    await journal.journalDb.close();
  }
}

onSqliteAtLeast((engine, openFresh) => {
  test(`a server moves to the new index while events arrive and requests are answered (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const server = await start(t, place);
    await post(server, 0, FIRST);
    await untilIndexed(server);
    const stopAsking = keepAsking(server);
    const reindexing = reindexOf(place);
    await post(server, FIRST, SECOND);
    await finished(reindexing);
    await untilMoved(server, 1);
    const verifying = callProgram(['verify', ...place.args]);
    await post(server, SECOND);
    const { code, output } = await verifying;
    assert.equal(code, 0, output);
    await untilIndexed(server);
    const { bad, asked } = await stopAsking();
    assert.deepEqual(bad, []);
    assert.ok(asked > 20, `only ${asked} requests`);

    const before = await responsesOf(server);
    await reindexed(place);
    await untilMoved(server, 2);
    assert.deepEqual(await responsesOf(server), before);
    assert.equal((await server.kill('SIGTERM')).code, 0, server.output());
    if (engine === 'sqlite') assert.ok(!existsSync(indexFile(place.data)), 'the first index is still there');

    assert.equal(await generationOf(place), 2);
    const served = await dumpOf(place);
    await reindexed(place);
    assertSameTables(await dumpOf(place), served);
  });

  test(`a reindex that is killed at any time harms nothing, and is done by the next one (${engine})`, {
    skip: atLength,
  }, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, events);
    const before = await dumpOf(place);
    const server = await start(t, place);
    const responses = await responsesOf(server);
    for (let kills = 0; kills < KILLS; kills++) {
      const reindexing = reindexOf(place);
      await delay(250 + 150 * kills);
      const { signal } = await reindexing.kill();
      assert.ok(signal === 'SIGKILL' || (await generationOf(place)) > 0, reindexing.output());
      assert.deepEqual(await responsesOf(server), responses);
    }
    await reindexed(place);
    const current = await generationOf(place);
    await until(async () => server.output().includes(`"generation":${current},`), 'it does not move', server);
    assert.deepEqual(await responsesOf(server), responses);
    await server.kill('SIGTERM');
    assertSameTables(await dumpOf(place), before);
  });

  test(`a server that is killed while it moves serves one of the two indexes afterwards (${engine})`, async t => {
    if (scale === 'short') return t.skip('npm run test:all kills it');
    const place = await openPlace(openFresh, t);
    await deliverTo(place, events);
    const before = await dumpOf(place);
    let responses: string[] | undefined;
    for (const moment of MOMENTS) {
      const server = await start(t, place);
      responses ??= await responsesOf(server);
      assert.deepEqual(await responsesOf(server), responses);
      await reindexed(place);
      await delay(moment);
      await server.kill();
    }
    const server = await start(t, place);
    await untilIndexed(server);
    assert.deepEqual(await responsesOf(server), responses);
    await server.kill('SIGTERM');
    assert.equal(await generationOf(place), MOMENTS.length);
    assertSameTables(await dumpOf(place), before);
  });

  test(`a server does not move to an index of another version, and says so (${engine})`, {
    skip: atLength,
  }, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, events.slice(0, 100));
    const server = await start(t, place);
    const before = await responsesOf(server);
    const journal = await openJournal(place);
    t.after(() => journal.journalDb.close());
    await (await openIndex(journal, place.chainId, { generation: 1 })).close();
    const other = await openGeneration(journal, 1);
    await other.write(tx => tx.run(`UPDATE meta SET value = '1000' WHERE name = 'schema_version'`));
    await other.close();
    await setCurrentGeneration(journal, 1);
    await until(() => server.output().includes('cannot be served yet'), 'it says nothing', server);
    assert.deepEqual(await responsesOf(server), before);
    await post(server, 100, 150);
    await untilIndexed(server);
    await reindexed(place);
    await untilMoved(server, 1);
    await untilIndexed(server);
  });
});
