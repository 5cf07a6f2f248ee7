import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { sampleEvents } from '../../../test/crash/round.ts';
import { type Behaviour, startArchiveServer } from '../../../test/support/archive-server.ts';
import { callProgram } from '../../../test/support/call-program.ts';
import { assertSameTables } from '../../../test/support/chain-assertions.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { minisigner } from '../../../test/support/minisigner.ts';
import { deliverTo, dumpOf, openPlace } from '../../../test/support/places.ts';
import { type MinisignKey, parseMinisignKey } from '../../base/lib/minisign.ts';
import { createSnapshot } from '../../operate/copy/snapshot/create.ts';
import { HEADER_BYTES, type SnapshotHeader } from '../../operate/copy/snapshot/header.ts';
import { CopyRefused } from '../../operate/copy/source.ts';
import { readOptions } from '../options/options.ts';
import { downloadSnapshot } from './download.ts';
import { restoreIfEmpty } from './restore-url.ts';

const never = new AbortController().signal;

let folder: string;
let snapshot: Buffer;
let source: Awaited<ReturnType<typeof dumpOf>>;
const cleanups: (() => Promise<void>)[] = [];
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stacks-download-'));
  const from = await openPlace(openFreshOf.sqlite, { after: hook => void cleanups.push(hook) });
  await deliverTo(from, sampleEvents().slice(0, 60));
  const file = join(folder, 'made.snapshot');
  await createSnapshot({ from, file, program: '1.2.3', onProgress: () => {}, signal: never });
  snapshot = readFileSync(file);
  source = await dumpOf(from);
});
after(async () => {
  for (const cleanup of cleanups) await cleanup();
  rmSync(folder, { recursive: true, force: true });
});

/** A server of the snapshot, and the file into which it is fetched. */
async function served(t: TestContext, given: Partial<Behaviour> = {}) {
  const server = await startArchiveServer(snapshot, given);
  t.after(() => server.close());
  const file = join(mkdtempSync(join(folder, 'to-')), 'data.snapshot.partial');
  const headers: { readonly header: SnapshotHeader; readonly isWritten: boolean }[] = [];
  const fetch = (signal = never, onProgress: (bytes: number) => void = () => {}, key?: MinisignKey) =>
    downloadSnapshot({
      url: new URL(server.url),
      file,
      signal,
      key,
      allowPrivate: true,
      version: '0',
      limits: { pauseMs: 1 },
      onRetry: () => {},
      onHeader: header => void headers.push({ header, isWritten: existsSync(file) }),
      onProgress,
    });
  return { server, file, headers, fetch };
}

test('a snapshot is fetched whole, across breaks, and its header is known before anything is written', async t => {
  const { fetch, file, headers, server } = await served(t, { breakAfter: 131_072 });
  await fetch();
  assert.ok(readFileSync(file).equals(snapshot));
  assert.deepEqual([headers[0]?.header.program, headers[0]?.isWritten], ['1.2.3', false]);
  assert.ok(server.requests.length > 2);
});

for (const [name, given] of Object.entries({ 'with ranges': {}, 'without ranges': { ranges: false } }))
  test(`what a stopped download has kept is not written again (a server ${name})`, async t => {
    const { fetch, file, server } = await served(t, given);
    const stop = new AbortController();
    await assert.rejects(
      fetch(stop.signal, () => stop.abort(new Error('stopped'))),
      /stopped/,
    );
    const kept = statSync(file).size;
    assert.ok(kept > HEADER_BYTES && kept < snapshot.length, String(kept));
    server.requests.length = 0;
    await fetch();
    assert.ok(readFileSync(file).equals(snapshot));
    assert.deepEqual(server.requests, ['all', `bytes=${kept}-`]);
    server.requests.length = 0;
    await fetch();
    assert.deepEqual(server.requests, ['all'], 'a whole file is not requested again');
  });

