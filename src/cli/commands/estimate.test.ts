import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { simulatedChain } from '../../../bench/simulated/chain.ts';
import { PROFILES } from '../../../bench/simulated/profiles.ts';
import { startArchiveServer } from '../../../test/support/archive-server.ts';
import { callProgram } from '../../../test/support/call-program.ts';
import { atLength, scale } from '../../../test/support/scale.ts';
import { writeArchive } from '../../ingest/node/archive/write.ts';
import { readOptions } from '../options/options.ts';
import { estimate } from './estimate.ts';

/** Few tokens, as these are deployed first and are like no other part of the chain. */
const PROFILE = { ...PROFILES.growing, fungibleTokens: 4, collections: 2, leastPrincipals: 100 };
const PLACES = 8;
const SAMPLE = ['--places', String(PLACES), '--sample-bytes', '20000'];

/** Of two to 25 transactions. */
const BLOCKS = 100;

let made: string;
let archive: string;
before(async () => {
  made = await mkdtemp(join(tmpdir(), 'estimate-test-'));
  archive = await chain(BLOCKS);
});
after(() => rm(made, { recursive: true }));

async function chain(blocks: number): Promise<string> {
  const file = join(made, `${blocks}.tsv`);
  await writeArchive(file, simulatedChain({ profile: PROFILE, blocks, seed: 'estimate' }));
  return file;
}

/** Has what is for temporary files in a directory of its own. @returns what is left there at the end */
async function withTemporary(t: TestContext, work: () => Promise<void>): Promise<string[]> {
  const path = await mkdtemp(join(made, 'temporary-'));
  const usual = process.env.TMPDIR;
  t.after(() => {
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
  });
  process.env.TMPDIR = path;
  await work();
  return readdirSync(path);
}

async function estimated(...args: string[]) {
  const { code, stdout, output } = await callProgram(['estimate', ...args, '--json']);
  assert.equal(code, 0, output);
  return JSON.parse(stdout);
}

/** What is true of the index that replay makes. */
async function loaded(archive: string, data: string) {
  const { code, output } = await callProgram(['replay', archive, '--data', data]);
  assert.equal(code, 0, output);
  const bytes = (pattern: RegExp) =>
    readdirSync(data)
      .filter(name => pattern.test(name))
      .reduce((sum, name) => sum + statSync(join(data, name)).size, 0);
  return { index: bytes(/^index/), journal: bytes(/^journal/) };
}

const assertWithin = (found: number, truth: number, share: number) =>
  assert.ok(Math.abs(found / truth - 1) <= share, `${found} is not within ${share} of ${truth}`);

test('places all over an archive whose blocks grow give its contents and the bytes of its index', async t => {
  const truth = await loaded(archive, join(made, 'data'));
  const left = await withTemporary(t, async () => {
    const result = await estimated(archive, ...SAMPLE);
    assert.equal(result.sampled_from, 'throughout');
    assert.deepEqual([result.text_bytes, result.unapplied_blocks], [statSync(archive).size, 0]);
    assertWithin(result.contents.blocks, BLOCKS + 1, 0.25);
    assertWithin(result.sqlite.index_bytes.estimate, truth.index, 0.25);
    assertWithin(result.sqlite.total_bytes.estimate, truth.index + truth.journal, 0.25);
    const { low, estimate: middle, high } = result.cpu_seconds;
    assert.ok(0 < low && low < middle && middle < high);
  });
  assert.deepEqual(left, [], 'the index of the samples is removed');
});

// At length: samples of the usual size, of a chain whose blocks grow and one with small blocks.
for (const [name, profile, blocks] of scale === 'all'
  ? ([
      ['growing', PROFILES.growing, 6000],
      ['nakamoto', PROFILES.nakamoto, 24_000],
    ] as const)
  : [])
  test(`an estimate is within a quarter of the truth for a chain of 130 MB: ${name}`, async () => {
    const file = join(made, `${name}.tsv`);
    await writeArchive(file, simulatedChain({ profile, blocks, seed: 'accuracy' }));
    const truth = await loaded(file, join(made, name));
    const { sqlite, contents, sampled_from: from } = await estimated(file);
    assert.equal(from, 'throughout');
    assertWithin(contents.blocks, blocks, 0.15);
    assertWithin(sqlite.index_bytes.estimate, truth.index, 0.25);
    assertWithin(sqlite.journal_bytes.estimate, truth.journal, 0.25);
    for (const [range, bytes] of [
      [sqlite.index_bytes, truth.index],
      [sqlite.journal_bytes, truth.journal],
    ])
      assert.ok(range.low <= bytes && bytes <= range.high, name);
  });

