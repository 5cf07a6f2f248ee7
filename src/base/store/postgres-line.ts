/** The readers of a shared snapshot wait for each other's statements for so long, unless an option has another time: milliseconds. */
const PATIENCE_MS = 25;

/** Ends the work of a reader that waits too long. Its work is then done again, in a snapshot of its own. */
class Overtaken extends Error {}

/** Whether a read has to be done again, because a statement of another reader took long. */
export const isOvertaken = (error: unknown): boolean => error instanceof Overtaken;

interface Statement {
  readonly reader: object;
  /** When the server began with it: `performance.now()`. Undefined while others are before it. */
  begun: number | undefined;
}

/**
 * The statements of a connection that several readers share, in the order in which the server carries them out.
 *
 *     reader A   a statement of 2 s
 *     reader B   a statement of 1 ms, which waits behind it: overtaken after 25 ms
 */
export class StatementLine {
  readonly #line: Statement[] = [];
  readonly #patienceMs: number;

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  /** Sends a statement. @throws Overtaken, and what `send` throws */
  run<T>(reader: object, send: () => Promise<T>): Promise<T> {
    const statement: Statement = { reader, begun: this.#line.length === 0 ? performance.now() : undefined };
    this.#line.push(statement);
    const result = send();
    const leave = () => this.#leave(statement);
    result.then(leave, leave);
    return this.wait(reader, result);
  }

  /** Waits for the result of a statement that was sent before. @throws Overtaken, and what the statement throws */
  async wait<T>(reader: object, result: Promise<T>): Promise<T> {
    if (this.#line.every(statement => statement.reader === reader)) return result;
    const { promise: overtaken, reject } = Promise.withResolvers<never>();
    let [timer, isOver]: [NodeJS.Timeout | undefined, boolean] = [undefined, false];
    // What has arrived by now is read before the immediate: a busy event loop overtakes no reader.
    const checkAfter = (ms: number) => {
      timer = setTimeout(setImmediate, ms, check);
    };
    const check = () => {
      if (isOver) return;
      const patience = this.#patience(reader);
      if (patience > 0) checkAfter(patience);
      else reject(new Overtaken('a statement of another reader takes long'));
    };
    checkAfter(this.#patienceMs);
    try {
      return await Promise.race([result, overtaken]);
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  }

  /** Milliseconds that a reader waits on. */
  #patience(reader: object): number {
    const [first] = this.#line;
    if (first?.begun === undefined || first.reader === reader) return this.#patienceMs;
    return this.#patienceMs - (performance.now() - first.begun);
  }

  #leave(statement: Statement): void {
    this.#line.splice(this.#line.indexOf(statement), 1);
    const [first] = this.#line;
    if (first) first.begun ??= performance.now();
  }
}
