import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { writeArchive } from '../../src/ingest/node/archive/write.ts';

/** The same event as another tool writes it: other bytes, for each object its members in the opposite order. */
export const asOtherToolWrites = (delivery: Delivery): Delivery => ({
  ...delivery,
  body: Buffer.from(JSON.stringify(reversed(JSON.parse(Buffer.from(delivery.body).toString())))),
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

/** An archive with these events, gone after the test. @returns its path */
export async function archiveOf(
  t: { after(hook: () => void): void },
  deliveries: readonly Delivery[],
): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-archive-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'other.tsv.zst');
  async function* rows() {
    for (const [i, delivery] of deliveries.entries()) yield { id: i + 1, ...delivery };
  }
  await writeArchive(file, rows());
  return file;
}
