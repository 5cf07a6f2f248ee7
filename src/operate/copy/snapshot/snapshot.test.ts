import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sampleEvents } from '../../../../test/crash/round.ts';
import { assertSameTables } from '../../../../test/support/chain-assertions.ts';
import { assertUnfinished, everything, writeDocuments } from '../../../../test/support/copies.ts';
import { type EngineName, onEveryEngine, onSqliteAtLeast, openFreshOf } from '../../../../test/support/engines.ts';
import fc from '../../../../test/support/fast-check.ts';
import { deliverTo, dumpOf, openPlace, type Place } from '../../../../test/support/places.ts';
import { scale } from '../../../../test/support/scale.ts';
import { NoIndex, NothingStored, openJournal } from '../../storage/storage.ts';
import type { CopyProgress } from '../parts.ts';
import { CopyRefused } from '../source.ts';
import { createSnapshot } from './create.ts';
import { checkSnapshot, HEADER_BYTES, type SnapshotHeader, writeHeader } from './header.ts';
import { restoreSnapshot } from './restore.ts';

const events = sampleEvents().slice(0, scale === 'short' ? 90 : 300);
const MOST = Math.floor(events.length * 0.8);
const some = events.slice(0, scale === 'short' ? 50 : 100);

const never = new AbortController().signal;

/** Receives the progress, and may stop the work by what it returns. */
type Watch = (progress: CopyProgress) => boolean | undefined;

function fileOf(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'snapshot-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return join(directory, 'chain.snapshot');
}

function watched(watch: Watch): { onProgress: (progress: CopyProgress) => void; signal: AbortSignal } {
  const stop = new AbortController();
  return {
    onProgress: progress => {
      if (watch(progress)) stop.abort();
    },
    signal: stop.signal,
  };
}

const create = (from: Place, file: string, watch: Watch = () => false): Promise<SnapshotHeader> =>
  createSnapshot({ from, file, program: '1.2.3', ...watched(watch) });

const restore = (file: string, to: Place, watch: Watch = () => false): Promise<SnapshotHeader> =>
  restoreSnapshot({ file, to, ...watched(watch) });

const refused = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof CopyRefused, String(error));
  assert.match(error.message, message);
  assert.notEqual(error.hint, '');
  return true;
};

const WAYS: readonly (readonly [EngineName, EngineName])[] = [
  ['sqlite', 'sqlite'],
  ...(scale === 'all'
    ? ([
        ['sqlite', 'postgres'],
        ['postgres', 'sqlite'],
      ] as const)
    : []),
];

onEveryEngine(engine => {
  for (const [from, to] of WAYS.filter(way => way.includes('postgres') === (engine === 'postgres')))
    test(`what is restored has every row, and goes on as its source does (${from} to ${to})`, async t => {
      const source = await openPlace(openFreshOf[from], t);
      const target = await openPlace(openFreshOf[to], t);
      const file = fileOf(t);
      const { tip, position } = await deliverTo(source, events.slice(0, MOST));
      await writeDocuments(source, ['one', 'two']);
      const before = await everything(source);
      const header = await create(source, file);
      assert.deepEqual(await restore(file, target), header);
      assert.equal(header.tip?.indexBlockHash, tip?.indexBlockHash);
      assert.equal(header.position, position);
      assert.equal(header.journalLength, before.journal?.length);
      assertSameTables(await everything(target), before);
      for (const place of [source, target]) await deliverTo(place, events.slice(MOST));
      assertSameTables(await dumpOf(target), await dumpOf(source));
    });
});

onSqliteAtLeast((engine, openFresh) => {
  test(`events that arrive meanwhile leave the snapshot a state that its source had (${engine})`, async t => {
    const source = await openPlace(openFresh, t);
    const target = await openPlace(openFresh, t);
    const file = fileOf(t);
    await deliverTo(source, some);
    const before = await dumpOf(source);
    let delivered: Promise<unknown> | undefined;
    const header = await create(source, file, () => {
      delivered ??= deliverTo(source, events);
      return false;
    });
    await delivered;
    assert.ok(header.journalLength >= header.position);
    await restore(file, target);
    assertSameTables(await dumpOf(target), before);
    await deliverTo(target, events);
    assertSameTables(await dumpOf(target), await dumpOf(source));
  });

  test(`a restore that was stopped opens for nobody, and the next one goes on where it was (${engine})`, async t => {
    const source = await openPlace(openFresh, t);
    const target = await openPlace(openFresh, t);
    const file = fileOf(t);
    await deliverTo(source, some);
    await writeDocuments(source, ['one']);
    await create(source, file);
    const stops: readonly (readonly [CopyProgress['doing'], string])[] = [
      ['writing', 'txs'],
      ['comparing', 'txs'],
      ['indexing', 'txs'],
      ['writing', 'journal'],
      ['writing', 'metadata_documents'],
    ];
    for (const [doing, table] of stops) {
      const stopped = restore(file, target, progress => progress.doing === doing && progress.table === table);
      await assert.rejects(stopped, { name: 'AbortError' }, `${doing} ${table}`);
      await assertUnfinished(target);
    }
    const other = fileOf(t);
    await create(source, other);
    await assert.rejects(restore(other, target), refused(/unfinished copy of another source/));
    await restore(file, target);
    assertSameTables(await everything(target), await everything(source));
  });

  test(`a place that has anything is refused and keeps it (${engine})`, async t => {
    const source = await openPlace(openFresh, t);
    const target = { ...(await openPlace(openFresh, t)), chainId: 5 };
    const file = fileOf(t);
    await deliverTo(source, some);
    await deliverTo(target, some.slice(0, 3));
    const before = await dumpOf(target);
    await create(source, file);
    await assert.rejects(restore(file, target), refused(/has a journal or an index already/));
    assertSameTables(await dumpOf(target), before);
  });

  test(`a place without an index gives no snapshot (${engine})`, async t => {
    const source = await openPlace(openFresh, t);
    const file = fileOf(t);
    await assert.rejects(create(source, file), NothingStored);
    await (await openJournal(source)).journalDb.close();
    await assert.rejects(create(source, file), NoIndex);
    assert.equal(existsSync(file), false);
  });
});

