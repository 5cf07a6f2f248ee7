import { zstdDecompressSync } from 'node:zlib';
import type { JOURNAL } from '../journal/journal.ts';
import { type NodeEvent, parseEvent } from '../node/events/parse.ts';
import type { Queries } from '../store/database.ts';
import type { RowOf } from '../store/table.ts';

type EventAt<P extends NodeEvent['path']> = Extract<NodeEvent, { path: P }>;

/** The event of a journal entry; undefined when the entry is missing, damaged, or of another kind. */
export async function eventOf<P extends '/new_block' | '/new_burn_block'>(
  journal: Queries,
  seq: number,
  path: P,
): Promise<EventAt<P> | undefined> {
  const sql = 'SELECT path, payload FROM journal WHERE seq = ?';
  const row = await journal.get<RowOf<typeof JOURNAL, 'path' | 'payload'>>(sql, [seq]);
  const body = row && row.path === path ? decompressed(row.payload) : undefined;
  const event = body && parseEvent(path, body);
  return event?.ok && event.value.path === path ? (event.value as EventAt<P>) : undefined;
}

/** The payload as it was received; undefined when it is damaged. */
export function decompressed(payload: Uint8Array): Buffer | undefined {
  try {
    return zstdDecompressSync(payload);
  } catch {
    return undefined;
  }
}
