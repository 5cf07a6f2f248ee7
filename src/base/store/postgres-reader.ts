import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { FLUSH, RECEIVED, readDataRow, readRowDescription, SYNC } from './postgres-messages.ts';
import { type PreparedStatements, ReadTransaction } from './postgres-read-transaction.ts';
import { aboveLimit, type ResultLimits } from './postgres-results.ts';

/** What a reading connection needs beside its client. */
export interface ReaderOptions {
  /** How long the readers of a transaction wait for each other's statements, in milliseconds. */
  readonly patienceMs: number;
  /** Time limit of a statement, in milliseconds; then the connection is closed. */
  readonly timeoutMs: number | undefined;
  readonly results: ResultLimits | undefined;
  /** Called when the server has ended all its transactions. */
  readonly onIdle: (reader: PostgresReader) => void;
  /** Called when the connection has ended. */
  readonly onLost: (reader: PostgresReader) => void;
}

/** Commands that begin a transaction, and those that end it: none where the settings of the session suffice. */
interface Bounds {
  readonly begin: readonly string[];
  readonly end: readonly string[];
}

/** A transaction whose end the server has not reported. */
interface Running {
  readonly transaction: ReadTransaction;
  /** Whether the Sync that ends it is on its way. */
  isEnding: boolean;
}

/** Bytes before a message: its type and its length. */
const HEAD = 5;
/** In a ReadyForQuery: no transaction is open. */
const NO_BLOCK = 0x49;

/**
 * A connection that reads. pg opens it and reports its end and errors; statements and rows are sent and received here, which
 * costs less than half:
 *
 *     one turn     parse? bind execute, bind execute, flush      as many statements as readers have
 *     later        bind execute, flush                           that depend on the results
 *     at the end   sync                                          goes out with the next transaction, if one begins soon
 *
 * Without BEGIN, all up to a Sync is one transaction (PostgreSQL manual, "Extended Query"), in the isolation that the session is set to.
 */
export class PostgresReader {
  readonly client: pg.PoolClient;
  readonly #stream: Duplex;
  readonly #options: ReaderOptions;
  readonly #bounds: Bounds;
  readonly #prepared: PreparedStatements = new Map();
  /** The oldest first. */
  readonly #running: Running[] = [];
  /** Bytes to send. */
  #unsent: Buffer[] = [];
  #willSend = false;
  /** A statement has failed in a block, which only a ROLLBACK would end: the connection is closed instead. */
  #hasFailedBlock = false;
  readonly #received = new Received();
  readonly #parse: (bytes: Buffer) => void;
  #timer: NodeJS.Timeout | undefined;
  /** Received so far in response to one statement. */
  #bytes = 0;
  #rows = 0;

