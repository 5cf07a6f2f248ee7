import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { DeadlineError } from '../../lib/deadline.ts';
import type { MetadataLimits } from '../limits.ts';

export interface ExchangeOptions {
  readonly lookup: LookupFunction;
  readonly headers: Readonly<Record<string, string>>;
  /** Until the connection stands, TLS included. */
  readonly connectMs: number;
  /** Aborting it destroys the socket at once, also while the body is read. */
  readonly signal: AbortSignal;
}

/**
 * One GET over a connection of its own: none is kept, so none can be used that was not checked. TLS certificates are verified; proxy
 * settings of the environment have no effect. Resolves with the headers, whatever the status; redirects are not followed.
 * @throws DeadlineError without a connection in time, else what the socket says
 */
export function exchange(url: URL, { connectMs, ...options }: ExchangeOptions): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)(url, { ...options, method: 'GET', agent: false });
    const late = () => request.destroy(new DeadlineError(`no connection in ${connectMs} ms`));
    const timer = setTimeout(late, connectMs);
    const connected = () => clearTimeout(timer);
    request.once('socket', socket => socket.once(secure ? 'secureConnect' : 'connect', connected));
    request.once('close', connected);
    request.once('response', resolve);
    // Stays after the response: the same error reaches the reader of the body.
    request.on('error', reject);
    request.end();
  });
}

/** The body is larger than allowed, as it came or decoded. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/** The body has an encoding that is not known, or is not what its encoding says. */
export class BodyEncodingError extends Error {
  override readonly name = 'BodyEncodingError';
}

/**
 * The whole body, decoded. Bytes are counted as they come and as they are decoded, whatever the headers say; reading ends at the first
 * byte too many. The caller destroys the response when this throws.
 * @throws BodyTooLargeError, BodyEncodingError, or the error of the connection
 */
export async function readBody(response: IncomingMessage, most: number, limits: MetadataLimits): Promise<Uint8Array> {
  if (Number(response.headers['content-length'] ?? 0) > most) throw new BodyTooLargeError('announced too many bytes');
  const decoder = decoderOf(response.headers['content-encoding']);
  const wire = new Wire(response, most);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of decoder ? decoded(wire, decoder) : wire.chunks()) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) throw new BodyTooLargeError(`more than ${most} bytes when decoded`);
    if (length > limits.inflatedBytes && length > wire.bytes * limits.inflation)
      throw new BodyTooLargeError(`more than ${limits.inflation} times its compressed size`);
  }
  return Buffer.concat(chunks);
}

/** The bytes as they come. */
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
    try {
      for await (const chunk of this.#response) {
        this.bytes += chunk.length;
        if (this.bytes > this.#most) throw new BodyTooLargeError(`more than ${this.#most} bytes`);
        yield chunk;
      }
    } catch (error) {
      this.error = error;
      throw error;
    }
  }
}

/** Encodings are not asked for; some servers send them all the same. */
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
  // The error comes out of the decoder, whichever of the two has it.
  const output = pipeline(wire.chunks(), decoder, () => {});
  try {
    for await (const chunk of output) yield chunk;
  } catch (error) {
    throw wire.error ?? new BodyEncodingError(error instanceof Error ? error.message : String(error));
  }
}
