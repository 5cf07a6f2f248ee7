import type { Duplex } from 'node:stream';
import pg, { type ClientBase, type Connection } from 'pg';
import type { SqlValue, Table } from './database.ts';
import { quoteName, quoteNames } from './ddl.ts';
import { growingBuffer, writeField } from './postgres-binary.ts';

/**
 * COPY FROM STDIN in the binary format: the fastest way into PostgreSQL, and nothing in it needs escaping.
 * Source: PostgreSQL manual, COPY, "Binary Format".
 */

/** "PGCOPY\n\377\r\n\0", no flags, no header extension. */
const SIGNATURE = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex');
const END_OF_ROWS = -1;
/** One COPY carries about this many bytes; longer inserts take several, so that memory and pauses stay bounded. */
const MAX_COPY_BYTES = 4 * 1024 * 1024;

/** `COPY "table" ("a", "b") FROM STDIN (FORMAT binary)` */
export function copySql(table: Table): string {
  return `COPY ${quoteName(table.name)} (${quoteNames(Object.keys(table.columns))}) FROM STDIN (FORMAT binary)`;
}

/** The rows as the data of one COPY or of several. */
export function* copyParts(rows: readonly (readonly SqlValue[])[]): Iterable<Buffer> {
  for (let next = 0; next < rows.length; ) {
    const writer = growingBuffer();
    writer.bytes(SIGNATURE);
    for (; next < rows.length && writer.size() < MAX_COPY_BYTES; next++) {
      const row = rows[next] as readonly SqlValue[];
      writer.int16(row.length);
      for (const value of row) writeField(writer, value);
    }
    writer.int16(END_OF_ROWS);
    yield writer.result();
  }
}

/** Members of pg that its types lack. */
interface CopyConnection extends Connection {
  readonly stream: Duplex;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Sends `data` to a COPY statement. Rejects with the error of pg or of the server, translated by the caller. */
export function copyInto(client: ClientBase, sql: string, data: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyQuery(sql, data, error => (error ? reject(error) : resolve())));
  });
}

/**
 * Sends the data together with the statement, without waiting for the server's request for it, so a COPY takes its turn in a
 * pipeline. A server that refuses the statement skips the data (PostgreSQL manual, "COPY Operations").
 */
class CopyQuery extends pg.Query {
  readonly #sql: string;
  readonly #data: Buffer;

  constructor(sql: string, data: Buffer, done: (error: Error | null | undefined) => void) {
    super(sql, undefined, done);
    this.#sql = sql;
    this.#data = data;
  }

  override submit = (connection: Connection): void => {
    const { stream } = connection as CopyConnection;
    stream.cork();
    connection.query(this.#sql);
    (connection as CopyConnection).sendCopyFromChunk(this.#data);
    (connection as CopyConnection).endCopyFrom();
    stream.uncork();
  };

  /** The server requests the data, which is already on its way. */
  handleCopyInResponse(): void {}
}
