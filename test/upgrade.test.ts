/** Every past release hands its directory over to this version, as docs/upgrading.md describes: built from its commit, with its index and its server. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { writeArchive } from '../src/ingest/node/archive/write.ts';
import { SCHEMA_VERSION } from '../src/operate/storage/chain-binding.ts';
import { readReleases } from '../tools/release/releases.ts';
import { responseOf, runServer, untilIndexed } from './crash/program.ts';
import { sampleEvents } from './crash/round.ts';
import { callProgram } from './support/call-program.ts';
import { freePort } from './support/postgres.ts';
import { scale } from './support/scale.ts';
import { until } from './support/until.ts';

const ROOT = join(import.meta.dirname, '..');
const CHAIN = ['--chain-id', '0x80000000'];

/** The files of a commit, with the packages of this checkout; gone after the test. @returns its program; undefined without its history */
function programOf(t: TestContext, commit: string): string | undefined {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (git('cat-file', '-e', commit).status !== 0) return undefined;
  const folder = join(mkdtempSync(join(tmpdir(), 'stacks-past-')), 'checkout');
  t.after(() => {
    git('worktree', 'remove', '--force', folder);
    rmSync(join(folder, '..'), { recursive: true, force: true });
  });
  const made = git('worktree', 'add', '--quiet', '--detach', folder, commit);
  assert.equal(made.status, 0, made.stderr);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bin/stacks-index');
}

async function stop(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null) return;
  const gone = once(program, 'exit');
  program.kill('SIGTERM');
  await gone;
}

for (const { version, commit, schema } of readReleases(ROOT))
  test(`${version} serves while this version builds its index, and gives way without losing an event`, async t => {
    if (scale === 'short') return t.skip('npm run test:all upgrades from past releases');
    const old = programOf(t, commit);
    if (old === undefined) return t.skip('the history is not here');
    const data = join(mkdtempSync(join(tmpdir(), 'stacks-upgrade-')), 'data');
    t.after(() => rmSync(join(data, '..'), { recursive: true, force: true }));
    const events = sampleEvents();
    const archive = join(data, '../first.tsv');
    async function* first() {
      for (const [i, { path, body }] of events.slice(0, 500).entries())
        yield { id: i + 1, path, receivedAt: 1_700_000_000_000 + i, body };
    }
    await writeArchive(archive, first());
    const loaded = spawnSync(old, ['replay', archive, '--data', data, ...CHAIN], { encoding: 'utf8' });
    assert.equal(loaded.status, 0, loaded.stderr);

    if (schema !== SCHEMA_VERSION) {
      const refused = await callProgram(['serve', '--data', data]);
      assert.equal(refused.code, 1);
      assert.match(refused.output, new RegExp(`has schema version ${schema}.*needs ${SCHEMA_VERSION}[\\s\\S]*reindex`));
    }

    const [port, eventPort] = [await freePort(), await freePort()];
    const ports = ['--port', String(port), '--event-port', String(eventPort)];
    const server = spawn(old, ['serve', '--data', data, ...CHAIN, ...ports], { stdio: 'ignore' });
    t.after(() => stop(server));
    const status = () => responseOf(`http://127.0.0.1:${port}/extended`, {});
    await until(async () => (await status()).status === 200, `${version} does not serve`);
    const rebuilt = await callProgram(['reindex', '--data', data]);
    assert.equal(rebuilt.code, 0, rebuilt.output);

    for (const { path, body } of events.slice(500)) {
      const url = `http://127.0.0.1:${eventPort}${path}`;
      const posted = await responseOf(url, { method: 'POST', body: Buffer.from(body) });
      assert.equal(posted.status, 200, posted.text);
    }
    await until(async () => (await status()).body?.lag === 0, `${version} does not index what comes after the rebuild`);
    const tip = (await status()).body?.chain_tip;
    await stop(server);

    const next = await runServer(['--data', data]);
    t.after(() => next.kill());
    assert.ok(await next.ready, next.output());
    await untilIndexed(next);
    assert.deepEqual((await next.get('/extended')).body?.chain_tip, tip);
    await next.kill('SIGTERM');
    const verified = await callProgram(['verify', '--data', data]);
    assert.equal(verified.code, 0, verified.output);
  });
