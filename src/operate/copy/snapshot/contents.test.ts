import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { sampleEvents } from '../../../../test/crash/round.ts';
import { openFreshOf } from '../../../../test/support/engines.ts';
import fc from '../../../../test/support/fast-check.ts';
import { deliverTo, openPlace } from '../../../../test/support/places.ts';
import { casesOf } from '../../../../test/support/scale.ts';
import { AppError } from '../../../base/lib/app-error.ts';
import { openIndexToRead, openJournalToRead } from '../../storage/storage.ts';
import { verifyIndex } from '../../verify/verify.ts';
import { CopyRefused } from '../source.ts';
import { createSnapshot } from './create.ts';
import { HEADER_BYTES, rangeOf, type SnapshotHeader, type SnapshotPart, writeHeader } from './header.ts';
import { restoreSnapshot } from './restore.ts';

const quietly = { onProgress: () => {}, signal: new AbortController().signal };
const directory = mkdtempSync(join(tmpdir(), 'snapshot-'));
const FILE = join(directory, 'forged.snapshot');

/** A snapshot whose parts are decompressed. */
interface Opened {
  readonly header: SnapshotHeader;
  readonly parts: readonly Buffer[];
}

let genuine: Opened;

before(async () => {
  const closers: (() => Promise<void>)[] = [];
  const source = await openPlace(openFreshOf.sqlite, { after: hook => closers.push(hook) });
  await deliverTo(source, sampleEvents().slice(0, 12));
  const file = join(directory, 'genuine.snapshot');
  const header = await createSnapshot({ from: source, file, program: '1.2.3', ...quietly });
  const bytes = readFileSync(file);
  const parts = header.parts.map(part => {
    const { start, end } = rangeOf(header, part);
    return zstdDecompressSync(bytes.subarray(start, end + 1));
  });
  genuine = { header, parts };
  for (const close of closers) await close();
});
after(() => rmSync(directory, { recursive: true }));

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Writes a snapshot in which every checksum of a part, and that of the header, is right. */
async function write(header: object, parts: readonly Uint8Array[]): Promise<void> {
  writeFileSync(FILE, Buffer.alloc(HEADER_BYTES));
  const file = await open(FILE, 'r+');
  await writeHeader(file, header as SnapshotHeader);
  await file.write(Buffer.concat(parts), 0, undefined, HEADER_BYTES);
  await file.close();
}

/** The same with compressed parts whose length and checksum are in the header. */
async function writeParts({ header, parts }: Opened): Promise<void> {
  const compressed = parts.map(part => zstdCompressSync(part));
  const described = header.parts.map((part, i) => {
    const bytes = compressed[i] ?? new Uint8Array();
    return { ...part, bytes: bytes.length, sha256: sha256(bytes) };
  });
  await write({ ...header, parts: described }, compressed);
}

let targets = 0;

/** The error of a restore that must have left nothing, or the findings of `verify` about what was restored. */
async function outcome(): Promise<AppError | readonly string[]> {
  const data = join(directory, `target-${targets++}`);
  const to = { data, database: undefined };
  const error = await restoreSnapshot({ file: FILE, to, ...quietly }).then(
    () => undefined,
    error => error,
  );
  if (error !== undefined) {
    assert.ok(error instanceof AppError, error.stack);
    assert.notEqual(error.hint, '');
    assert.equal(existsSync(data), false, `something is left: ${error.message}`);
    return error;
  }
  const place = await openJournalToRead(to);
  const index = await openIndexToRead(place);
  const found: string[] = [];
  await verifyIndex({
    ...place,
    indexDb: index.indexDb,
    keep: 3,
    onOutcome: ({ findings }) => found.push(...findings.map(({ what }) => what)),
  });
  await index.close();
  await place.journalDb.close();
  rmSync(data, { recursive: true });
  return found;
}

async function assertRefused(message: RegExp): Promise<void> {
  const error = await outcome();
  assert.ok(error instanceof CopyRefused, String(error));
  assert.match(error.message, message);
}

const changePart = (header: SnapshotHeader, name: string, change: (part: SnapshotPart) => object): object => ({
  ...header,
  parts: header.parts.map(part => (part.name === name ? { ...part, ...change(part) } : part)),
});

