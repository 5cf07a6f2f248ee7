import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { type HostileWeb, jsonPage, startHostileWeb } from '../../../test/support/hostile-web.ts';
import { MetadataWorld, okSome } from '../../../test/support/metadata-world.ts';
import { PATIENCE_MS, until } from '../../../test/support/until.ts';
import { openDatabase } from '../../base/store/open.ts';
import { createFetcher, DEFAULT_PORTS } from '../fetch/fetch-document.ts';
import { DEFAULT_GATEWAYS } from '../fetch/gateways.ts';
import { createHostGate, hostBlocks } from '../fetch/host-gate.ts';
import { DEFAULT_METADATA_LIMITS } from '../limits.ts';
import { MetadataRunner, type RunnerOptions } from './runner.ts';

const logger = pino({ level: 'silent' });

/** Runners that a test has started: they stop before the database is closed. */
const running = new WeakMap<MetadataWorld, (() => Promise<void>)[]>();

/** Runs a worker until the test ends, or until `stop`. */
function start(world: MetadataWorld, more: Partial<RunnerOptions> = {}) {
  const stopping = new AbortController();
  const runner = new MetadataRunner({ ...world.context, now: Date.now, logger, ...more });
  const ended = runner.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  running.set(world, [...(running.get(world) ?? []), stop]);
  return { runner, stop };
}

/** A fetcher whose requests go to a web server of this machine. */
function fetcherOf(web: HostileWeb, world: MetadataWorld) {
  const limits = { ...DEFAULT_METADATA_LIMITS, documentMs: 10_000, hostRequestsPerSecond: 1_000, hostConcurrency: 20 };
  return createFetcher({
    limits,
    gateways: DEFAULT_GATEWAYS,
    allowHosts: [new URL(web.origin).host],
    allowPorts: DEFAULT_PORTS,
    gate: createHostGate({ limits, blocks: hostBlocks(world.db) }),
    version: '0.0.0',
    replaceIds: true,
  });
}