  /** @param client connected, and used by nothing else from now on */
  constructor(client: pg.PoolClient, bounds: Bounds, options: ReaderOptions) {
    this.client = client;
    this.#bounds = bounds;
    this.#options = options;
    this.#stream = (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection.stream;
    this.#parse = (this.#stream.listeners('data') as ((chunk: Buffer) => void)[]).at(-1) ?? (() => undefined);
    this.#stream.removeAllListeners('data').on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#stream.once('close', () => {
      clearTimeout(this.#timer);
      options.onLost(this);
    });
  }

  get isLost(): boolean {
    return !this.#stream.writable;
  }

  /** Whether a new transaction would begin without waiting for statements of earlier ones. */
  get isFree(): boolean {
    return (
      !this.isLost && !this.#hasFailedBlock && this.#running.length <= 1 && !this.#running[0]?.transaction.isWaiting
    );
  }

  /** Begins a transaction, behind those that are not over. */
  begin(): ReadTransaction {
    const transaction = new ReadTransaction(this.#prepared, bytes => this.#send(bytes));
    const running = { transaction, isEnding: false };
    this.#running.push(running);
    this.client.query(new OfPg(error => this.#fail(running, error)));
    for (const command of this.#bounds.begin) transaction.command(command);
    return transaction;
  }

  /** Ends the newest transaction. The message for that is sent with the next transaction, or by `flush`. */
  end(): void {
    const running = this.#running.at(-1);
    if (running === undefined || running.isEnding) return;
    for (const command of this.#bounds.end) running.transaction.command(command);
    running.isEnding = true;
    this.#unsent.push(SYNC);
  }

  /** Sends the waiting messages. */
  flush(): void {
    this.#willSend = false;
    const bytes = this.#unsent;
    if (bytes.length === 0) return;
    this.#unsent = [];
    if (this.#stream.writable) this.#stream.write(bytes.length === 1 ? bytes[0] : Buffer.concat(bytes));
  }

  /** After a failed statement the server skips all up to a Sync. */
  #fail(running: Running, error: Error): void {
    running.transaction.fail(error);
    this.#hasFailedBlock ||= this.#bounds.begin.length > 0;
    if (running.isEnding) return;
    running.isEnding = true;
    this.#unsent.push(SYNC);
    this.flush();
  }

  /** What is sent until this turn of the event loop ends goes out together: a write of its own costs more than a small statement. */
  #send(bytes: Buffer): void {
    this.#unsent.push(bytes);
    if (this.#willSend) return;
    this.#willSend = true;
    setImmediate(() => {
      if (!this.#willSend) return;
      this.#unsent.push(FLUSH);
      this.flush();
    });
    this.#timer ??= this.#watch(this.#options.patienceMs);
  }

  #watch(ms: number): NodeJS.Timeout {
    // Sockets are read before the immediate runs: a busy event loop must not make readers count as overtaken.
    return setTimeout(setImmediate, ms, () => this.#check());
  }

  /** Ends the wait behind a long statement, and closes the connection of a silent server. */
  #check(): void {
    this.#timer = undefined;
    const transaction = this.#running.find(({ transaction }) => transaction.isWaiting)?.transaction;
    if (transaction === undefined) return;
    const { patienceMs, timeoutMs = Number.POSITIVE_INFINITY } = this.#options;
    const ms = transaction.overtake(patienceMs);
    if (ms > timeoutMs) this.#stream.destroy(new Error('Query read timeout'));
    else this.#timer = this.#watch(ms < patienceMs ? patienceMs - ms : patienceMs);
  }

  #receive(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#limitBytes(this.#bytes);
    const bytes = this.#received.add(chunk);
    if (bytes === undefined) return;
    let at = 0;
    while (bytes.length - at >= HEAD) {
      const end = at + 1 + bytes.readUInt32BE(at + 1);
      if (end > bytes.length) break;
      this.#handle(bytes, at, end);
      at = end;
    }
    this.#received.keep(bytes.subarray(at));
    this.#limitBytes(this.#bytes + this.#received.missing);
  }

  #handle(bytes: Buffer, at: number, end: number): void {
    const transaction = this.#running[0]?.transaction;
    switch (bytes[at]) {
      case RECEIVED.dataRow:
        this.#countRow();
        transaction?.receiveRow((columns, isBinary) => readDataRow(columns, bytes, at + HEAD, isBinary));
        return;
      case RECEIVED.commandComplete:
      case RECEIVED.emptyQuery:
        this.#bytes = 0;
        this.#rows = 0;
        transaction?.complete();
        return;
      case RECEIVED.rowDescription:
        transaction?.describe(readRowDescription(bytes, at + HEAD));
        return;
      case RECEIVED.noData:
        transaction?.describe([]);
        return;
      case RECEIVED.parseComplete:
      case RECEIVED.bindComplete:
      case RECEIVED.closeComplete:
      case RECEIVED.parameterDescription:
        return;
      case RECEIVED.readyForQuery:
        this.#running.shift();
        this.#parse(bytes.subarray(at, end));
        if (bytes[at + HEAD] !== NO_BLOCK) this.#stream.destroy();
        if (this.#running.length === 0) this.#options.onIdle(this);
        return;
      default:
        this.#parse(bytes.subarray(at, end)); // errors, notices, settings
    }
  }

  /** @param bytes of the response to one statement, including those that the head of a message announces */
  #limitBytes(bytes: number): void {
    const { results } = this.#options;
    if (results && bytes > results.bytes) this.#endAbove(`${results.bytes} bytes`);
  }

  #countRow(): void {
    const { results } = this.#options;
    if (++this.#rows === (results?.rows ?? Number.POSITIVE_INFINITY) + 1) this.#endAbove(`${results?.rows} rows`);
  }

  #endAbove(most: string): void {
    this.#stream.destroy(aboveLimit(most));
  }
}

/** A transaction as a query of pg, so that pg reports errors of the server and the end of the connection to it. */
class OfPg implements pg.Submittable {
  readonly handleError: (error: Error) => void;

  constructor(onError: (error: Error) => void) {
    this.handleError = onError;
  }

  /** Does nothing: the reader sends the statements. */
  submit(): void {}

  handleReadyForQuery(): void {}
}

/** Chunks up to the end of a message. */
class Received {
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes of the first message; 0 before its head has arrived. */
  #needed = 0;

  /** @returns all bytes, once they contain a message */
  add(chunk: Buffer): Buffer | undefined {
    if (this.#length === 0) return chunk;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return undefined;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#length = 0;
    return all;
  }

  /** Bytes that the first message lacks, as far as its head is there. */
  get missing(): number {
    return this.#length === 0 ? 0 : this.#needed - this.#length;
  }

  /** Keeps the beginning of a message. */
  keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#length = bytes.length;
    this.#needed = bytes.length < HEAD ? HEAD : 1 + bytes.readUInt32BE(1);
  }
}
