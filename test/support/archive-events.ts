import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { readRow } from '../../src/ingest/node/archive/read.ts';

/** The events of a small archive (`.gz`), at once, so that a test file can declare tests about them. Throws where a line is none. */
export function archiveEvents(file: string): Delivery[] {
  const lines = gunzipSync(readFileSync(file)).toString('latin1').split('\n');
  return lines.flatMap((text, i) => {
    const row = readRow({ line: i + 1, bytes: Buffer.from(text, 'latin1'), ended: true });
    if (row?.kind === 'bad') throw new Error(`${file}:${row.line}: ${row.reason}`);
    return row === undefined ? [] : [{ path: row.path, receivedAt: row.receivedAt, body: row.body }];
  });
}
