/** Every past release hands its directory over to this version, as docs/upgrading.md describes: built from its commit, with its index and its server. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { writeArchive } from '../src/ingest/node/archive/write.ts';
import { SCHEMA_VERSION } from '../src/operate/storage/chain-binding.ts';
import { readReleases } from '../tools/release/releases.ts';
import { responseOf, runServer, untilIndexed } from './crash/program.ts';
import { sampleEvents } from './crash/round.ts';
import { callProgram } from './support/call-program.ts';
import { openFreshOf } from './support/engines.ts';
import { checkOutPast, type PastCheckout } from './support/past-checkout.ts';
import { openPlace } from './support/places.ts';
import { freePort, missingPostgres } from './support/postgres.ts';
import { atLength, scale } from './support/scale.ts';
import { until } from './support/until.ts';

const ROOT = join(import.meta.dirname, '..');
const CHAIN = ['--chain-id', '0x80000000'];

/** Pages of a process that only reads: lists, an item, balances. */
const PAGES = [
  '/extended/v2/blocks?limit=5',
  '/extended/v2/burn-blocks?limit=5',
  '/extended/v1/tx?limit=20',
  '/extended/v1/tokens/nft/holdings?principal=ST3G56JS93C0AZ4TK01KMJNCYVXN7XR99KWS6511V',
  '/extended/v1/address/ST3G56JS93C0AZ4TK01KMJNCYVXN7XR99KWS6511V/balances',
];

async function stop(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null) return;
  const gone = once(program, 'exit');
  program.kill('SIGTERM');
  await gone;
}

/** The events that the programs of past releases load; the others come later. */
const LOADED = 500;

/** A past release loads the first events of the sample chain into a place, given as options. @param folder for the archive */
async function loadInto(place: readonly string[], { program, env }: PastCheckout, folder: string): Promise<void> {
  const archive = join(folder, 'first.tsv');
  async function* first() {
    for (const [i, { path, body }] of sampleEvents().slice(0, LOADED).entries())
      yield { id: i + 1, path, receivedAt: 1_700_000_000_000 + i, body };
  }
  await writeArchive(archive, first());
  const loaded = spawnSync(program, ['replay', archive, ...place, ...CHAIN], { encoding: 'utf8', env });
  assert.equal(loaded.status, 0, loaded.stderr);
}

