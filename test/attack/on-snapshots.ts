import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createZstdCompress } from 'node:zlib';
import { rangeOf, type SnapshotHeader, writeHeader } from '../../src/operate/copy/snapshot/header.ts';
import { indexFile } from '../../src/operate/storage/generations.ts';
import type { Finding, Size } from './finding.ts';
import { hasStack, type Measured, measured } from './measured.ts';
import { succeed } from './target.ts';

const ARCHIVE = join(import.meta.dirname, '../../examples/sample-chain.tsv.gz');
const HEADER_BYTES = 64 * 1024;

/** The head of a page: its bytes, and its rows. */
function head(bytes: number, rows: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeUInt32BE(bytes, 0);
  buffer.writeUInt32BE(rows, 4);
  return buffer;
}

/** The uncompressed bytes of a part: a start, then the same chunk many times. */
interface Bomb {
  readonly start: Buffer;
  readonly chunk: Buffer;
}

const ZEROS = Buffer.alloc(1_000_000);

const BOMBS: Readonly<Record<string, Bomb>> = {
  'a page of 4 GB': { start: head(0xffffffff, 1), chunk: ZEROS },
  'a page of 400 MB': { start: head(400_000_000, 1), chunk: ZEROS },
  'a page of 4 billion rows': { start: head(1_000_000, 0xffffffff), chunk: ZEROS },
  'empty tables for ever': { start: Buffer.alloc(0), chunk: ZEROS },
  'empty rows for ever': {
    start: Buffer.alloc(0),
    chunk: Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.concat([head(4, 1), Buffer.alloc(4)]))),
  },
};

/** Impossible headers, made from a genuine one. */
const HEADERS: Readonly<Record<string, (header: SnapshotHeader) => unknown>> = {
  null: () => null,
  'a text': () => 'x',
  'without parts': header => ({ ...header, parts: undefined }),
  'no parts': header => ({ ...header, parts: [] }),
  'the index alone': header => ({ ...header, parts: header.parts.filter(({ name }) => name === 'index') }),
  'no tables': header => ({ ...header, parts: header.parts.map(part => ({ ...part, tables: [] })) }),
  'another network': header => ({ ...header, chainId: 1 }),
  'parts of negative size': header => ({ ...header, parts: header.parts.map(part => ({ ...part, bytes: -1 })) }),
  'a part that is none': header => ({ ...header, parts: header.parts.map(part => ({ ...part, name: '__proto__' })) }),
  'tables that are none': header => ({ ...header, parts: header.parts.map(part => ({ ...part, tables: [null] })) }),
  'columns that are none': header => ({
    ...header,
    parts: header.parts.map(part => ({ ...part, tables: part.tables.map(table => ({ ...table, columns: null })) })),
  }),
};

async function writeSnapshot(file: string, header: unknown, parts: Uint8Array): Promise<void> {
  writeFileSync(file, Buffer.alloc(HEADER_BYTES));
  const handle = await open(file, 'r+');
  await writeHeader(handle, header as SnapshotHeader).finally(() => handle.close());
  appendFileSync(file, parts);
}

/** The snapshot with its first part replaced by a bomb of so many megabytes. */
async function writeBomb(file: string, genuine: Buffer, header: SnapshotHeader, bomb: Bomb, megabytes: number) {
  function* chunks() {
    yield bomb.start;
    for (let bytes = 0; bytes < megabytes * 1e6; bytes += bomb.chunk.length) yield bomb.chunk;
  }
  const compressed = await buffer(Readable.from(chunks()).pipe(createZstdCompress()));
  const [first, ...others] = header.parts;
  if (!first) throw new Error('the snapshot has no parts');
  const sha256 = createHash('sha256').update(compressed).digest('hex');
  const parts = [{ ...first, bytes: compressed.length, sha256 }, ...others];
  const rest = genuine.subarray(rangeOf(header, first).end + 1);
  await writeSnapshot(file, { ...header, parts }, Buffer.concat([compressed, rest]));
}

/** The bytes of the parts that a header still names. */
function partsOf(changed: unknown, header: SnapshotHeader, bytes: Buffer): Buffer {
  const named = (changed as Partial<SnapshotHeader> | null)?.parts;
  const kept = named ? header.parts.filter((_, i) => named.length === header.parts.length || i < named.length) : [];
  return Buffer.concat(
    kept.map(part => {
      const { start, end } = rangeOf(header, part);
      return bytes.subarray(start, end + 1);
    }),
  );
}

/** The most megabytes of memory of a restore, the most that it may leave on the disk, and the most seconds. */
const MEMORY = 500;
const DISK = 300;
const TIME = 60;

/** Restores snapshots that unpack to very large sizes, or that have impossible headers. */
export async function hostileSnapshots({ name }: Size): Promise<Finding[]> {
  const isFull = name === 'full';
  const home = mkdtempSync(join(tmpdir(), 'stacks-index-bombs-'));
  const results: (Measured & { readonly name: string; readonly disk: number })[] = [];
  try {
    const genuine = join(home, 'genuine');
    await succeed(['replay', ARCHIVE, '--data', join(home, 'data')]);
    await succeed(['snapshot', 'create', genuine, '--data', join(home, 'data')]);
    const bytes = readFileSync(genuine);
    const header: SnapshotHeader = JSON.parse(bytes.toString('utf8', bytes.indexOf('\n') + 1, HEADER_BYTES));
    const file = join(home, 'hostile');
    const restore = async (each: string) => {
      const data = join(home, `restored-${results.length}`);
      const result = await measured(['snapshot', 'restore', file, '--data', data], 2 * TIME * 1000);
      results.push({
        name: each,
        ...result,
        disk: sizeOf(indexFile(data)) + sizeOf(`${indexFile(data)}-wal`),
      });
      rmSync(data, { recursive: true, force: true });
    };
    for (const [each, bomb] of Object.entries(BOMBS).slice(0, isFull ? undefined : 2)) {
      await writeBomb(file, bytes, header, bomb, isFull ? 5_000 : 500);
      await restore(each);
    }
    for (const [each, change] of Object.entries(HEADERS).slice(0, isFull ? undefined : 5)) {
      const changed = change(header);
      await writeSnapshot(file, changed, partsOf(changed, header, bytes));
      await restore(each);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  if (process.env.ATTACK_VERBOSE)
    for (const { output, ...figures } of results) console.log(figures, output.slice(-400));
  const restored = results.filter(({ code }) => code === 0).map(each => each.name);
  const crashed = results.filter(({ output }) => hasStack(output)).map(each => each.name);
  const most = (figure: (result: (typeof results)[number]) => number) => Math.max(...results.map(figure));
  return [
    { what: `restored (${restored.join(', ')})`, worst: restored.length, bound: 0, unit: '' },
    { what: `errors that no one foresaw (${crashed.join(', ')})`, worst: crashed.length, bound: 0, unit: '' },
    { what: 'memory of restore', worst: most(({ peakMegabytes }) => peakMegabytes), bound: MEMORY, unit: 'MB' },
    { what: 'left on the disk', worst: most(({ disk }) => disk / 1e6), bound: DISK, unit: 'MB' },
    { what: 'the longest restore', worst: most(({ seconds }) => seconds), bound: TIME, unit: 's', isDelay: true },
  ];
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
