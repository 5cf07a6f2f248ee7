/**
 * Messages of the protocol of PostgreSQL, version 3, as bytes.
 * Source: PostgreSQL manual, "Frontend/Backend Protocol", "Message Formats".
 */

export interface Message {
  /** One letter; which one means what depends on the direction. */
  readonly type: string;
  /** The whole message, with type and length. */
  readonly bytes: Buffer;
}

/** The first packet of a client, which has no type. */
export interface Opening {
  readonly bytes: Buffer;
  /** Names of the parameters of a startup message. */
  readonly parameters: readonly string[];
}

export type OpeningKind = 'startup' | 'cancel' | 'encryption';

const KINDS: Readonly<Record<number, OpeningKind>> = {
  80877102: 'cancel',
  80877103: 'encryption', // SSLRequest
  80877104: 'encryption', // GSSENCRequest
};

export function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

/** Cuts a stream into messages: takes its chunks as they come, and calls `onMessage` for each message that is complete. */
export function frames(onMessage: (message: Message) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return chunk => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (rest.length >= at + 5) {
      const end = at + 1 + rest.readInt32BE(at + 1);
      if (rest.length < end) break;
      const bytes = rest.subarray(at, end);
      at = end;
      onMessage({ type: String.fromCharCode(bytes[0] ?? 0), bytes });
    }
    rest = rest.subarray(at);
  };
}

/** As `frames`, for the packets with which a client begins; `rest` is what came after the packet. */
export function opening(onPacket: (packet: Opening, kind: OpeningKind, rest: Buffer) => void): (chunk: Buffer) => void {
  let received: Buffer = Buffer.alloc(0);
  return chunk => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 8 && received.length >= received.readInt32BE(0)) {
      const bytes = received.subarray(0, received.readInt32BE(0));
      const kind = KINDS[received.readInt32BE(4)] ?? 'startup';
      received = received.subarray(bytes.length);
      onPacket({ bytes, parameters: kind === 'startup' ? parameterNames(bytes) : [] }, kind, received);
      if (kind !== 'encryption') return;
    }
  };
}

/** Of `name\0value\0name\0value\0\0`, after length and version. */
const parameterNames = (startup: Buffer): string[] =>
  startup
    .subarray(8)
    .toString()
    .split('\0')
    .filter((text, i) => i % 2 === 0 && text !== '');
