import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type Behaviour, sha256, startArchiveServer } from './support/archive-server.ts';
import { callProgram } from './support/call-program.ts';
import { onSqliteAtLeast } from './support/engines.ts';
import { dumpOf, journalLength, openPlace, type Place } from './support/places.ts';
import { scale } from './support/scale.ts';

const archive = join(import.meta.dirname, '../examples/sample-chain.tsv.gz');
const program = join(import.meta.dirname, '../bin/stacks-index');
const LINES = gunzipSync(readFileSync(archive)).toString().trim().split('\n');
/** Enough for several heights, forks and a witness. */
const TEXT = Buffer.from(`${LINES.slice(0, 120).join('\n')}\n`);
const ZSTD = zstdCompressSync(TEXT);

async function serverOf(t: TestContext, content: Buffer, behaviour: Partial<Behaviour> = {}) {
  const server = await startArchiveServer(content, behaviour);
  t.after(() => server.close());
  return server;
}

const load = (place: Place, ...operands: string[]) =>
  callProgram(['replay', ...operands, ...place.args, '--allow-private']);

/** The index that the same rows give as a file. */
async function indexOfFile(t: TestContext, place: Place) {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-url-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, 'rows.tsv'), TEXT);
  const { code, output } = await load(place, join(directory, 'rows.tsv'));
  assert.equal(code, 0, output);
  return dumpOf(place);
}

