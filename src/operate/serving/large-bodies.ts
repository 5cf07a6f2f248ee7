import { Worker } from 'node:worker_threads';
import { AppError } from '../../base/lib/app-error.ts';
import type { Result } from '../../base/lib/result.ts';
import { revivedError } from '../../base/store/errors.ts';
import type { JournalPosition } from '../../ingest/journal/journal.ts';
import type { LargeBodies, LargeDelivery } from '../../ingest/node/event-server.ts';
import type { EventError, EventLimits } from '../../ingest/node/events/json.ts';
import type { BodyParts } from '../../ingest/node/request-body.ts';

/** What the thread is started with. */
export interface LargeBodiesData {
  readonly data: string;
  readonly database: string | undefined;
  /** Events of other chains are refused; undefined while the chain is not known. */
  readonly chainId: number | undefined;
  readonly limits: EventLimits;
  /** Milliseconds that the database has to store an event. */
  readonly writeTimeoutMs: number;
}

/** `store`: the body that was checked last. */
export type ToLargeBodies =
  | { readonly kind: 'check'; readonly path: string; readonly receivedAt: number; readonly body: BodyParts }
  | { readonly kind: 'store' };

/** The answer to each message. An entry is undefined for a repeated delivery. */
export type FromLargeBodies =
  | { readonly kind: 'checked'; readonly result: Result<LargeDelivery, EventError> }
  | { readonly kind: 'stored'; readonly entry: JournalPosition | undefined }
  | { readonly kind: 'failed'; readonly error: unknown };

type AnswerOf<Kind extends FromLargeBodies['kind']> = Extract<FromLargeBodies, { kind: Kind }>;

/** Milliseconds after which a thread without work ends, so that the memory of a large body is released. */
const IDLE_MS = 10_000;
/** Bytes of a body after which it ends at once: the indexer needs as much memory for the same body now. */
const VERY_LARGE = 16_000_000;

/** Checks large bodies in a thread, which also writes them to the journal: no other thread sees their content. */
interface LargeBodiesThread extends Pick<LargeBodies, 'check'> {
  /** Stores what was checked last. @returns its entry; undefined for a repeated delivery */
  store(): Promise<JournalPosition | undefined>;
  /** What is in progress is cut off, and rejects; the node sends it again. */
  close(): Promise<void>;
}

/** Starts a thread with the first large body. Its calls must come one after the other. */
export function largeBodiesInThread(data: LargeBodiesData): LargeBodiesThread {
  let worker: Worker | undefined;
  let waiting: PromiseWithResolvers<FromLargeBodies> | undefined;
  let idle: NodeJS.Timeout | undefined;
  /** Of the body that was checked last. */
  let bytes = 0;
  let isClosed = false;

  function start(): Worker {
    // The published package is JavaScript, a checkout runs as it is.
    const file = import.meta.url.endsWith('.ts') ? './large-bodies-worker.ts' : './large-bodies-worker.js';
    const started = new Worker(new URL(file, import.meta.url), { workerData: data });
    started.on('message', (answer: FromLargeBodies) => waiting?.resolve(answer));
    started.on('error', error => waiting?.reject(revivedError(error)));
    started.once('exit', () => {
      if (worker === started) worker = undefined;
      waiting?.reject(new ThreadEnded());
    });
    return started;
  }

  async function ask<Kind extends FromLargeBodies['kind']>(
    kind: Kind,
    message: ToLargeBodies,
    transferred: ArrayBuffer[] = [],
  ): Promise<AnswerOf<Kind>> {
    if (isClosed) throw new ThreadEnded();
    clearTimeout(idle);
    worker ??= start();
    waiting = Promise.withResolvers();
    worker.postMessage(message, transferred);
    try {
      const answer = await waiting.promise;
      if (answer.kind === 'failed') throw revivedError(answer.error);
      if (answer.kind !== kind) throw new Error(`the thread of large bodies sent ${answer.kind} in place of ${kind}`);
      return answer as AnswerOf<Kind>;
    } finally {
      waiting = undefined;
      idle = setTimeout(() => void end(), kind === 'stored' && bytes > VERY_LARGE ? 0 : IDLE_MS);
      idle.unref();
    }
  }

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  return {
    check: async ({ path, receivedAt }, body) => {
      const buffers = body.map(part => part.buffer);
      bytes = body.reduce((sum, { length }) => sum + length, 0);
      return (await ask('checked', { kind: 'check', path, receivedAt, body }, buffers)).result;
    },
    store: async () => (await ask('stored', { kind: 'store' })).entry,
    close: () => {
      isClosed = true;
      return end();
    },
  };
}

/** The thread ended, because the process does or for want of memory, before it had stored an event. */
class ThreadEnded extends AppError {
  override readonly name = 'ThreadEnded';
  override readonly kind = 'response';

  constructor() {
    super('the thread that checks large events has ended', { hint: 'The node sends the event again.' });
  }
}
