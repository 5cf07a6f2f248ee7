import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { type Behaviour, sha256, startArchiveServer } from '../../../test/support/archive-server.ts';
import { HttpFile, type HttpFileOptions, publishedSha256 } from './http-file.ts';
import { shownUrl } from './http-file-error.ts';

const CONTENT = randomBytes(300_000);

const options = (given: Partial<HttpFileOptions> = {}): HttpFileOptions => ({
  signal: new AbortController().signal,
  allowPrivate: true,
  version: '0',
  onRetry: () => {},
  limits: { pauseMs: 1, patienceMs: 60_000 },
  ...given,
});

/** Reads the file of a server; the function may change the server when so many bytes have come. */
async function read(
  t: TestContext,
  given: Partial<Behaviour>,
  given2: Partial<HttpFileOptions> = {},
  onBytes: (bytes: number, behaviour: Behaviour) => void = () => {},
) {
  const server = await startArchiveServer(CONTENT, given);
  t.after(() => server.close());
  const file = new HttpFile(new URL(server.url), options(given2));
  const parts: Buffer[] = [];
  const failure = await (async () => {
    for await (const chunk of file.chunks()) {
      parts.push(chunk);
      onBytes(file.bytesRead, server.behaviour);
    }
  })().then(
    () => undefined,
    (error: Error & { code?: string }) => error,
  );
  return { file, bytes: Buffer.concat(parts), failure, requests: server.requests, server };
}

test('a file comes whole, with its length and its SHA-256', async t => {
  const { file, bytes, requests } = await read(t, {});
  assert.ok(bytes.equals(CONTENT));
  assert.deepEqual([file.bytesTotal, file.sha256, requests], [CONTENT.length, sha256(CONTENT), ['all']]);
});

test('after a break the rest is requested, under the condition that the file is the same', async t => {
  const { bytes, file, requests } = await read(t, { breakAfter: 131_072 });
  assert.ok(bytes.equals(CONTENT));
  assert.equal(file.sha256, sha256(CONTENT));
  assert.deepEqual(requests, ['all', 'bytes=131072-', 'bytes=262144-']);
});

for (const [name, given] of Object.entries({
  'knows no ranges': { ranges: false },
  'names no version of its file': { etag: undefined },
  'names it by a weak ETag only': { etag: 'W/"one"' },
  'announces no length': { ranges: false, chunked: true },
}))
  test(`a server that ${name} sends the file again, and what was read is skipped`, async t => {
    const given2 = { ...given, breakAfter: 131_072 };
    const { bytes, file, requests } = await read(t, given2, {}, (count, behaviour) => {
      if (count >= 131_072) behaviour.breakAfter = undefined;
    });
    assert.ok(bytes.equals(CONTENT));
    assert.equal(file.sha256, sha256(CONTENT));
    assert.equal(requests.length, 2);
  });

for (const [name, change] of Object.entries<(behaviour: Behaviour) => void>({
  'another ETag': behaviour => Object.assign(behaviour, { etag: '"two"', content: randomBytes(300_000) }),
  'another length': behaviour => Object.assign(behaviour, { etag: undefined, content: randomBytes(300_001) }),
  'other bytes, though ETag and length are the same': behaviour =>
    Object.assign(behaviour, { ranges: false, content: randomBytes(300_000) }),
  'fewer bytes than were read': behaviour => Object.assign(behaviour, { content: CONTENT.subarray(0, 1000) }),
}))
  test(`a file that has ${name} after a break has changed, which ends the reading`, async t => {
    const { failure, bytes, file } = await read(t, { breakAfter: 131_072 }, {}, (count, behaviour) => {
      if (count < 131_072) return;
      behaviour.breakAfter = undefined;
      change(behaviour);
    });
    assert.deepEqual([failure?.name, failure?.code, file.sha256], ['HttpFileError', 'url_changed', undefined]);
    assert.ok(bytes.equals(CONTENT.subarray(0, 131_072)));
  });

test('a reading begins in the middle where the server has the same version, and else at the start', async t => {
  const offset = 131_072;
  const cases: readonly [name: string, given: Partial<Behaviour>, version: string, requests: readonly string[]][] = [
    ['the same version', {}, '"one"', ['bytes=131072-']],
    ['another version', {}, '"two"', ['bytes=131072-']],
    ['no ranges', { ranges: false }, '"one"', ['bytes=131072-']],
    ['fewer bytes', { content: CONTENT.subarray(0, 1000) }, '"one"', ['bytes=131072-', 'all']],
    ['no version', { etag: undefined }, '"one"', ['bytes=131072-']],
    ['a break before the first byte', { refusals: [{ status: 503 }] }, '"one"', ['bytes=131072-', 'bytes=131072-']],
    ['a break later', { breakAfter: 65_536 }, '"one"', ['bytes=131072-', 'bytes=196608-', 'bytes=262144-']],
  ];
  for (const [name, given, version, requests] of cases) {
    const server = await startArchiveServer(CONTENT, given);
    t.after(() => server.close());
    const file = new HttpFile(new URL(server.url), options());
    file.beginAt({ offset, version });
    const parts: Buffer[] = [];
    for await (const chunk of file.chunks()) parts.push(chunk);
    const isPart = ['the same version', 'a break before the first byte', 'a break later'].includes(name);
    const content = given.content ?? CONTENT;
    assert.ok(Buffer.concat(parts).equals(isPart ? content.subarray(offset) : content), name);
    assert.deepEqual([file.startedAt, file.bytesRead], [isPart ? offset : 0, content.length], name);
    assert.equal(file.sha256, isPart ? undefined : sha256(content), name);
    assert.deepEqual(server.requests, requests, name);
  }
});

