/** Archives whose bytes follow from their files alone: entries in the order of their paths, one time, one owner, two modes. */
import { createReadStream, createWriteStream, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const BLOCK = 512;

/** One entry of an archive. */
export interface TarEntry {
  /** With `/` between folders; no leading one. */
  readonly path: string;
  readonly content:
    | { readonly kind: 'file'; readonly file: string; readonly size: number; readonly isExecutable: boolean }
    | { readonly kind: 'text'; readonly text: string; readonly isExecutable: boolean }
    | { readonly kind: 'link'; readonly target: string }
    | { readonly kind: 'folder'; readonly owner?: number; readonly mode?: number };
}

/**
 * Everything below a folder.
 * @param prefix what the paths begin with; '' for none
 * @param isWanted of a path below the folder; what is below an unwanted folder is left out too
 */
export function entriesBelow(
  folder: string,
  prefix: string,
  isWanted: (path: string) => boolean = () => true,
): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  const visit = (path: string) => {
    for (const name of readdirSync(join(folder, path))) {
      const below = path === '' ? name : `${path}/${name}`;
      if (!isWanted(below)) continue;
      const file = join(folder, below);
      const stats = lstatSync(file);
      const at = prefix === '' ? below : `${prefix}/${below}`;
      if (stats.isSymbolicLink()) entries.push({ path: at, content: { kind: 'link', target: readlinkSync(file) } });
      else if (stats.isDirectory()) {
        entries.push({ path: at, content: { kind: 'folder' } });
        visit(below);
      } else if (stats.isFile()) entries.push({ path: at, content: fileContent(file) });
    }
  };
  visit('');
  return entries;
}

/** A file as the content of an entry; of a link what it leads to. */
export function fileContent(file: string): TarEntry['content'] {
  const real = realpathSync(file);
  const { size, mode } = lstatSync(real);
  return { kind: 'file', file: real, size, isExecutable: (mode & 0o100) !== 0 };
}

/**
 * The bytes of an archive.
 * @param time of every entry, in seconds since 1970
 */
export async function* tarOf(entries: readonly TarEntry[], time: number): AsyncGenerator<Buffer> {
  for (const entry of sorted(entries)) {
    const { content } = entry;
    const size = content.kind === 'file' ? content.size : content.kind === 'text' ? Buffer.byteLength(content.text) : 0;
    yield headerOf(entry, size, time);
    if (content.kind === 'text') yield Buffer.from(content.text);
    if (content.kind === 'file') {
      let read = 0;
      for await (const chunk of createReadStream(content.file)) {
        read += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
      if (read !== size) throw new Error(`${content.file} changed while it was read`);
    }
    yield Buffer.alloc(-size & (BLOCK - 1));
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** By the bytes of their paths, so that a folder precedes what is in it. */
const sorted = (entries: readonly TarEntry[]): readonly TarEntry[] =>
  entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));

/** Writes an archive, compressed: gzip of Node.js has no time and no name in its header. */
export async function writeTarGz(file: string, entries: readonly TarEntry[], time: number): Promise<void> {
  await pipeline(tarOf(entries, time), createGzip({ level: 9 }), createWriteStream(file));
}

/** The header of an entry; a path or target above 100 bytes has an extended header before it. */
function headerOf({ path, content }: TarEntry, size: number, time: number): Buffer {
  const target = content.kind === 'link' ? content.target : '';
  const long = [
    ...(Buffer.byteLength(path) > 100 ? [paxRecord('path', path)] : []),
    ...(Buffer.byteLength(target) > 100 ? [paxRecord('linkpath', target)] : []),
  ].join('');
  const owner = content.kind === 'folder' ? (content.owner ?? 0) : 0;
  const plain = ustar({ path, mode: modeOf(content), owner, size, time, type: typeOf(content), target });
  if (long === '') return plain;
  const length = Buffer.byteLength(long);
  const extended = ustar({ path: 'pax', mode: 0o644, owner: 0, size: length, time, type: 'x', target: '' });
  return Buffer.concat([extended, Buffer.from(long), Buffer.alloc(-length & (BLOCK - 1)), plain]);
}

function typeOf(content: TarEntry['content']): string {
  switch (content.kind) {
    case 'file':
    case 'text':
      return '0';
    case 'link':
      return '2';
    case 'folder':
      return '5';
    default:
      return content satisfies never;
  }
}

function modeOf(content: TarEntry['content']): number {
  if (content.kind === 'folder') return content.mode ?? 0o755;
  if (content.kind === 'link') return 0o777;
  return content.isExecutable ? 0o755 : 0o644;
}

/** `LENGTH NAME=VALUE` and a newline; the length counts its own digits. */
function paxRecord(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  if (String(length).length > String(bytes).length) length = bytes + String(length).length;
  return `${length}${rest}`;
}

interface Fields {
  readonly path: string;
  readonly mode: number;
  /** User and group. */
  readonly owner: number;
  readonly size: number;
  readonly time: number;
  readonly type: string;
  readonly target: string;
}

function ustar({ path, mode, owner, size, time, type, target }: Fields): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, '0'), at, 'ascii');
  header.write(path, 0, 100);
  octal(mode, 100, 7);
  octal(owner, 108, 7);
  octal(owner, 116, 7);
  octal(size, 124, 11);
  octal(time, 136, 11);
  header.write(' '.repeat(8), 148, 'ascii');
  header.write(type, 156, 'ascii');
  header.write(target, 157, 100);
  header.write('ustar\x0000', 257, 'ascii');
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  header.write('\0 ', 154, 'ascii');
  return header;
}
