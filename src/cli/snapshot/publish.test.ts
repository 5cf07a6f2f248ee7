import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sampleEvents } from '../../../test/crash/round.ts';
import { startBucket } from '../../../test/support/bucket.ts';
import { callProgram } from '../../../test/support/call-program.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { minisigner } from '../../../test/support/minisigner.ts';
import { deliverTo, openPlace } from '../../../test/support/places.ts';
import { createSnapshot } from '../../operate/copy/snapshot/create.ts';
import { HEADER_BYTES } from '../../operate/copy/snapshot/header.ts';
import { parseLatest } from '../../operate/copy/snapshot/latest.ts';
import { type PublishPlace, publishSnapshot } from '../../operate/copy/snapshot/publish.ts';
import { CopyRefused } from '../../operate/copy/source.ts';
import { bucketPlace, directoryPlace } from './publish-place.ts';

const signal = new AbortController().signal;
const quietly = { onProgress: () => {}, signal };
const KEYS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const own = minisigner();

let folder: string;
/** Two snapshots of one index, the older one first, each with its signature. */
let files: readonly [string, string];
const cleanups: (() => Promise<void>)[] = [];
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stacks-publish-'));
  const from = await openPlace(openFreshOf.sqlite, { after: hook => void cleanups.push(hook) });
  const events = sampleEvents();
  files = [join(folder, 'one.snapshot'), join(folder, 'two.snapshot')];
  for (const [i, file] of files.entries()) {
    await deliverTo(from, events.slice(i * 30, (i + 1) * 30));
    await createSnapshot({ from, file, program: '1.2.3', ...quietly });
    writeFileSync(`${file}.minisig`, own.sign(readFileSync(file).subarray(0, HEADER_BYTES)));
  }
});
after(async () => {
  for (const cleanup of cleanups) await cleanup();
  rmSync(folder, { recursive: true, force: true });
});

const newFolder = () => mkdtempSync(join(folder, 'to-'));
const publish = (file: string, to: PublishPlace) => publishSnapshot({ file, to, key: undefined, ...quietly });

test('latest.json names a snapshot that is there with its signature; the next one takes its place, an older one or one of another chain does not', async () => {
  const directory = newFolder();
  const to = directoryPlace(directory);
  const { latest: first } = await publish(files[0], to);
  const read = () => parseLatest(readFileSync(join(directory, 'latest.json'), 'utf8'));
  assert.deepEqual(read(), first);
  assert.deepEqual(
    [first.serial, first.chainId, first.bytes],
    [1, '0x80000000', statSync(join(directory, first.file)).size],
  );
  assert.ok(readFileSync(join(directory, first.file)).equals(readFileSync(files[0])));
  for (const name of [first.file, `${first.file}.minisig`, 'latest.json'])
    assert.equal(statSync(join(directory, name)).mode & 0o777, 0o644, `a web server reads ${name}`);
  assert.deepEqual((await publish(files[0], to)).latest, first, 'the same again changes nothing');
  const { latest: second } = await publish(files[1], to);
  assert.equal(second.serial, 2);
  assert.deepEqual(read(), second);
  await assert.rejects(
    publish(files[0], to),
    (error: unknown) => error instanceof CopyRefused && /was made at/.test(error.message),
  );
  writeFileSync(join(directory, 'latest.json'), JSON.stringify({ format: 1, ...second, chainId: '0x00000001' }));
  await assert.rejects(publish(files[1], to), /is of chain 0x80000000, that of before of 0x00000001/);
  writeFileSync(join(directory, 'latest.json'), '{}');
  await assert.rejects(publish(files[1], to), /is not one of this program/);
  assert.deepEqual(
    readdirSync(directory).filter(name => name.includes('partial')),
    [],
  );
});

