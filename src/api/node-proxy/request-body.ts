import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.ts';
import { bodyTooLarge, tooMuchForNode } from './faults.ts';

/** Counts the bytes of bodies that are held as a whole. */
export class HeldBytes {
  readonly #most: number;
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** False if it would be too much: then nothing is counted. */
  take(size: number): boolean {
    if (this.#held + size > this.#most) return false;
    this.#held += size;
    return true;
  }

  give(size: number): void {
    this.#held -= size;
  }
}

/** The body of a request as it arrives; undefined for a request without a body. */
export const bodyOf = (request: FastifyRequest): Readable | undefined => (request.body as Readable | null) ?? undefined;

/** The length of the body in the request's header; undefined without one. The HTTP parser enforces it. */
export function declaredLength(request: FastifyRequest): number | undefined {
  const length = request.headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/**
 * Reads a body as a whole. Its bytes count as held until the response is sent, or the client has disconnected.
 * @throws ApiError 413 if it has more than `most` bytes, 503 if too much is held already, 400 if it is cut off
 */
export async function holdBody(
  request: FastifyRequest,
  { raw: response }: FastifyReply,
  most: number,
  held: HeldBytes,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  response.once('close', () => held.give(size));
  try {
    for await (const chunk of (bodyOf(request) ?? []) as AsyncIterable<Buffer>) {
      if (size + chunk.length > most) throw bodyTooLarge(most);
      if (response.destroyed) break;
      if (!held.take(chunk.length)) throw tooMuchForNode();
      size += chunk.length;
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
  }
  // A request that was made in this process has no `complete` flag.
  if (response.destroyed || request.raw.complete === false)
    throw new ApiError(400, 'The body of the request was cut off');
  return Buffer.concat(chunks);
}