test('a server that is busy or stalls is requested again; one that never brings a byte is given up', async t => {
  const said: string[] = [];
  const onRetry = ({ message }: { message: string }) => void said.push(message);
  const busy = [{ status: 503 }, { status: 429, headers: { 'retry-after': '0' } }];
  assert.ok((await read(t, { refusals: busy }, { onRetry })).bytes.equals(CONTENT));
  assert.deepEqual(
    said.map(text => text.slice(text.indexOf(' ') + 1)),
    ['broke off after 0 bytes: status 503', 'broke off after 0 bytes: status 429'],
  );
  const limits = { pauseMs: 1, patienceMs: 60_000, idleMs: 50, connectMs: 300 };
  const stalled = await read(t, { stallAfter: 65_536 }, { limits }, (count, behaviour) => {
    if (count >= 65_536) behaviour.stallAfter = undefined;
  });
  assert.ok(stalled.bytes.equals(CONTENT));
  const mute = await read(t, { stallAfter: 0 }, { limits: { ...limits, patienceMs: 2000 } });
  assert.deepEqual([mute.failure?.code, mute.bytes.length], ['url_unreachable', 0]);
});

test('what is not there, is encoded, or leads elsewhere than to https: is refused at once', async t => {
  const refusals: [Partial<Behaviour>, RegExp][] = [
    [{ refusals: [{ status: 404 }] }, /status 404/],
    [{ encoding: 'gzip' }, /content-encoding "gzip"/],
    [{ refusals: [{ status: 302, headers: { location: 'http://127.0.0.1:1/x' } }] }, /not https:/],
    [{ refusals: [{ status: 302, headers: { location: 'file:///etc/passwd' } }] }, /not https:/],
  ];
  for (const [given, reason] of refusals) {
    const { failure, requests } = await read(t, given);
    assert.deepEqual([failure?.code, requests.length], ['url_refused', 1]);
    assert.match(failure?.message ?? '', reason);
  }
});

test('an address that is not public is requested only where that is allowed, whatever name leads to it', async t => {
  const { failure, requests } = await read(t, {}, { allowPrivate: false });
  assert.match(failure?.message ?? '', /127\.0\.0\.1 is not a public address/);
  assert.deepEqual(requests, []);
  const resolver = async () => [{ address: '127.0.0.1', family: 4 }];
  const named = new HttpFile(new URL('http://archive.example.org/x'), options({ allowPrivate: false, resolver }));
  await assert.rejects(named.chunks().next(), { name: 'HttpFileError', code: 'url_refused' });
});

test('messages name neither password nor query of a URL', async t => {
  const url = new URL('https://user:secret@archive.example.org:8443/a/b.zst?key=secret#x');
  assert.equal(shownUrl(url), 'https://archive.example.org:8443/a/b.zst');
  const { failure } = await read(t, { refusals: [{ status: 403 }] });
  assert.doesNotMatch(`${failure?.message}`, /secret/);
});

test('a signal ends the reading at once, also in a pause', async t => {
  const stop = new AbortController();
  const stalled = read(t, { stallAfter: 65_536 }, { signal: stop.signal }, () => stop.abort());
  assert.equal((await stalled).failure, undefined);
  const again = new AbortController();
  const onRetry = () => setImmediate(() => again.abort());
  const limits = { pauseMs: 600_000, patienceMs: 6_000_000_000 };
  const paused = await read(t, { refusals: [{ status: 503 }] }, { signal: again.signal, onRetry, limits });
  assert.deepEqual([paused.failure, paused.file.sha256], [undefined, undefined]);
});

test('the published checksum is found in each form that publishers use, or there is none', async t => {
  const server = await startArchiveServer(CONTENT);
  t.after(() => server.close());
  const hex = sha256(CONTENT);
  for (const [text, expected] of [
    [`${hex}\n`, hex],
    [`${hex}  mainnet-latest.zst\n`, hex],
    [`SHA256 (mainnet-latest.zst) = ${hex.toUpperCase()}\n`, hex],
    ['no checksum', undefined],
    [undefined, undefined],
  ] as const) {
    server.behaviour.checksum = text;
    assert.equal(await publishedSha256(new URL(server.url), options()), expected);
  }
});

test('a part of a file begins where it is wanted, and after a break the rest of it is requested', async t => {
  const { file, server } = await read(t, {});
  server.behaviour.breakAfter = 65_536;
  const part = file.from(100_000);
  const chunks: Buffer[] = [];
  for await (const chunk of part.chunks()) chunks.push(chunk);
  assert.ok(Buffer.concat(chunks).equals(CONTENT.subarray(100_000)));
  assert.deepEqual(server.requests.slice(0, 3), ['all', 'bytes=100000-', 'bytes=165536-']);
  assert.equal(part.sha256, undefined);
});

for (const [name, change, code] of [
  ['of another version', { etag: '"two"', ranges: true }, 'url_changed'],
  ['of a server that sends only whole files', { ranges: false }, 'url_without_ranges'],
] as const)
  test(`a part ${name} is refused`, async t => {
    const { file, server } = await read(t, {});
    Object.assign(server.behaviour, change);
    await assert.rejects(file.from(1).chunks().next(), { code });
  });