for (const { version, commit, schema } of readReleases(ROOT)) {
  test(`${version} serves while this version builds its index, gives way without losing an event, and can be started again until drop-old`, async t => {
    if (scale === 'short') return t.skip('npm run test:all upgrades from past releases');
    const past = checkOutPast(commit);
    if ('missing' in past) return t.skip(past.missing);
    t.after(past.remove);
    const { env } = past;
    const data = join(mkdtempSync(join(tmpdir(), 'stacks-upgrade-')), 'data');
    t.after(() => rmSync(join(data, '..'), { recursive: true, force: true }));
    const events = sampleEvents();
    await loadInto(['--data', data], past, join(data, '..'));
    const other = join(data, '../other');
    cpSync(data, other, { recursive: true });

    if (schema !== SCHEMA_VERSION) {
      const refused = await callProgram(['verify', '--data', data]);
      assert.equal(refused.code, 1);
      assert.match(refused.output, new RegExp(`has schema version ${schema}.*needs ${SCHEMA_VERSION}[\\s\\S]*reindex`));
    }

    const [port, eventPort] = [await freePort(), await freePort()];
    const ports = ['--port', String(port), '--event-port', String(eventPort)];
    const serveOld = () => {
      const server = spawn(past.program, ['serve', '--data', data, ...CHAIN, ...ports], { stdio: 'ignore', env });
      t.after(() => stop(server));
      return server;
    };
    const status = () => responseOf(`http://127.0.0.1:${port}/extended`, {});
    const isServed = async () => (await status()).status === 200 && (await status()).body?.lag === 0;
    const server = serveOld();
    await until(isServed, `${version} does not serve`);
    const rebuilt = await callProgram(['reindex', '--data', data]);
    assert.equal(rebuilt.code, 0, rebuilt.output);

    const post = async (part: typeof events) => {
      for (const { path, body } of part) {
        const url = `http://127.0.0.1:${eventPort}${path}`;
        const posted = await responseOf(url, { method: 'POST', body: Buffer.from(body) });
        assert.equal(posted.status, 200, posted.text);
      }
    };
    await post(events.slice(LOADED, 560));
    await until(isServed, `${version} does not index what comes after the rebuild`);
    const tip = (await status()).body?.chain_tip;
    await stop(server);

    const next = await runServer(['--data', data]);
    t.after(() => next.kill());
    assert.ok(await next.ready, next.output());
    await untilIndexed(next);
    assert.deepEqual((await next.get('/extended')).body?.chain_tip, tip);
    await next.kill('SIGTERM');

    const again = serveOld();
    await until(isServed, `${version} does not serve again`);
    assert.deepEqual((await status()).body?.chain_tip, tip);
    await post(events.slice(560));
    await until(isServed, `${version} does not go on`);
    const end = (await status()).body?.chain_tip;
    if (schema !== SCHEMA_VERSION) {
      const used = await callProgram(['drop-old', '--data', data]);
      assert.deepEqual([used.code, /another process uses index.sqlite/.test(used.output)], [1, true], used.output);
    }
    await stop(again);
    const dropped = await callProgram(['drop-old', '--data', data]);
    assert.equal(dropped.code, 0, dropped.output);
    const last = await runServer(['--data', data]);
    t.after(() => last.kill());
    assert.ok(await last.ready, last.output());
    await untilIndexed(last);
    assert.deepEqual((await last.get('/extended')).body?.chain_tip, end);
    await last.kill('SIGTERM');
    const verified = await callProgram(['verify', '--data', data]);
    assert.equal(verified.code, 0, verified.output);

    // Without a reindex before, serve does it.
    const direct = await runServer(['--data', other]);
    t.after(() => direct.kill());
    assert.ok(await direct.ready, direct.output());
    for (const event of events.slice(LOADED)) assert.equal((await direct.post(event)).status, 200);
    await untilIndexed(direct);
    assert.deepEqual((await direct.get('/extended')).body?.chain_tip, end);
    await direct.kill('SIGTERM');
  });

  test(`a process of ${version} that only reads PostgreSQL goes on answering from its index while this version builds its own and serves, until drop-old`, {
    skip: atLength || missingPostgres(),
  }, async t => {
    const past = checkOutPast(commit);
    if ('missing' in past) return t.skip(past.missing);
    t.after(past.remove);
    const folder = mkdtempSync(join(tmpdir(), 'stacks-upgrade-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const place = await openPlace(openFreshOf.postgres, t);
    await loadInto(place.args, past, folder);

    const port = await freePort();
    const ask = (path: string) => responseOf(`http://127.0.0.1:${port}${path}`, {});
    const options = ['serve', '--mode', 'readonly', ...place.args, ...CHAIN, '--port', String(port)];
    const reader = spawn(past.program, options, { stdio: 'ignore', env: past.env });
    t.after(() => stop(reader));
    await until(async () => (await ask('/readyz')).status === 200, `${version} does not serve`);
    const shown = async () => {
      const pages = await Promise.all(PAGES.map(ask));
      return [(await ask('/extended')).body?.chain_tip, ...pages.map(({ status, text }) => [status, text])];
    };
    const before = await shown();
    const tip = before[0];
    let [looks, isOver] = [0, false];
    let changed: Awaited<ReturnType<typeof shown>> | undefined;
    const watch = (async () => {
      for (; !isOver; looks++) {
        const now = await shown();
        if (!isDeepStrictEqual(now, before)) changed ??= now;
      }
    })();

    const server = await runServer(place.args);
    t.after(() => server.kill());
    assert.ok(await server.ready, server.output());
    await until(() => looks > 1, 'the old process does not answer');
    for (const event of sampleEvents().slice(LOADED)) assert.equal((await server.post(event)).status, 200);
    await untilIndexed(server);
    assert.notDeepEqual((await server.get('/extended')).body?.chain_tip, tip);
    const seen = looks;
    await until(() => looks > seen + 1, 'the old process does not answer any more');
    isOver = true;
    await watch;
    assert.deepEqual(changed ?? before, before, 'the old process answered otherwise in between');

    if (schema !== SCHEMA_VERSION) {
      const used = await callProgram(['drop-old', ...place.args]);
      assert.deepEqual([used.code, /another process uses/.test(used.output)], [1, true], used.output);
    }
    assert.deepEqual(await shown(), before, 'the refused drop-old changed nothing');
    await stop(reader);
    const dropped = await callProgram(['drop-old', ...place.args]);
    assert.equal(dropped.code, 0, dropped.output);
    assert.equal((await server.get('/extended/v2/blocks?limit=1')).status, 200);
    await server.kill('SIGTERM');
    const verified = await callProgram(['verify', ...place.args]);
    assert.equal(verified.code, 0, verified.output);
  });
}