onSqliteAtLeast((engine, openFresh) => {
  let expected: Awaited<ReturnType<typeof indexOfFile>> | undefined;
  const expectedIndex = async (t: TestContext) => {
    expected ??= await indexOfFile(t, await openPlace(openFresh, t));
    return expected;
  };

  test(`an archive at a URL gives the index of the file, and its checksum counts (${engine})`, async t => {
    const { url, behaviour } = await serverOf(t, ZSTD, { breakAfter: 65_536, checksum: sha256(ZSTD) });
    const place = await openPlace(openFresh, t);
    const { code, output } = await load(place, url);
    assert.equal(code, 0, output);
    assert.match(output, /every byte was read, and the published checksum is right/);
    assert.deepEqual(await dumpOf(place), await expectedIndex(t));
    behaviour.checksum = undefined;
    assert.match((await load(place, url)).output, /checksum not checked: none is published/);
  });

  test(`after a wrong checksum the index is marked, for verify and after reindex, until a whole read is right (${engine})`, async t => {
    const { url, behaviour } = await serverOf(t, ZSTD, { checksum: sha256(TEXT) });
    const place = await openPlace(openFresh, t);
    const { code, output } = await load(place, url);
    assert.equal(code, 1);
    assert.match(output, /the checksum is wrong: its SHA-256 is [0-9a-f]{64}/);
    assert.match(
      (await callProgram(['verify', ...place.args])).output,
      /note {2}the events loaded from .* are not proven/,
    );
    assert.equal((await callProgram(['reindex', ...place.args])).code, 0);
    assert.match((await callProgram(['verify', ...place.args])).output, /are not proven/);
    behaviour.checksum = sha256(ZSTD);
    assert.equal((await load(place, url)).code, 0);
    const verified = await callProgram(['verify', ...place.args]);
    assert.equal(verified.code, 0);
    assert.doesNotMatch(verified.output, /not proven/);
  });

  test(`a truncated archive ends with status 1 and the mark, and keeps the rows before the cut (${engine})`, async t => {
    const whole = gzipSync(TEXT);
    const { url, behaviour } = await serverOf(t, whole.subarray(0, whole.length - 2000));
    const place = await openPlace(openFresh, t);
    const { code, output } = await load(place, url);
    assert.equal(code, 1);
    assert.match(output, /is damaged or incomplete after line \d+/);
    assert.match((await callProgram(['verify', ...place.args])).output, /damaged or cut off/);
    const before = await journalLength(place);
    assert.ok(before > 0 && before < 120);
    Object.assign(behaviour, { content: whole, checksum: sha256(whole) });
    assert.equal((await load(place, url)).code, 0);
    assert.doesNotMatch((await callProgram(['verify', ...place.args])).output, /not proven/);
  });

  test(`replay stops where the disk has no more than the free space that is to stay (${engine})`, async t => {
    if (engine !== 'sqlite') return; // the disk of a PostgreSQL server is not seen from here
    const { url } = await serverOf(t, ZSTD);
    const place = await openPlace(openFresh, t);
    const { code, stderr } = await load(place, url, '--min-free-space', String(Number.MAX_SAFE_INTEGER));
    assert.equal(code, 1);
    assert.match(stderr, /free bytes, fewer than \d+\n.*--min-free-space.*run it again/);
    assert.equal((await load(place, url)).code, 0);
  });

  test(`a load that was stopped goes on with a newer archive, and skips what is stored (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const { url, behaviour } = await serverOf(t, zstdCompressSync(Buffer.from(`${LINES.slice(0, 60).join('\n')}\n`)));
    assert.equal((await load(place, url)).code, 0);
    behaviour.content = ZSTD;
    const { output } = await load(place, url);
    assert.match(output, /120 events, 60 new/);
    assert.deepEqual(await dumpOf(place), await expectedIndex(t));
  });

  test(`an archive of another network leaves nothing in an empty index, also where only a late row shows it (${engine})`, async t => {
    const { url } = await serverOf(t, ZSTD);
    const place = await openPlace(openFresh, t);
    const refused = await load(place, url, '--chain-id', '0x00000001');
    assert.equal(refused.code, 1);
    assert.match(refused.output, /archive:\d+: .* of chain 0x80000000[\s\S]*--chain-id 0x80000000/);
    assert.equal(await journalLength(place), 0);
    const other = LINES.slice(0, 120).map((line, i) =>
      i < 100 ? line : line.replaceAll('"0x8080000000', '"0x8000000007'),
    );
    const late = await serverOf(t, Buffer.from(other.join('\n')));
    const mixed = await load(place, late.url);
    assert.equal(mixed.code, 1, mixed.output);
    assert.match(mixed.output, /of chain 0x00000007/);
    assert.equal(await journalLength(place), 0);
  });

  test(`what is no archive, and what cannot be reached, says so and leaves nothing (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    const files = () => (engine === 'sqlite' ? readdirSync(place.data) : []);
    const before = files();
    const page = await serverOf(t, Buffer.from('<html>\n<title>Archives</title>\n'));
    assert.match((await load(place, page.url)).output, /is not an event archive/);
    assert.match((await load(place, page.url.replace('/archive', '/archive.sha256'))).output, /status 404/);
    assert.match(
      (await callProgram(['replay', page.url, ...place.args])).output,
      /127\.0\.0\.1 is not a public address[\s\S]*--allow-private/,
    );
    assert.deepEqual([await journalLength(place), files()], [0, before]);
  });

  test(`standard input is an archive or a dump, whatever compresses it (${engine})`, async t => {
    const rows = LINES.slice(0, 120).map(line => {
      const [id, time, path, payload] = line.split('\t');
      return [path, payload, id, time].join('\t');
    });
    const dump = `--\nCOPY api.event_observer_requests (event_path, payload, id, receive_timestamp) FROM stdin;\n${rows.join('\n')}\n\\.\n`;
    // The other pairs at length: decompression does not know what the text is.
    const inputs =
      scale === 'all' ? [ZSTD, Buffer.from(dump), TEXT, gzipSync(TEXT)] : [zstdCompressSync(Buffer.from(dump))];
    for (const input of inputs) {
      const place = await openPlace(openFresh, t);
      const { code, stderr } = await pipe(input, place);
      assert.equal(code, 0, stderr);
      assert.deepEqual(await dumpOf(place), await expectedIndex(t));
    }
  });
});

/** The program with these bytes on its standard input. */
async function pipe(input: Buffer, place: Place): Promise<{ code: number; stderr: string }> {
  const child = spawn(program, ['replay', '-', ...place.args], { stdio: ['pipe', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  child.stdin.end(input);
  const code = await new Promise<number>(resolve => child.once('close', resolve));
  return { code, stderr };
}