test('what was kept of another snapshot, or was damaged, is fetched again', async t => {
  const { fetch, file } = await served(t);
  const damaged = Buffer.from(snapshot);
  damaged[snapshot.length - 10] = (damaged.at(-10) ?? 0) ^ 1;
  for (const kept of [Buffer.from('something else'), Buffer.alloc(snapshot.length + 5), damaged]) {
    writeFileSync(file, kept);
    await fetch();
    assert.ok(readFileSync(file).equals(snapshot));
  }
});

test('a part without its checksum ends the download, and nothing of it is continued', async t => {
  const { fetch, file, server } = await served(t);
  const damaged = Buffer.from(snapshot);
  damaged[HEADER_BYTES + 10] = (damaged.at(HEADER_BYTES + 10) ?? 0) ^ 1;
  server.behaviour.content = damaged;
  await assert.rejects(
    fetch(),
    (error: unknown) => error instanceof CopyRefused && /does not have its checksum/.test(error.message),
  );
  assert.ok(!existsSync(file));
  server.behaviour.content = snapshot.subarray(0, snapshot.length - 1);
  await assert.rejects(fetch(), /in place of/);
  server.behaviour.content = Buffer.concat([snapshot, Buffer.from('more')]);
  await assert.rejects(fetch(), /more than|follow its last part/);
  server.behaviour.content = Buffer.from('no snapshot at all');
  await assert.rejects(fetch(), /is no snapshot/);
  server.behaviour.content = snapshot;
  await fetch();
  assert.ok(readFileSync(file).equals(snapshot));
});

test('with a key only a snapshot whose header it signed is fetched, and nothing is written of another', async t => {
  const { fetch, file, server } = await served(t);
  const [own, other] = [minisigner(), minisigner()];
  const key = parseMinisignKey(own.text) ?? assert.fail();
  const fetchSigned = () => fetch(never, () => {}, key);
  const head = snapshot.subarray(0, HEADER_BYTES);
  for (const [signature, reason] of [
    [undefined, /has no signature/],
    [other.sign(head), /was made with the key/],
    [own.sign(snapshot), /is not that of this file/],
  ] as const) {
    server.behaviour.signature = signature;
    await assert.rejects(fetchSigned(), (error: unknown) => error instanceof CopyRefused && reason.test(error.message));
    assert.ok(!existsSync(file));
  }
  server.behaviour.signature = own.sign(head);
  await fetchSigned();
  assert.ok(readFileSync(file).equals(snapshot));
});

test('snapshot restore takes a URL: it shows the chain, restores every row, and leaves no file', async t => {
  const { server } = await served(t);
  const to = await openPlace(openFreshOf.sqlite, t);
  const refused = await callProgram(['snapshot', 'restore', server.url, '--insecure', ...to.args]);
  assert.equal(refused.code, 1);
  assert.match(refused.output, /--allow-private/);
  const { code, stdout, stderr } = await callProgram([
    'snapshot',
    'restore',
    server.url,
    '--allow-private',
    '--insecure',
    ...to.args,
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /found: [\s\S]*chain: {3}0x80000000\n {2}tip: {5}13 /);
  assert.match(stdout, /restored: [\s\S]*chain: {3}0x80000000/);
  assertSameTables(await dumpOf(to), source);
  assert.ok(!existsSync(`${to.data}.snapshot.partial`));
  assert.match(stderr, /No signature is checked/);
  for (const args of [['http://', '--insecure'], [server.url, '--snapshot-key', 'RWxx'], [server.url]])
    assert.equal((await callProgram(['snapshot', 'restore', ...args, ...to.args])).code, 2);
});

test('serve --snapshot restores where nothing is stored, once', async t => {
  const { server } = await served(t);
  const to = await openPlace(openFreshOf.sqlite, t);
  const args = ['serve', '--snapshot', server.url, '--allow-private', '--insecure', ...to.args];
  const options = readOptions(args, {});
  await restoreIfEmpty(server.url, options, never);
  assertSameTables(await dumpOf(to), source);
  assert.equal(server.requests.length, 2);
  await restoreIfEmpty(server.url, options, never);
  assert.equal(server.requests.length, 2, 'what is stored stays, and nothing is requested');
  assert.equal(options.snapshot, server.url);
});
