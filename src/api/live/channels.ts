import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../http/errors.ts';
import { refuseUpgrade } from './refusal.ts';
import { SOCKET_IO_PATH, SocketIoChannel } from './socket-io.ts';
import type { Streams } from './streams.ts';
import { RPC_PATH, RpcChannel } from './web-socket.ts';

interface Channels {
  /** Number of clients of each channel. */
  counts(): { readonly webSocket: number; readonly socketIo: number };
  close(): void;
}

/** Serves the two older channels on a server, beside its routes. @param newSessionId for socket.io; random ones without it */
export function openChannels(server: HttpServer, streams: Streams, newSessionId?: () => string): Channels {
  const { feed, admission, unread, turns, limits } = streams;
  const parts = { feed, admission, unread, turns, limits, onDrop: () => streams.dropped() };
  const rpc = new RpcChannel(parts);
  const socketIo = new SocketIoChannel(server, { ...parts, newSessionId });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    if (path.startsWith(SOCKET_IO_PATH)) return; // socket.io has its own listener
    try {
      if (path !== RPC_PATH) throw new ApiError(path.startsWith(RPC_PATH) ? 400 : 404, 'no WebSocket here');
      rpc.upgrade(request, socket, head);
    } catch (error) {
      refuseUpgrade(socket, error);
    }
  });
  return {
    counts: () => ({ webSocket: rpc.count, socketIo: socketIo.count }),
    close: () => {
      rpc.close();
      socketIo.close();
    },
  };
}
