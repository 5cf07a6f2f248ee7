import { type NodeEvent, parseEvent } from '../node/events/parse.ts';
import type { Session } from './session.ts';

type EventOf<P extends NodeEvent['path']> = Extract<NodeEvent, { readonly path: P }>;

/**
 * Reads what was journaled before and is applied, or applied again, only now.
 * @param what the entry is known to hold, for the error
 * @throws Error when it does not: the journal has changed since, and only a backup can repair it
 */
export async function readBack<P extends NodeEvent['path']>(
  { journal }: Session,
  journalSeq: number,
  path: P,
  what: string,
): Promise<EventOf<P>> {
  const entry = await journal.entry(journalSeq);
  const event = entry && parseEvent(entry.path, entry.body);
  const holds = (value: NodeEvent): value is EventOf<P> => value.path === path;
  if (event?.ok && holds(event.value)) return event.value;
  throw new Error(`journal entry ${journalSeq} does not hold ${what}`);
}