test('a header that does not fit its parts is refused, whatever its checksum, and nothing is made', async () => {
  const { header } = genuine;
  const [index, journal] = header.parts;
  const compressed = genuine.parts.map(part => zstdCompressSync(part));
  const fitting = { ...header, parts: header.parts.map((part, i) => ({ ...part, ...lengthOf(compressed[i]) })) };
  const cases: readonly (readonly [object, RegExp, (readonly Uint8Array[])?])[] = [
    [{ ...fitting, parts: [] }, /it has no part index/, []],
    [{ ...fitting, parts: fitting.parts.slice(0, 1) }, /it has no part journal/, compressed.slice(0, 1)],
    [{ ...fitting, parts: [index, index] }, /does not describe a snapshot/],
    [{ ...fitting, parts: [{ ...journal, name: 'toString' }] }, /does not describe a snapshot/],
    [changePart(fitting, 'index', () => ({ tables: [] })), /the part index has no table/],
    [
      changePart(fitting, 'index', ({ tables }) => ({ tables: tables.filter(({ name }) => name !== 'txs') })),
      /the part index has no table txs/,
    ],
    [changePart(fitting, 'journal', () => ({ tables: [] })), /the part journal has no table journal/],
    [{ ...fitting, chainId: 1 }, /the index is not of the chain that the header names, 0x00000001/],
    [{ ...fitting, tip: null }, /does not have the tip/],
    [{ ...fitting, position: 0 }, /does not have the tip and the position/],
    [{ ...fitting, journalLength: header.journalLength + 1 }, /the journal has 12 entries, not 13/],
    [{ ...fitting, program: '\u001b[2J' }, /does not describe a snapshot/],
    [
      changePart(fitting, 'index', ({ tables }) => ({ tables: tables.toReversed() })),
      /the (part|table) \w+ (cannot be read|has|does not)/,
    ],
    [
      changePart(fitting, 'index', ({ tables }) => ({
        tables: tables.map(each => (each.name === 'txs' ? { ...each, digest: '0'.repeat(64) } : each)),
      })),
      /the table txs does not have the checksum of its rows/,
    ],
  ];
  for (const [changed, message, parts = compressed] of cases) {
    await write(changed, parts);
    await assertRefused(message);
  }
  await write(fitting, compressed);
  assert.deepEqual(await outcome(), [], 'the genuine one is restored');
});

const lengthOf = (bytes: Uint8Array = new Uint8Array()) => ({ bytes: bytes.length, sha256: sha256(bytes) });

test('a snapshot of another chain than its blocks is refused, also if index and header name it', async () => {
  const { header, parts } = genuine;
  const [index = Buffer.alloc(0), ...others] = parts;
  const forged = Buffer.from(index.toString('latin1').replace('0x80000000', '0x00000001'), 'latin1');
  const meta = pagesOf({ header, parts }, 'index').find(({ name }) => name === 'meta');
  const digest = sha256(
    Buffer.from(meta?.values.toString('latin1').replace('0x80000000', '0x00000001') ?? '', 'latin1'),
  );
  const changed = changePart({ ...header, chainId: 1 }, 'index', ({ tables }) => ({
    tables: tables.map(each => (each.name === 'meta' ? { ...each, digest } : each)),
  }));
  await writeParts({ header: changed as SnapshotHeader, parts: [forged, ...others] });
  await assertRefused(/its blocks are not of the chain that the header names, 0x00000001/);
});

test('a part that expands without end is refused before it fills the memory', async () => {
  const { header, parts } = genuine;
  const [index = Buffer.alloc(0)] = parts;
  // Behind the rows, in the first page, and as pages that never end: each is some kB in the file.
  const zeros = Buffer.alloc(150_000_000);
  const page = Buffer.alloc(8);
  page.writeUInt32BE(150_000_000, 0);
  page.writeUInt32BE(1, 4);
  for (const bomb of [Buffer.concat([index, zeros]), Buffer.concat([page, zeros])]) {
    await writeParts({ header, parts: [bomb, ...parts.slice(1)] });
    const { external } = process.memoryUsage();
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().external - external);
    }, 1);
    await assertRefused(/the part index cannot be read/).finally(() => clearInterval(watch));
    assert.ok(most < 120_000_000, `${most} bytes`);
  }
  for (const [length, rows] of [
    [0xffff_ffff, 1],
    [8, 0xffff_ffff],
    [8, 0],
  ] as const) {
    page.writeUInt32BE(length, 0);
    page.writeUInt32BE(rows, 4);
    await writeParts({ header, parts: [Buffer.concat([page, index]), ...parts.slice(1)] });
    await assertRefused(/it has a page of \d+ rows and \d+ bytes/);
  }
});

