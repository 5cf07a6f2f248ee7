import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Coding, compress } from '../http/compression.ts';

/** Style and scripts of the explorer: files of the package, without a build step and without files from other hosts. */

const FOLDER = join(import.meta.dirname, '../../../assets/explorer');

const TYPES = {
  'explorer.css': 'text/css; charset=utf-8',
  'theme.js': 'text/javascript; charset=utf-8',
  'explorer.js': 'text/javascript; charset=utf-8',
  'live.js': 'text/javascript; charset=utf-8',
  'parsed.js': 'text/javascript; charset=utf-8',
  'keys.js': 'text/javascript; charset=utf-8',
  'times.js': 'text/javascript; charset=utf-8',
  'stream.js': 'text/javascript; charset=utf-8',
  'suggest.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

interface Asset {
  readonly type: string;
  readonly body: Buffer;
  /** Compressed on the first request, then kept. */
  compressed(coding: Coding): Promise<Buffer>;
}

export interface Assets {
  /** Changes with any of the files. */
  readonly version: string;
  find(name: string): Asset | undefined;
}

/** Reads the files once. @throws if one is missing from the package */
export function loadAssets(): Assets {
  const files = new Map(Object.entries(TYPES).map(([name, type]) => [name, read(name, type)]));
  const hash = createHash('sha256');
  for (const { body } of files.values()) hash.update(body);
  return { version: hash.digest('hex').slice(0, 12), find: name => files.get(name) };
}

function read(name: string, type: string): Asset {
  const body = readFileSync(join(FOLDER, name));
  const kept = new Map<Coding, Promise<Buffer>>();
  const compressed = (coding: Coding) => {
    const known = kept.get(coding) ?? compress(body, coding);
    kept.set(coding, known);
    return known;
  };
  return { type, body, compressed };
}
