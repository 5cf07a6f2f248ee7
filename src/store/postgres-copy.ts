import type { Connection, PoolClient, Submittable } from 'pg';
import type { Table, Value } from './database.ts';
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

/** Encodes rows from `start` on, as many as fit in one COPY, and tells where the next one begins. */
export function encodeCopy(rows: readonly (readonly Value[])[], start: number): { data: Buffer; next: number } {
  const writer = growingBuffer();
  writer.bytes(SIGNATURE);
  let next = start;
  for (; next < rows.length && writer.size() < MAX_COPY_BYTES; next++) {
    const row = rows[next] as readonly Value[];
    writer.int16(row.length);
    for (const value of row) writeField(writer, value);
  }
  writer.int16(END_OF_ROWS);
  return { data: writer.result(), next };
}

/** What pg has and its types leave out. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Sends `data` to a COPY statement. Rejects with the error of pg or of the server, translated by the caller. */
export function copyInto(client: PoolClient, sql: string, data: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(copyQuery(sql, data, error => (error === undefined ? resolve() : reject(error))));
  });
}

/** A query as pg drives it: it calls these methods with the messages of the server, and nothing after an error. */
function copyQuery(sql: string, data: Buffer, done: (error?: Error) => void): Submittable {
  return {
    submit(connection: Connection) {
      connection.query(sql);
    },
    handleCopyInResponse(connection: CopyConnection) {
      connection.sendCopyFromChunk(data);
      connection.endCopyFrom();
    },
    handleCommandComplete() {},
    handleError(error: Error) {
      done(error);
    },
    handleReadyForQuery() {
      done();
    },
  } as Submittable;
}