onSqliteAtLeast((engine, openFresh) => {
  async function openWorld(t: TestContext, limits = {}) {
    const { database, location, cleanup } = await openFresh();
    const world = await MetadataWorld.open(database, { limits });
    t.after(async () => {
      for (const stop of running.get(world) ?? []) await stop();
      await cleanup();
    });
    return { world, location };
  }

  async function withTokens(t: TestContext, count: number, limits = {}) {
    const { world, location } = await openWorld(t, limits);
    world.setResultsFor('cats');
    const tokens = Array.from({ length: count }, (_, i) => i + 1);
    for (const id of tokens) world.document(`ipfs://cats/${id}`, { name: `Cat ${id}` });
    const block = await world.block(undefined, world.deploy('cats'), world.mint('cats', ...tokens));
    return { world, block, location };
  }
  const isServed = (world: MetadataWorld, token: number) => async () => (await world.nft('cats', token)).status === 200;

  test('it fetches what the index has, and what comes later', async t => {
    const { world, block } = await withTokens(t, 3);
    const { runner } = start(world);
    await until(isServed(world, 3), 'not served');
    world.document('ipfs://cats/4', { name: 'Cat 4' });
    await world.block(block, world.mint('cats', 4));
    runner.poke();
    await until(isServed(world, 4), 'not served');
    const figures = await runner.figures();
    assert.equal(figures.jobs_done, 5);
    assert.equal(figures.outcome_token_done, 4);
    assert.equal(figures.jobs_waiting, 0);
  });

  test('of two workers on the same database each job is run by one', async t => {
    const { world, location } = await withTokens(t, 60);
    const db = engine === 'postgres' ? openDatabase(location) : world.db;
    const workers = [start(world), start(world, { db, index: db })];
    await until(async () => (await world.jobs('done')) === 61, 'not done');
    for (const { stop } of workers) await stop();
    if (db !== world.db) await db.close();
    assert.equal(world.web.requests.length, 60);
    assert.equal(new Set(world.web.requests).size, 60);
  });

  test('a job that takes too long is ended, and writes nothing afterwards', async t => {
    const { world } = await withTokens(t, 1, { jobMs: 200 });
    let isAborted = false;
    world.web.before = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          isAborted = true;
          reject(signal.reason);
        });
      });
    const { stop } = start(world);
    await until(async () => Number((await world.job('cats', '1'))?.attempts) > 0, 'not failed');
    await stop();
    assert.ok(isAborted);
    assert.match(String((await world.job('cats', '1'))?.error), /took longer than 200 ms/);
    assert.deepEqual(await world.db.read(q => q.all('SELECT token FROM metadata_tokens')), []);
  });

  test('what is begun when it stops is given back, and done by the next', async t => {
    const { world } = await withTokens(t, 1);
    world.web.before = (_, signal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const first = start(world);
    await until(async () => world.web.requests.length > 0, 'not asked');
    await first.stop();
    assert.equal((await world.job('cats', '1'))?.state, 'waiting');
    world.web.before = async () => {};
    start(world);
    await until(isServed(world, 1), 'not served');
    assert.equal((await world.job('cats', '1'))?.attempts, 0);
  });

  test('a contract whose tokens hang does not keep others waiting', async t => {
    const { world, block } = await withTokens(t, 40, { concurrency: 4 });
    world.setResultsFor('dogs');
    world.document('ipfs://dogs/1', { name: 'Rex' });
    world.web.before = async (uri, signal) => {
      if (uri.startsWith('ipfs://cats')) await delay(PATIENCE_MS, undefined, { signal, ref: false });
    };
    const { runner } = start(world);
    await until(async () => world.web.requests.length >= 2, 'not busy');
    await world.block(block, world.deploy('dogs'), world.mint('dogs', 1));
    runner.poke();
    await until(async () => (await world.nft('dogs', 1)).status === 200, 'not served');
    assert.ok(world.web.requests.filter(uri => uri.startsWith('ipfs://cats')).length <= 2);
  });

  test('while the node does not answer, tokens wait without attempts', async t => {
    const { world } = await withTokens(t, 50);
    world.node.results.clear();
    start(world);
    await until(async () => world.node.calls.length >= 3, 'not paused');
    await delay(300);
    assert.ok(world.node.calls.length < 30, `${world.node.calls.length} calls`);
    assert.equal((await world.nft('cats', 50)).status, 422);
  });

  test('servers that misbehave cost their own tokens only', async t => {
    const { world } = await openWorld(t);
    const web = await startHostileWeb({ '/good': jsonPage({ name: 'Good #{id}' }) });
    t.after(() => web.close());
    const expected = {
      '/good': 'done null',
      '/nul.json': 'done null',
      '/html': 'invalid 105',
      '/not-there': 'invalid 107',
      '/large.json': 'invalid 101',
      '/bomb.json': 'invalid 101',
      '/loop': 'invalid 105',
      '/drip': 'waiting null',
      '/reset': 'waiting null',
    };
    const paths = Object.keys(expected);
    for (const [i, path] of paths.entries())
      world.node.results.set(`${world.contract(`c${i}`)}.get-token-uri`, okSome(`${web.origin}${path}`));
    world.node.results.set('get-last-token-id', '0x070100000000000000000000000000000000');
    const names = paths.map((_, i) => `c${i}`);
    await world.block(undefined, ...names.flatMap(name => [world.deploy(name), world.mint(name, 1)]));
    const { runner } = start(world, { fetcher: fetcherOf(web, world) });
    const outcomes = async () => {
      const jobs = await Promise.all(names.map(name => world.job(name, '1')));
      const isTried = jobs.every(job => job?.state === 'done' || Number(job?.attempts) > 0);
      return isTried
        ? Object.fromEntries(paths.map((path, i) => [path, `${jobs[i]?.state} ${jobs[i]?.reason}`]))
        : null;
    };
    await until(async () => (await outcomes()) !== null, 'not tried');
    assert.deepEqual(await outcomes(), expected);
    assert.equal((await world.nft('c0', 1)).body.metadata.name, 'Good #1');
    assert.equal((await world.nft('c1', 1)).body.metadata.name, 'a\uFFFDb');
    const figures = await runner.figures();
    assert.equal(figures.outcome_token_done, 2);
  });
});
