import type { Duplex } from 'node:stream';
import pg, { type ClientConfig, type Connection } from 'pg';
import { FatalDatabaseError } from './errors.ts';

/**
 * The most that a server may send in response to one statement, or before the first one. pg keeps all of it in memory until the response is
 * complete, so a server that is hostile, or no PostgreSQL at all, could take all memory.
 */
export interface ResultLimits {
  /** As they are sent: two for each byte of a `bytea`. */
  readonly bytes: number;
  readonly rows: number;
}

/** What pg has and its types leave out. */
interface LimitedConnection extends Connection {
  readonly ssl: unknown;
  /** With TLS it is another one after the handshake began. */
  readonly stream: Duplex;
}

/**
 * A client of pg that closes its connection with FatalDatabaseError (RESULT_TOO_LARGE) where a response exceeds the limits. A response that ends in
 * the chunk that exceeds them still arrives.
 */
export function clientWithin(limits: ResultLimits): new (config?: ClientConfig) => pg.Client {
  return class extends pg.Client {
    constructor(config?: ClientConfig) {
      super(config);
      limitResults((this as unknown as { readonly connection: LimitedConnection }).connection, limits);
    }
  };
}

function limitResults(connection: LimitedConnection, limits: ResultLimits): void {
  let bytes = 0;
  let rows = 0;
  const end = (most: string) =>
    connection.stream.destroy(
      new FatalDatabaseError('RESULT_TOO_LARGE', `PostgreSQL: the response to one statement has more than ${most}`),
    );
  // Before pg sees a chunk: what this chunk completes is forgotten with it.
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.bytes) end(`${limits.bytes} bytes`);
  };
  connection.once(connection.ssl ? 'sslconnect' : 'connect', () => connection.stream.prependListener('data', count));
  connection.on('dataRow', () => {
    if (++rows === limits.rows + 1) end(`${limits.rows} rows`);
  });
  connection.on('readyForQuery', () => {
    bytes = 0;
    rows = 0;
  });
}