test('an archive with one frame is read from its start, one with many throughout', { skip: atLength }, async () => {
  const text = readFileSync(archive);
  const frames = Array.from({ length: 40 }, (_, i) =>
    text.subarray(Math.floor((i * text.length) / 40), Math.floor(((i + 1) * text.length) / 40)),
  );
  for (const [name, bytes, from] of [
    ['one.tsv.zst', zstdCompressSync(text), 'start'],
    ['many.tsv.zst', Buffer.concat(frames.map(frame => zstdCompressSync(frame))), 'throughout'],
  ] as const) {
    const file = join(made, name);
    await writeFile(file, bytes);
    const result = await estimated(file, ...SAMPLE);
    assert.equal(result.sampled_from, from, name);
    assertWithin(result.text_bytes, text.length, 0.25);
  }
});

test('a small archive is loaded as a whole, so that its contents are exact', async () => {
  const small = await chain(20);
  const truth = await loaded(small, join(made, 'small'));
  const result = await estimated(small);
  assert.equal(result.sampled_from, 'whole');
  assert.equal(result.contents.blocks, 21);
  assertWithin(result.sqlite.total_bytes.estimate, truth.index + truth.journal, 0.1);
});

test('of a URL only the places are fetched; a server without ranges sends the start', async t => {
  const server = await startArchiveServer(readFileSync(archive));
  t.after(() => server.close());
  const url = `${server.url}?key=secret`;
  const ranged = await estimated(url, ...SAMPLE, '--allow-private');
  assert.equal(ranged.sampled_from, 'throughout');
  assert.equal(server.requests.filter(range => range !== 'all').length, PLACES + 1);
  assert.ok(!JSON.stringify(ranged).includes('secret'));
  server.behaviour.ranges = false;
  const { stdout } = await callProgram(['estimate', url, ...SAMPLE, '--allow-private']);
  assert.match(stdout, /^samples +.* from its start alone, as reading cannot begin elsewhere/m);
  assert.match(
    stdout,
    /^contents +\d+ blocks, .*\nindex .*\njournal .*\ntogether .*\nPostgreSQL .*\nCPU time +.*on this machine/m,
  );
  server.behaviour.chunked = true;
  const { code, stderr } = await callProgram(['estimate', url, ...SAMPLE, '--allow-private']);
  assert.equal(code, 1);
  assert.match(stderr, /does not name its length\nFetch the archive/);
});

test('a signal ends an estimate, and nothing is left of it', async t => {
  const stop = new AbortController();
  const options = readOptions(['estimate', archive, ...SAMPLE], {});
  let reads = 0;
  const stopping = {
    ...options,
    // Read once before an index is made, and then after each load.
    get maxEventNesting() {
      if (++reads > 1) stop.abort();
      return options.maxEventNesting;
    },
  };
  const left = await withTemporary(t, async () => assert.equal(await estimate(stopping, stop.signal), 1));
  assert.deepEqual([left, reads > 1], [[], true]);
});

test('what is no archive, has no parts or is of another network is refused', async () => {
  const file = join(made, 'other.tsv');
  await writeFile(file, 'no archive\n');
  for (const [args, status, message] of [
    [[file], 1, /is not an event archive/],
    [[join(made, 'missing.tsv')], 1, /cannot be read: no such file/],
    [['-'], 2, /reads parts of a file/],
    [['postgres://localhost/events'], 2, /reads parts of a file/],
    [[await chain(5), '--chain-id', '1'], 1, /is of chain 0x80000000, not of 0x00000001/],
    [[archive, '--places', '1'], 2, /--places must be a whole number from 2 to 1000/],
  ] as const) {
    const { code, output } = await callProgram(['estimate', ...args]);
    assert.equal(code, status, output);
    assert.match(output, message);
  }
});
