import type { ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import type { UnreadWatch } from '../http/unread.ts';
import type { Admitted } from './admission.ts';
import { BoundedWebSocket, CLOSE, endWebSocket, Traffic } from './bounded-web-socket.ts';

/** Members of a session of engine.io beyond its types: one client, by polling or by WebSocket. */
export interface EngineSession {
  readonly transport: Transport;
  /** @param discard whether to discard packets that wait for the client */
  close(discard: boolean): void;
  once(event: 'close', listener: () => void): unknown;
  on(event: 'flush' | 'upgrade', listener: () => void): unknown;
  on(event: 'packetCreate', listener: (packet: { readonly data?: unknown }) => void): unknown;
  prependListener(event: 'data', listener: (data: unknown) => void): unknown;
}

interface Transport {
  readonly name: string;
  /** The socket of a WebSocket transport. */
  readonly socket?: WebSocket;
  /** The open POST and poll of a client that polls. */
  readonly dataRes?: ServerResponse | null;
  readonly res?: ServerResponse | null;
  /** Ends a transport that was closed between two polls; without this call it waits for the next poll, for 30 s at most. */
  readonly shouldClose?: (() => void) | null;
  onData(payload: string): void;
  doWrite(data: string, options: unknown, sent: () => void): void;
}

interface SessionParts {
  readonly admitted: Admitted;
  readonly unread: UnreadWatch;
  readonly onDrop: () => void;
  /** Begins work for a packet of the client, when the client has its turn. */
  readonly inTurn: (work: () => void) => void;
}

const SEPARATOR = '\u001e';
/** Types of packets of socket.io, the first characters of their texts (https://socket.io/docs/v4/socket-io-protocol/). */
const CONNECT = '0';
const BINARY = ['5', '6'];
/** Bytes that a packet takes beside its text. */
const PACKET_BYTES = 200;

/**
 * Limits the traffic and memory of one client of socket.io, from its handshake on, whether it joins or not. The client has one socket, of
 * the default namespace, and sends only text; anything else ends its session.
 */
export function boundSession(session: EngineSession, parts: SessionParts): void {
  /** Bytes of all packets created for it; `queued`, of those that wait for its transport; `responding`, in responses that it has not read. */
  let created = 0;
  let queued = 0;
  let responding = 0;
  const responses = new Set<ServerResponse>();

  const end = (code: number, reason: string) => {
    const { socket } = session.transport;
    if (socket) endWebSocket(socket, code, reason);
    session.close(true);
  };
  const drop = () => {
    parts.onDrop();
    end(CLOSE.tryAgainLater, 'overflow');
    for (const response of responses) response.destroy();
  };
  parts.admitted.endBy(() => end(CLOSE.tryAgainLater, 'full'));
  const unreadBytes = () => queued + responding + (session.transport.socket?.bufferedAmount ?? 0);
  const unread = parts.unread.watch({
    address: parts.admitted.address,
    unread: unreadBytes,
    taken: () => created - unreadBytes(),
    drop,
  });
  session.once('close', () => {
    unread.release();
    parts.admitted.release();
    // An ended session accepts no poll, so its transport would wait without end, and keep its memory.
    session.transport.shouldClose?.();
  });

  session.on('packetCreate', ({ data }) => {
    if (!unread.fits()) drop();
    const bytes = sizeOf(data);
    created += bytes;
    queued += bytes;
  });
  session.on('flush', () => {
    queued = 0;
  });

  const takeTurns = () => {
    if (session.transport.socket instanceof BoundedWebSocket) session.transport.socket.inTurn = parts.inTurn;
  };
  takeTurns();
  session.on('upgrade', takeTurns);

  let isConnected = false;
  session.prependListener('data', data => {
    if (typeof data !== 'string' || BINARY.includes(data.charAt(0))) end(CLOSE.policyViolation, 'no binary packets');
    else if (data.startsWith(CONNECT)) {
      if (isConnected || !isOfDefault(data)) end(CLOSE.policyViolation, 'one socket for a connection');
      isConnected = true;
    }
  });

  if (session.transport.name === 'polling') {
    const traffic = new Traffic();
    const { transport } = session;
    const { onData, doWrite } = transport;
    transport.onData = payload => {
      if (traffic.take(packetsIn(payload), payload.length)) return parts.inTurn(() => onData.call(transport, payload));
      if (transport.dataRes) refuse(transport.dataRes);
      end(CLOSE.policyViolation, 'too many packets');
    };
    transport.doWrite = (data, options, sent) => {
      const { res } = transport;
      if (res) {
        responding += data.length;
        responses.add(res);
        res.once('close', () => {
          responding -= data.length;
          responses.delete(res);
        });
      }
      doWrite.call(transport, data, options, sent);
    };
  }
}

const sizeOf = (data: unknown): number =>
  PACKET_BYTES + (typeof data === 'string' || Buffer.isBuffer(data) ? data.length : 0);

/** Whether a CONNECT is of the default namespace: `0`, `0{...}` or `0/,{...}`. */
const isOfDefault = (packet: string): boolean => packet.charAt(1) !== '/' || /^0\/(\?[^,]*)?(,|$)/.test(packet);

/** Number of packets in the text of a payload, at least one. */
function packetsIn(payload: string): number {
  let packets = 1;
  for (let at = payload.indexOf(SEPARATOR); at >= 0; at = payload.indexOf(SEPARATOR, at + 1)) packets++;
  return packets;
}

/** Responds 400 to a payload, where engine.io would respond 200. */
function refuse(response: ServerResponse): void {
  const { writeHead } = response;
  response.writeHead = ((_status: number, headers: Record<string, string>) =>
    writeHead.call(response, 400, headers)) as typeof writeHead;
}
