/**
 * An event of socket.io in the form that sessions send: made once for all clients, with a single write for each. The library would make it anew for each
 * call, write header and text separately, and look up every client.
 *
 *     ["block", {...}]   text  2["block",{...}]   frame  81 7e 2f 10  42["block",{...}]
 */

/** Of engine.io (https://socket.io/docs/v4/engine-io-protocol/) and socket.io (https://socket.io/docs/v4/socket-io-protocol/). */
const MESSAGE = '4';
const EVENT = '2';

interface EventPacket {
  /** For `write` of a session. */
  readonly text: string;
  readonly options: {
    readonly compress: boolean;
    /** A session with a WebSocket sends these bytes in place of the text. */
    readonly wsPreEncodedFrame: readonly Buffer[];
  };
}

/** @param leading the name and the arguments before the payload @param payload JSON text */
export function eventPacket(leading: readonly unknown[], payload: string): EventPacket {
  const text = `${EVENT}${JSON.stringify(leading).slice(0, -1)},${payload}]`;
  return { text, options: { compress: true, wsPreEncodedFrame: [textFrame(MESSAGE + text)] } };
}

/** A server's frame with a whole text (RFC 6455 5.2), in one buffer, so that it takes one write. */
function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 2 : length < 2 ** 16 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = 0x81;
  frame[1] = head === 2 ? length : head === 4 ? 126 : 127;
  if (head === 4) frame.writeUInt16BE(length, 2);
  if (head === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.write(text, head);
  return frame;
}
