import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Queries } from '../../base/store/database.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import { MOST_OF_PAGE, readLog } from '../live/chain.ts';
import type { LogEntry } from '../live/entry.ts';
import { placeOfTip } from '../live/standing.ts';
import { type LogPosition, tokenOf } from '../live/token.ts';
import type { Interest } from '../live/topics.ts';
import type { WebhookLimits } from './webhook.ts';

/** The next delivery of a webhook. */
interface Batch {
  /** JSON text; undefined if the blocks read have no event for this webhook. */
  readonly body: string | undefined;
  /** Token of the place after it. */
  readonly to: string;
  /** Position of the index that was read. */
  readonly position: number;
  /** Whether the page ends at the tip. */
  readonly isAtTip: boolean;
}

interface BatchRequest {
  /** Its id, which the body names. */
  readonly hook: string;
  /** Undefined: the current tip. */
  readonly after: LogPosition | undefined;
  readonly topics: Interest;
  /** The position that the index must have reached to know the place. */
  readonly position: number;
}

/**
 * Reads the events after a place. It leaves out no event, however old the place is. @returns undefined while the index has not reached the position
 */
export async function readBatch(
  queries: Queries,
  { hook, after, topics, position: least }: BatchRequest,
  { batchEvents, batchBytes }: Pick<WebhookLimits, 'batchEvents' | 'batchBytes'>,
  pause: Pause,
): Promise<Batch | undefined> {
  const { position } = await readState(queries);
  if (position < least) return undefined;
  if (!after) return { body: undefined, to: tokenOf(await placeOfTip(queries)), position, isAtTip: true };
  const limits = { ...MOST_OF_PAGE, events: batchEvents, distance: Number.MAX_SAFE_INTEGER, ahead: 0 };
  const { entries, to, isAtTip } = await readLog(queries, after, topics, limits, pause);
  const told: LogEntry[] = [];
  const texts: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    await pause();
    const text = `{"id":"${entry.id}","event":"${entry.event}","data":${entry.data(undefined)}}`;
    bytes += Buffer.byteLength(text);
    if (bytes > batchBytes && told.length > 0) break;
    told.push(entry);
    texts.push(text);
  }
  const last = told.at(-1);
  const isCut = told.length < entries.length;
  return {
    body: last && `{"hook":"${hook}","events":[${texts.join(',')}]}`,
    to: tokenOf(isCut && last ? last.place : to),
    position,
    isAtTip: isAtTip && !isCut,
  };
}