test('a bucket gets the snapshot in parts by signed requests, and latest.json last; what is there is not sent again', async t => {
  const bucket = await startBucket({ ...KEYS, region: 'eu-central-1' });
  t.after(() => bucket.close());
  const s3 = {
    endpoint: bucket.endpoint,
    bucket: 'snapshots',
    region: 'eu-central-1',
    prefix: 'test/',
    credentials: KEYS,
  };
  const to = bucketPlace(s3, 20_000);
  const { latest } = await publish(files[0], to);
  const at = (name: string) => bucket.objects.get(`/snapshots/test/${name}`)?.bytes;
  assert.ok(at(latest.file)?.equals(readFileSync(files[0])), 'the parts make the file');
  assert.deepEqual(parseLatest(at('latest.json')?.toString() ?? ''), latest);
  assert.ok(at(`${latest.file}.minisig`));
  assert.equal([...bucket.objects.keys()].at(-1), '/snapshots/test/latest.json');
  assert.deepEqual(bucket.refused, []);
  const sizes: number[] = [];
  await publishSnapshot({ file: files[0], to, key: undefined, signal, onProgress: bytes => sizes.push(bytes) });
  assert.equal(sizes.length, 1, 'the file is there');
  const wrong = bucketPlace({ ...s3, credentials: { ...KEYS, secretAccessKey: 'other' } });
  await assert.rejects(
    publish(files[1], wrong),
    (error: unknown) => error instanceof CopyRefused && /status 403/.test(error.message),
  );
  assert.deepEqual(parseLatest(at('latest.json')?.toString() ?? ''), latest);
});

test('snapshot publish and restore: by latest.json and key a reader gets the newest, and refuses an older one that comes back', async t => {
  const directory = newFolder();
  const server = createServer((request, response) => {
    const file = join(directory, request.url ?? '');
    return existsSync(file) ? response.end(readFileSync(file)) : response.writeHead(404).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/latest.json`;
  const data = join(newFolder(), 'data');
  const restore = () =>
    callProgram(['snapshot', 'restore', url, '--snapshot-key', own.text, '--allow-private', '--data', data]);
  const published = async (file: string, ...args: string[]) =>
    callProgram(['snapshot', 'publish', file, directory, ...args]);

  const refused = await published(files[0], '--snapshot-key', minisigner().text);
  assert.deepEqual([refused.code, readdirSync(directory)], [1, []], refused.output);
  const first = await published(files[0], '--snapshot-key', own.text);
  assert.equal(first.code, 0, first.output);
  copyFileSync(join(directory, 'latest.json'), join(folder, 'old-latest.json'));
  assert.equal((await published(files[1], '--snapshot-key', own.text)).code, 0);

  const named = JSON.parse(readFileSync(join(directory, 'latest.json'), 'utf8')) as { file: string; digest: string };
  writeFileSync(join(directory, 'latest.json'), JSON.stringify({ ...named, digest: '0'.repeat(64) }));
  const other = await restore();
  assert.deepEqual([other.code, existsSync(data)], [1, false], other.output);
  assert.match(other.output, /is not the snapshot that .*latest\.json names/);
  writeFileSync(join(directory, 'latest.json'), JSON.stringify(named));

  const done = await restore();
  assert.equal(done.code, 0, done.output);
  assert.match(done.stderr, /found: /);
  for (const name of readdirSync(data))
    if (name !== 'snapshots-seen.json') rmSync(join(data, name), { recursive: true });
  copyFileSync(join(folder, 'old-latest.json'), join(directory, 'latest.json'));
  const older = await restore();
  assert.equal(older.code, 1);
  assert.match(older.output, /names snapshot 1 of .*; snapshot 2 of .* was there before/);
});

test('a target that is no directory and no bucket, and a bucket without keys, are wrong usage', async () => {
  for (const target of ['ftp://host/path', 's3://', 's3://bucket/prefix'])
    assert.equal((await callProgram(['snapshot', 'publish', files[0], target])).code, 2, target);
  assert.equal((await callProgram(['snapshot', 'publish', files[0]])).code, 2);
  assert.equal((await callProgram(['snapshot', 'restore', files[0], 'more'])).code, 2);
});
