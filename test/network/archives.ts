import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Delivery } from '../../src/ingest/journal/entries.ts';

/** Writes deliveries to an archive, as plain lines, until the test ends. @returns its path */
export function archiveOf(t: TestContext, deliveries: readonly Delivery[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-archive-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'events.tsv');
  const lines = deliveries.map(({ path, body }, i) =>
    [String(i + 1), '2026-11-22 10:00:00+00', path, Buffer.from(body).toString()].join('\t'),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
