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
 * Lets every new connection in, and closes the quietest one when there are too many: of its address, or of all. So strangers who hold
 * connections shut nobody out. One whose request is complete is never closed for another: its sender waits for the response.
 * @param onClosed told of every connection that is closed so
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
      // Where everybody waits for a response, the newcomer has to come again.
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

/** The one that was heard last the longest ago; those that have begun a request after those that have not. */
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
