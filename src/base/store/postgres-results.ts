import type { Duplex } from 'node:stream';
import pg, { type ClientConfig, type Connection } from 'pg';
import { FatalDatabaseError } from './errors.ts';

/**
 * The most that a server may send in response to one statement, or before the first one. pg keeps all of it in memory until the response is
 * complete, so a server that is hostile, or no PostgreSQL at all, could take all memory.
 */
export interface ResultLimits {
  /** Bytes on the wire: two for each byte of a `bytea`. */
  readonly bytes: number;
  readonly rows: number;
}

/** Members of pg that its types lack. */
interface LimitedConnection extends Connection {
  readonly ssl: unknown;
  /** TLS replaces it when the handshake begins. */
  readonly stream: Duplex;
}

/**
 * A client of pg that closes its connection with FatalDatabaseError (RESULT_TOO_LARGE) where the server sends more before the first statement
 * than the limits allow. What follows is limited by the reader (postgres-reader.ts).
 */
export function clientWithin(limits: ResultLimits): new (config?: ClientConfig) => pg.Client {
  return class extends pg.Client {
    constructor(config?: ClientConfig) {
      super(config);
      limitStart((this as unknown as { readonly connection: LimitedConnection }).connection, limits);
    }
  };
}

function limitStart(connection: LimitedConnection, limits: ResultLimits): void {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.bytes) connection.stream.destroy(aboveLimit(`${limits.bytes} bytes`));
  };
  // Prepended, to see each chunk before pg does.
  connection.once(connection.ssl ? 'sslconnect' : 'connect', () => connection.stream.prependListener('data', count));
}

/** The response to one statement has more bytes or rows than its reader takes. @param most such as `100 rows` */
export const aboveLimit = (most: string): FatalDatabaseError =>
  new FatalDatabaseError('RESULT_TOO_LARGE', `PostgreSQL: the response to one statement has more than ${most}`);
