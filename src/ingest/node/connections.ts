import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Connections at once. */
  readonly maxConnections: number;
  /** Those of one address. */
  readonly maxConnectionsPerAddress: number;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** The newest request on it. */
  request: IncomingMessage | undefined;
  hasResponse: boolean;
  /** Bytes received when it was last looked at, and the number of that look at which there were new ones. */
  bytes: number;
  lastHeard: number;
}

/**
 * Accepts every new connection, and closes the quietest one when there are too many: of its address, or of all. So strangers who
 * hold connections open cannot lock out others. A connection whose request is complete is never closed for another: its sender
 * waits for the response.
 * @param onClosed called for every connection that is closed in this way
 */
export function limitConnections(
  server: Server,
  { maxConnections, maxConnectionsPerAddress }: ConnectionLimits,
  onClosed: (address: string) => void,
): void {
  const open = new Map<Socket, Connection>();
  let looks = 0;

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const ofAddress = [...open.values()].filter(connection => connection.address === address);
    const crowd =
      ofAddress.length >= maxConnectionsPerAddress ? ofAddress : open.size >= maxConnections ? [...open.values()] : [];
    looks++;
    const quietest = crowd.length > 0 ? quietestOf(crowd, looks) : undefined;
    if (crowd.length > 0) {
      // When all connections wait for a response, the newcomer has to come again.
      (quietest?.socket ?? socket).destroy();
      onClosed(quietest?.address ?? address);
    }
    if (crowd.length > 0 && !quietest) return;
    if (quietest) open.delete(quietest.socket);
    open.set(socket, { socket, address, request: undefined, hasResponse: true, bytes: 0, lastHeard: looks });
    socket.once('close', () => open.delete(socket));
  });

  server.prependListener('request', (request, response) => {
    const connection = open.get(request.socket);
    if (!connection) return;
    connection.request = request;
    connection.hasResponse = false;
    response.once('close', () => {
      if (connection.request === request) connection.hasResponse = true;
    });
  });
}

/** The connection whose last byte is oldest; connections with an unfinished request come after those without one. */
function quietestOf(connections: readonly Connection[], look: number): Connection | undefined {
  for (const connection of connections) {
    const { bytesRead } = connection.socket;
    if (bytesRead > connection.bytes) connection.lastHeard = look;
    connection.bytes = bytesRead;
  }
  return connections
    .filter(connection => !awaitsResponse(connection))
    .sort((a, b) => Number(!a.hasResponse) - Number(!b.hasResponse) || a.lastHeard - b.lastHeard)[0];
}

const awaitsResponse = ({ request, hasResponse }: Connection): boolean => !hasResponse && request?.complete === true;
