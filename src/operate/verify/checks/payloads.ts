import type { Queries } from '../../../base/store/database.ts';
import { isDatabaseError } from '../../../base/store/errors.ts';
import { type JournalEntry, readEntries } from '../../../ingest/journal/journal.ts';
import { type NodeEvent, parseEvent } from '../../../ingest/node/events/parse.ts';

type EventAt<P extends NodeEvent['path']> = Extract<NodeEvent, { path: P }>;

/** The event of a journal entry; undefined when the entry is missing, damaged, or of another kind. */
export async function eventOf<P extends '/new_block' | '/new_burn_block'>(
  journal: Queries,
  seq: number,
  path: P,
): Promise<EventAt<P> | undefined> {
  const entry = await entryAt(journal, seq);
  const event = entry?.path === path ? parseEvent(path, entry.body) : undefined;
  return event?.ok && event.value.path === path ? (event.value as EventAt<P>) : undefined;
}

async function entryAt(journal: Queries, seq: number): Promise<JournalEntry | undefined> {
  try {
    return (await readEntries(journal, seq - 1, 1))[0];
  } catch (error) {
    if (isDatabaseError(error)) throw error;
    return undefined;
  }
}
