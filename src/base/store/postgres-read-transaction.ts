import type { Queries, Row, SqlValue } from './database.ts';
import { RetryableDatabaseError } from './errors.ts';
import { postgresError } from './postgres-errors.ts';
import { prepareMessages, type ResultColumns, runMessages } from './postgres-messages.ts';
import type { NumberedStatement } from './postgres-queries.ts';

/** Ends the work of a reader that has waited too long. The work is then repeated in a snapshot of its own. */
class Overtaken extends Error {}

/** Whether a read must be repeated, because a statement of another reader took too long. */
export const isOvertaken = (error: unknown): boolean => error instanceof Overtaken;

/** A statement that a connection has prepared, or is about to. */
interface PreparedStatement {
  readonly name: string;
  /** Undefined until the server has prepared it and described its result. */
  columns: ResultColumns | undefined;
}

/** The named statements of a connection. */
export type PreparedStatements = Map<string, PreparedStatement>;

interface Waiter {
  readonly reader: object;
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A statement on its way. */
interface Sent {
  /** Undefined for a command. */
  readonly reader: object | undefined;
  readonly statement: PreparedStatement;
  /** Whether bytes and integers come in binary. */
  readonly isBinary: boolean;
  readonly rows: Row[];
  readonly waiters: Waiter[];
  /** Error of a row that could not be read. */
  failure: unknown;
  /** When the server began with it: `performance.now()`. */
  begun: number;
}

/**
 * The statements of one transaction of a connection, which several readers may share, in the order in which the server carries them out. A
 * reader waits for no statement of another one that takes long:
 *
 *     reader A   a statement of 2 s
 *     reader B   a statement of 1 ms, which waits behind it: overtaken after 25 ms
 */
export class ReadTransaction {
  readonly #prepared: PreparedStatements;
  readonly #send: (bytes: Buffer) => void;
  readonly #line: Sent[] = [];
  /** Statements without parameters: their results do not change within a transaction. All readers query the position of the index. */
  readonly #fixed = new Map<string, Sent>();
  #failure: unknown;

  /**
   * @param prepared statements of the connection
   * @param send sends bytes after all that was sent before, at the end of this turn of the event loop
   */
  constructor(prepared: PreparedStatements, send: (bytes: Buffer) => void) {
    this.#prepared = prepared;
    this.#send = send;
  }

  get isWaiting(): boolean {
    return this.#line.length > 0;
  }

  /** The queries of a new reader. @param prepare names statements */
  readerOf(prepare: (sql: string) => NumberedStatement): Queries {
    const reader = {};
    const all = <R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R[]> =>
      this.#run(reader, sql, prepare(sql), params) as Promise<R[]>;
    return {
      all,
      get: async <R extends Row>(sql: string, params?: readonly SqlValue[]) => (await all<R>(sql, params))[0],
    };
  }

  /** Sends a command whose result has no use, such as BEGIN. */
  command(sql: string): void {
    this.#enqueue(undefined, { text: sql }, []);
  }

  /** The first statement has a row. */
  receiveRow(read: (columns: ResultColumns, isBinary: boolean) => Row): void {
    const [first] = this.#line;
    if (first === undefined || first.failure !== undefined) return;
    try {
      first.rows.push(read(first.statement.columns ?? [], first.isBinary));
    } catch (error) {
      first.failure = error;
    }
  }

  /** The server describes the result of the first statement. */
  describe(columns: ResultColumns): void {
    const [first] = this.#line;
    if (first) first.statement.columns = columns;
  }

  /** The first statement is done. */
  complete(): void {
    const done = this.#line.shift();
    if (done === undefined) return;
    const [next] = this.#line;
    if (next) next.begun = performance.now();
    for (const { resolve, reject } of done.waiters) {
      if (done.failure === undefined) resolve(done.rows);
      else reject(done.failure);
    }
  }

  /**
   * Ends the transaction early. The statement that the server was running fails with the error; those behind it fail as retryable.
   * @param error of pg or of the server
   */
  fail(error: unknown): void {
    const cause = postgresError(error);
    const [first] = this.#line;
    this.#failure = first ? new RetryableDatabaseError('CONFLICT', 'the snapshot has ended', { cause: error }) : cause;
    for (const { statement, waiters } of this.#line.splice(0)) {
      if (statement.columns === undefined) this.#prepared.delete(statement.name);
      for (const { reject } of waiters) reject(waiters === first?.waiters ? cause : this.#failure);
    }
  }

  /**
   * Ends the waiting of readers behind a statement of another reader that takes longer than this.
   * @returns milliseconds that the first statement has taken so far
   */
  overtake(patienceMs: number): number {
    const [first] = this.#line;
    if (first === undefined) return 0;
    const ms = performance.now() - first.begun;
    if (ms < patienceMs || first.reader === undefined) return ms;
    for (const { waiters } of this.#line) {
      const others = waiters.filter(({ reader }) => reader !== first.reader);
      if (others.length === 0) continue;
      waiters.splice(0, waiters.length, ...waiters.filter(waiter => !others.includes(waiter)));
      for (const { reject } of others) reject(new Overtaken('a statement of another reader takes long'));
    }
    return ms;
  }

  #run(reader: object, sql: string, statement: NumberedStatement, params: readonly SqlValue[]): Promise<Row[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (params.length > 0) return waitFor(this.#enqueue(reader, statement, params), reader);
    const known = this.#fixed.get(sql);
    const sent = known ?? this.#enqueue(reader, statement, params);
    if (known === undefined) this.#fixed.set(sql, sent);
    // A completed statement has left the line.
    return known && !this.#line.includes(known) ? resultOf(known) : waitFor(sent, reader);
  }

  #enqueue(reader: object | undefined, { name = '', text }: NumberedStatement, params: readonly SqlValue[]): Sent {
    const known = name === '' ? undefined : this.#prepared.get(name);
    const statement = known ?? { name, columns: undefined };
    if (known === undefined) {
      if (name !== '') this.#prepared.set(name, statement);
      this.#send(prepareMessages(name, text));
    }
    const { columns } = statement;
    const sent = {
      ...{ reader, statement, isBinary: columns !== undefined, rows: [], waiters: [], failure: undefined },
      begun: performance.now(),
    };
    this.#line.push(sent);
    this.#send(runMessages(name, params, columns));
    return sent;
  }
}

const waitFor = (sent: Sent, reader: object): Promise<Row[]> =>
  new Promise((resolve, reject) => sent.waiters.push({ reader, resolve, reject }));

const resultOf = ({ failure, rows }: Sent): Promise<Row[]> =>
  failure === undefined ? Promise.resolve(rows) : Promise.reject(failure);
