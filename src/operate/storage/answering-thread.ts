import { parentPort, type Transferable, Worker, workerData } from 'node:worker_threads';
import { AppError } from '../../base/lib/app-error.ts';
import { revivedError } from '../../base/store/errors.ts';

/** The answer to a message that failed. */
interface Failed {
  readonly kind: 'failed';
  readonly error: unknown;
}

type Message = { readonly kind: string };

/** A thread that answers messages, one after the other. The first message starts it, and so does the first message after its end. */
export class AnsweringThread<To extends Message, From extends Message> {
  readonly #file: URL;
  readonly #data: unknown;
  readonly #hint: string;
  #worker: Worker | undefined;
  #waiting: PromiseWithResolvers<From | Failed> | undefined;
  #isClosed = false;

  /**
   * @param file the module of the thread, which calls `answerMessages`
   * @param data for its start
   * @param hint for the operator about work that was cut off
   */
  constructor(file: URL, data: unknown, hint: string) {
    this.#file = file;
    this.#data = data;
    this.#hint = hint;
  }

  /**
   * Sends a message; the previous one must have its answer.
   * @param kind of the answer
   * @param transferred memory of the message that the thread takes over
   * @throws the error of the thread; ThreadEnded
   */
  async ask<Kind extends From['kind']>(
    kind: Kind,
    message: To,
    transferred: readonly Transferable[] = [],
  ): Promise<Extract<From, { kind: Kind }>> {
    if (this.#isClosed) throw new ThreadEnded(this.#hint);
    this.#worker ??= this.#start();
    this.#waiting = Promise.withResolvers();
    this.#worker.postMessage(message, transferred);
    try {
      const answer = await this.#waiting.promise;
      if (isFailed(answer)) throw revivedError(answer.error);
      if (answer.kind !== kind) throw new Error(`a thread sent ${answer.kind} in place of ${kind}`);
      return answer as Extract<From, { kind: Kind }>;
    } finally {
      this.#waiting = undefined;
    }
  }

  /** Ends the thread, which releases its memory. Work in progress rejects. */
  async end(): Promise<void> {
    const ended = this.#worker;
    this.#worker = undefined;
    await ended?.terminate();
  }

  /** As `end`; it does not start again. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.end();
  }

  #start(): Worker {
    const started = new Worker(this.#file, { workerData: this.#data });
    started.on('message', (answer: From | Failed) => this.#waiting?.resolve(answer));
    started.on('error', error => this.#waiting?.reject(revivedError(error)));
    started.once('exit', () => {
      if (this.#worker === started) this.#worker = undefined;
      this.#waiting?.reject(new ThreadEnded(this.#hint));
    });
    return started;
  }
}

const isFailed = (answer: Message): answer is Failed => answer.kind === 'failed';

/**
 * Answers the messages to this thread.
 * @param start makes the function that answers one message, from the data of the start
 */
export function answerMessages<Data, To extends Message, From extends Message>(
  start: (data: Data) => (message: To) => Promise<From>,
): void {
  const port = parentPort;
  if (!port) throw new Error('this module runs in a worker thread');
  const answerTo = start(workerData as Data);
  port.on('message', (message: To) => {
    answerTo(message).then(
      answer => port.postMessage(answer),
      error => port.postMessage({ kind: 'failed', error } satisfies Failed),
    );
  });
}

/** The thread ended before it answered, because the process ends or lacks memory. */
class ThreadEnded extends AppError {
  override readonly name = 'ThreadEnded';
  override readonly kind = 'response';

  constructor(hint: string) {
    super('a thread has ended before its work was done', { hint });
  }
}