/** A snapshot, and a directory that does not exist yet. */
async function smallSnapshot(t: TestContext) {
  const source = await openPlace(openFreshOf.sqlite, t);
  const file = fileOf(t);
  await deliverTo(source, some.slice(0, 20));
  const header = await create(source, file);
  return { source, file, header, target: { ...source, data: join(source.data, 'target') } };
}

test('a file that is damaged at any byte, cut or too long is refused, and nothing is made', async t => {
  const { file, target } = await smallSnapshot(t);
  const bytes = readFileSync(file);
  const isRefused = async (changed: Uint8Array) => {
    writeFileSync(file, changed);
    await assert.rejects(restore(file, target), refused(/is damaged|is no snapshot|has format/));
    assert.equal(existsSync(target.data), false);
  };
  const offset = fc.oneof(
    fc.integer({ min: 0, max: 100 }),
    fc.integer({ min: 0, max: HEADER_BYTES - 1 }),
    fc.integer({ min: HEADER_BYTES, max: bytes.length - 1 }),
  );
  await fc.assert(
    fc.asyncProperty(offset, fc.integer({ min: 1, max: 255 }), async (at, flip) => {
      const changed = Buffer.from(bytes);
      changed[at] = (bytes[at] ?? 0) ^ flip;
      await isRefused(changed);
    }),
  );
  for (const length of [0, 10, HEADER_BYTES - 1, HEADER_BYTES, bytes.length - 1])
    await isRefused(bytes.subarray(0, length));
  await isRefused(Buffer.concat([bytes, Buffer.from('\n')]));
  writeFileSync(file, bytes);
  await restore(file, target);
});

test('a snapshot of a version that makes another index is refused, with the version that takes it', async t => {
  const { file, header, target } = await smallSnapshot(t);
  const columns = { seq: 'int', more: 'text' } as const;
  const others: readonly SnapshotHeader[] = [
    { ...header, schemaVersion: header.schemaVersion - 1 },
    {
      ...header,
      parts: header.parts.map(part => ({ ...part, tables: part.tables.map(each => ({ ...each, columns })) })),
    },
  ];
  for (const [i, other] of others.entries()) {
    const changed = `${file}.${i}`;
    copyFileSync(file, changed);
    const handle = await open(changed, 'r+');
    await writeHeader(handle, other);
    await handle.close();
    await checkSnapshot(changed, never);
    const refusal = await restore(changed, target).then(
      () => undefined,
      error => error,
    );
    assert.match(String(refusal), /schema version|is not the one of this program/);
    assert.match(refusal.hint, /stacks-index 1\.2\.3/);
    assert.equal(existsSync(target.data), false);
  }
});

test('a snapshot that was stopped leaves the one before as it was, and nothing else', async t => {
  const { source, file } = await smallSnapshot(t);
  const before = readFileSync(file);
  await assert.rejects(
    create(source, file, () => true),
    { name: 'AbortError' },
  );
  assert.deepEqual(readFileSync(file), before);
  assert.deepEqual(readdirSync(join(file, '..')), ['chain.snapshot']);
});

test('a file that cannot be written or read is named', async t => {
  const { source, target } = await smallSnapshot(t);
  const nowhere = join(target.data, 'no', 'directory');
  await assert.rejects(create(source, nowhere), refused(/cannot be written: no such file or directory/));
  await assert.rejects(restore(nowhere, target), refused(/cannot be read: no such file or directory/));
  await assert.rejects(restore(source.data, target), refused(/is no snapshot/), 'a directory');
});

test('the header is text that says chain, tip, positions and version', async t => {
  const { file, header } = await smallSnapshot(t);
  const [first, second] = readFileSync(file, 'latin1').split('\n', 2);
  assert.match(first ?? '', /^stacks-index snapshot 1 [0-9a-f]{64}$/);
  assert.deepEqual(JSON.parse(second ?? ''), header);
  assert.equal(header.program, '1.2.3');
});

test('what was left of a snapshot by processes that were killed is removed by the next one', async t => {
  const source = await openPlace(openFreshOf.sqlite, t);
  await deliverTo(source, some);
  const file = fileOf(t);
  const gone = spawnSync(process.execPath, ['--version']).pid;
  const left = [`${file}.${gone}.partial`, `${file}.${process.pid}.partial`];
  const others = [`${file}.${process.ppid}.partial`, `${file}.old.partial`, `${file}2.${gone}.partial`];
  for (const name of [...left, ...others]) writeFileSync(name, 'part');
  await create(source, file);
  const names = [file, ...others].map(name => basename(name)).sort();
  assert.deepEqual(readdirSync(dirname(file)).sort(), names);
});