/** The tables of a part with the bytes of their rows. */
function pagesOf(
  { header, parts }: Opened,
  name: string,
): readonly { readonly name: string; readonly values: Buffer }[] {
  const at = header.parts.findIndex(part => part.name === name);
  const bytes = parts[at] ?? Buffer.alloc(0);
  let offset = 0;
  return (header.parts[at]?.tables ?? []).map(table => {
    const values: Buffer[] = [];
    for (;;) {
      const length = bytes.readUInt32BE(offset);
      offset += 8;
      if (length === 0) break;
      values.push(bytes.subarray(offset, offset + length));
      offset += length;
    }
    return { name: table.name, values: Buffer.concat(values) };
  });
}

/** Replaces the value at a path of keys that are chosen by numbers. */
function replaced(value: unknown, path: readonly number[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== 'object' || value === null) return by;
  const keys = Object.keys(value);
  const key = keys[first % keys.length];
  if (key === undefined) return by;
  const changed = replaced(value[key as keyof typeof value], rest, by);
  if (Array.isArray(value)) return value.with(Number(key), changed);
  return { ...value, [key]: changed };
}

const anyValue = fc.oneof(
  fc.constantFrom(undefined, null, 0, -1, 0.5, 2 ** 53, '', '__proto__', 'index', [], {}, [null], [[]]),
  fc.jsonValue({ maxDepth: 2 }),
);

test('any value anywhere in a header is refused, or what is restored is sound', async () => {
  const compressed = genuine.parts.map(part => zstdCompressSync(part));
  const { header } = genuine;
  const fitting = { ...header, parts: header.parts.map((part, i) => ({ ...part, ...lengthOf(compressed[i]) })) };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(40), { minLength: 1, maxLength: 5 }), anyValue, async (path, value) => {
      const changed = replaced(fitting, path, value);
      await write(Object(changed), compressed);
      const found = await outcome();
      if (!(found instanceof AppError)) assert.deepEqual(found, []);
    }),
    { numRuns: Math.ceil(casesOf('EVENT_CASES') / 3) },
  );
});

/** A change of the bytes of a part: other bytes at a place, a cut, a piece twice, bytes in between. */
const anyDamage = fc.record({
  part: fc.nat(2),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(12),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc
      .constantFrom([0xff, 0xff, 0xff, 0xff], [0x7f, 0xff, 0xff, 0xff], [0, 0, 0, 0])
      .map(bytes => Uint8Array.from(bytes)),
  ),
});

test('any damage of a page is refused, also with all checksums right; values that its format allows are for verify', async () => {
  await fc.assert(
    fc.asyncProperty(anyDamage, fc.boolean(), async ({ part, at, removed, put }, hasDigests) => {
      const which = part % genuine.parts.length;
      const bytes = genuine.parts[which] ?? Buffer.alloc(0);
      const start = Math.floor(at * bytes.length);
      const damaged = Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + removed)]);
      const changed: Opened = { ...genuine, parts: genuine.parts.with(which, damaged) };
      await writeParts(hasDigests ? withDigests(changed) : changed);
      const found = await outcome();
      if (!(found instanceof AppError) && !hasDigests) assert.deepEqual(found, []);
    }),
    { numRuns: Math.ceil(casesOf('EVENT_CASES') / 2) },
  );
});

/** With the digests of the rows that the parts have, as far as they can be read. */
function withDigests(opened: Opened): Opened {
  const { header, parts } = opened;
  const described = header.parts.map(part => {
    const pages = readable(() => pagesOf(opened, part.name));
    return {
      ...part,
      tables: part.tables.map((table, i) => ({ ...table, digest: sha256(pages?.[i]?.values ?? new Uint8Array()) })),
    };
  });
  return { header: { ...header, parts: described }, parts };
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
