import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

/**
 * Responses whose ETag is a digest of their content. The body is made before the conditional request is judged, and used again for
 * the response. So no ETag outlives its content: a 304 never hides an error, another locale or another token.
 */
export class VersionedResponses<R extends FastifyRequest> {
  readonly #make: (request: R) => Promise<string>;
  readonly #made = new WeakMap<FastifyRequest, Promise<string>>();

  /** @param make the body of a 200; throws the ApiError of any other response */
  constructor(make: (request: R) => Promise<string>) {
    this.#make = make;
  }

  /** The body of the response, made once a request. */
  readonly body = (request: FastifyRequest): Promise<string> => {
    const known = this.#made.get(request);
    if (known) return known;
    const made = this.#make(request as R);
    this.#made.set(request, made);
    return made;
  };

  /** For `config.cache`; errors have no version. */
  readonly version = async (request: FastifyRequest): Promise<string | undefined> => {
    try {
      const body = await this.body(request);
      return createHash('sha256').update(`${request.url}\n${body}`).digest('hex').slice(0, 32);
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
}
