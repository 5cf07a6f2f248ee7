import { moduleBeside } from '../../base/lib/module-beside.ts';
import type { Result } from '../../base/lib/result.ts';
import type { JournalPosition } from '../../ingest/journal/journal.ts';
import type { LargeBodies, LargeDelivery } from '../../ingest/node/event-server.ts';
import type { EventError, EventLimits } from '../../ingest/node/events/json.ts';
import type { BodyParts } from '../../ingest/node/request-body.ts';
import { AnsweringThread } from '../storage/answering-thread.ts';

/** Data for the start of the thread. */
export interface LargeBodiesData {
  readonly data: string;
  readonly database: string | undefined;
  /** Events of other chains are refused; undefined while the chain is not known. */
  readonly chainId: number | undefined;
  readonly limits: EventLimits;
  /** Stored bytes of events that may wait while an archive is loaded. */
  readonly maxWaitingBytes: number;
  /** Time limit for storing an event, in milliseconds. */
  readonly writeTimeoutMs: number;
}

/** `store`: stores the last checked body. */
export type ToLargeBodies =
  | { readonly kind: 'check'; readonly path: string; readonly receivedAt: number; readonly body: BodyParts }
  | { readonly kind: 'store' };

/** The answer to each message. An entry is undefined for a repeated delivery. */
export type FromLargeBodies =
  | { readonly kind: 'checked'; readonly result: Result<LargeDelivery, EventError> }
  | { readonly kind: 'stored'; readonly entry: JournalPosition | undefined };

/** Milliseconds after which a thread without work ends, so that the memory of a large body is released. */
const IDLE_MS = 10_000;
/** Bytes of a body after which the thread ends at once: the indexer needs as much memory for the same body next. */
const VERY_LARGE = 16_000_000;

/** Checks large bodies in a thread, which also writes them to the journal: no other thread sees their content. */
interface LargeBodiesThread extends Pick<LargeBodies, 'check'> {
  /** Stores the last checked body. @returns its entry; undefined for a repeated delivery */
  store(): Promise<JournalPosition | undefined>;
  /** Cuts off work in progress, which rejects; the node sends the event again. */
  close(): Promise<void>;
}

/** Starts a thread with the first large body. Its calls must come one after the other. */
export function largeBodiesInThread(data: LargeBodiesData): LargeBodiesThread {
  const hint = 'The node sends the event again.';
  const url = moduleBeside('large-bodies-worker', import.meta.url);
  const thread = new AnsweringThread<ToLargeBodies, FromLargeBodies>(url, data, hint);
  let idle: NodeJS.Timeout | undefined;
  /** Of the body that was checked last. */
  let bytes = 0;

  async function whileBusy<T>(work: () => Promise<T>, idleMs: () => number): Promise<T> {
    clearTimeout(idle);
    try {
      return await work();
    } finally {
      idle = setTimeout(() => void thread.end(), idleMs());
      idle.unref();
    }
  }

  return {
    check: ({ path, receivedAt }, body) => {
      const buffers = body.map(part => part.buffer);
      bytes = body.reduce((sum, { length }) => sum + length, 0);
      const check = () => thread.ask('checked', { kind: 'check', path, receivedAt, body }, buffers);
      return whileBusy(
        async () => (await check()).result,
        () => IDLE_MS,
      );
    },
    store: () =>
      whileBusy(
        async () => (await thread.ask('stored', { kind: 'store' })).entry,
        () => (bytes > VERY_LARGE ? 0 : IDLE_MS),
      ),
    close: () => {
      clearTimeout(idle);
      return thread.close();
    },
  };
}
