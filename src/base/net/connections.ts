import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientAddresses } from './client-address.ts';
import type { Closable, Ledger } from './ledger.ts';

/** Added to the progress of a connection whose request is incomplete, so that all connections without a request are closed before it. */
const WITH_REQUEST = Number.MAX_SAFE_INTEGER / 2;

/**
 * Accepts every new connection, and closes the quietest one when there are too many: of its address, or of the address with the
 * most. So strangers who hold connections open cannot lock out others. A connection whose request is complete is never closed for
 * another: its sender waits for the response. The ledger's allowance of connections must have `replacesOwn`.
 */
export function limitConnections<R extends string>(
  server: Server,
  ledger: Ledger<R | 'connections'>,
  addresses: ClientAddresses,
): void {
  const open = new Map<Socket, Connection>();
  let arrivals = 0;

  server.on('connection', (socket: Socket) => {
    arrivals++;
    const connection = new Connection(socket, () => arrivals);
    const holding = ledger.hold('connections', addresses.ofConnection(socket), 1, connection);
    // All connections wait for a response: refuse the new one.
    if (typeof holding === 'string') return void socket.destroy();
    open.set(socket, connection);
    socket.once('close', () => {
      open.delete(socket);
      holding.release();
    });
  });

  server.prependListener('request', (request, response) => {
    const connection = open.get(request.socket);
    if (connection) connection.newest = { request, response };
  });
}

class Connection implements Closable {
  /** The newest request on it. */
  newest: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
  readonly #socket: Socket;
  readonly #arrivals: () => number;
  /** Bytes received at the last check. `#lastActive`: how many connections had been accepted when a check last found new bytes. */
  #bytes = 0;
  #lastActive: number;

  constructor(socket: Socket, arrivals: () => number) {
    this.#socket = socket;
    this.#arrivals = arrivals;
    this.#lastActive = arrivals();
  }

  progress(): number | undefined {
    const { bytesRead } = this.#socket;
    if (bytesRead > this.#bytes) this.#lastActive = this.#arrivals();
    this.#bytes = bytesRead;
    if (this.newest === undefined || this.newest.response.closed) return this.#lastActive;
    return this.newest.request.complete ? undefined : this.#lastActive + WITH_REQUEST;
  }

  close(): void {
    this.#socket.destroy();
  }
}
