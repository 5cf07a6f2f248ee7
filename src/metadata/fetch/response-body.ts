import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { AppError } from '../../base/lib/app-error.ts';
import type { MetadataLimits } from '../limits.ts';

/** The body is larger than allowed, on the wire or decoded. */
export class BodyTooLargeError extends AppError {
  override readonly name = 'BodyTooLargeError';
  override readonly kind = 'caller';
}

/** The encoding of the body is unknown, or the body does not fit it. */
export class BodyEncodingError extends AppError {
  override readonly name = 'BodyEncodingError';
  override readonly kind = 'caller';
}

/**
 * The whole body, decoded. Counts received and decoded bytes, and ignores the lengths in headers; stops at the first byte too many. The
 * caller destroys the response when this throws.
 * @throws BodyTooLargeError, BodyEncodingError, or the error of the connection
 */
export async function readResponseBody(
  response: IncomingMessage,
  most: number,
  limits: MetadataLimits,
): Promise<Uint8Array> {
  if (Number(response.headers['content-length'] ?? 0) > most) throw new BodyTooLargeError('announced too many bytes');
  const decoder = decoderOf(response.headers['content-encoding']);
  const wire = new Wire(response, most);
  const body = new GrowingBuffer();
  for await (const chunk of decoder ? decoded(wire, decoder) : wire.chunks()) {
    body.append(chunk);
    if (body.length > most) throw new BodyTooLargeError(`more than ${most} bytes when decoded`);
    if (body.length > limits.inflatedBytes && body.length > wire.bytes * limits.inflation)
      throw new BodyTooLargeError(`more than ${limits.inflation} times its compressed size`);
  }
  return body.bytes();
}

/** Bytes in one piece of memory: a body may come in pieces of one byte, and each would be an object of its own. */
class GrowingBuffer {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  length = 0;

  append(chunk: Buffer): void {
    const length = this.length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.length);
    this.length = length;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}

/** For headers and the framing of a body; a chunk of one byte takes six. */
const FRAMING_BYTES = 128 * 1024;

/** The received bytes. */
class Wire {
  bytes = 0;
  /** Why they ended too soon. */
  error: unknown;
  readonly #response: IncomingMessage;
  readonly #most: number;

  constructor(response: IncomingMessage, most: number) {
    this.#response = response;
    this.#most = most;
  }

  async *chunks(): AsyncGenerator<Buffer> {
    const { socket } = this.#response;
    try {
      for await (const chunk of this.#response) {
        this.bytes += chunk.length;
        if (this.bytes > this.#most) throw new BodyTooLargeError(`more than ${this.#most} bytes`);
        if (socket.bytesRead > 2 * this.#most + FRAMING_BYTES)
          throw new BodyTooLargeError('too many bytes around the body');
        yield chunk;
      }
    } catch (error) {
      this.error = error;
      throw error;
    }
  }
}

/** The request accepts no encoding; some servers encode the body nevertheless. */
function decoderOf(encoding = 'identity'): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return createUnzip();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new BodyEncodingError(`unknown content-encoding ${encoding}`);
  }
}

async function* decoded(wire: Wire, decoder: Transform): AsyncGenerator<Buffer> {
  // Errors of both streams come out of the decoder.
  const output = pipeline(wire.chunks(), decoder, () => {});
  try {
    for await (const chunk of output) yield chunk;
  } catch (error) {
    throw wire.error ?? new BodyEncodingError(error instanceof Error ? error.message : String(error));
  }
}
