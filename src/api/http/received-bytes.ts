import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import type { Closable, Holding } from '../../base/net/ledger.ts';
import { type Clients, refusedBy } from './clients.ts';
import { ApiError, overloaded } from './errors.ts';

/** How slowly clients may send bodies of requests. */
export interface UploadLimits {
  /** Lowest rate of an upload over `uploadWindow`, in bytes a second; a slower client gets a 408. */
  readonly minUpload: number;
  /** Milliseconds. */
  readonly uploadWindow: number;
}

/** Shortest time over which the rate of an upload is computed, in milliseconds: over less, it depends on chance. */
const LEAST_ELAPSED = 1000;

/** Whether a request has a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Counts the request bodies that Fastify reads, on all routes, from their first byte until the response is sent or the client has
 * disconnected. While its body arrives, a request does not count as in progress, as the client decides how long that takes.
 */
export class ReceivedBytes {
  readonly #limits: UploadLimits;
  readonly #clients: Pick<Clients, 'ledger' | 'turns'>;
  readonly #release: (request: FastifyRequest) => void;
  readonly #uploads = new Set<Upload>();
  #timer: NodeJS.Timeout | undefined;

  /** @param release ends counting a request as in progress */
  constructor(
    limits: UploadLimits,
    clients: Pick<Clients, 'ledger' | 'turns'>,
    release: (request: FastifyRequest) => void,
  ) {
    this.#limits = limits;
    this.#clients = clients;
    this.#release = release;
  }

  /** Runs before the body of a request is read. */
  readonly preParsing: preParsingHookHandler = (request, reply, payload, done) => {
    if (hasBody(request.raw)) this.#count(request, reply, payload as NodeJS.ReadableStream);
    done(null, payload);
  };

  #count(request: FastifyRequest, reply: FastifyReply, payload: NodeJS.ReadableStream): void {
    const { ledger, turns } = this.#clients;
    this.#release(request);
    const upload = new Upload(payload);
    const holding = ledger.hold('received_bytes', request.client, 0, upload) as Holding; // an amount of 0 is never refused
    payload.on('data', (chunk: Buffer) => {
      if (upload.isOver) return; // discard the rest of a refused body
      upload.received += chunk.length;
      const refusal = holding.add(chunk.length);
      if (refusal !== undefined) upload.fail(refusedBy(refusal, 'bytes of unfinished requests', 2));
    });
    payload.once('end', () => {
      turns.note(request.routeOptions.url ?? '');
      upload.isOver = true;
      this.#uploads.delete(upload);
    });
    reply.raw.once('close', () => {
      holding.release();
      this.#uploads.delete(upload);
    });
    this.#uploads.add(upload);
    this.#timer ??= setInterval(() => this.#endSlow(), this.#limits.uploadWindow).unref();
  }

  /** Ends slow uploads. An upload that began since the last check is first judged at the second check from now. */
  #endSlow(): void {
    const { minUpload, uploadWindow } = this.#limits;
    for (const upload of this.#uploads) {
      if (upload.isOver) this.#uploads.delete(upload);
      else if (upload.receivedSinceCheck() < (minUpload * uploadWindow) / 1000) upload.fail(tooSlow(minUpload));
    }
    if (this.#uploads.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** An arriving body. */
class Upload implements Closable {
  received = 0;
  /** Whether the body is complete, or an error was sent. */
  isOver = false;
  readonly #payload: NodeJS.ReadableStream;
  readonly #began = performance.now();
  #checked: number | undefined;

  constructor(payload: NodeJS.ReadableStream) {
    this.#payload = payload;
  }

  /** Undefined once the body is complete: then the server uses it. */
  progress(): number | undefined {
    if (this.isOver) return undefined;
    return this.received / Math.max(LEAST_ELAPSED, performance.now() - this.#began);
  }

  close(): void {
    this.fail(overloaded(2));
  }

  /** Bytes since the call before; infinite at the first one. */
  receivedSinceCheck(): number {
    const before = this.#checked ?? Number.NEGATIVE_INFINITY;
    this.#checked = this.received;
    return this.received - before;
  }

  /** Ends the upload as a failed read does: Fastify responds with the error, and closes the connection. */
  fail(error: ApiError): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.#payload.listenerCount('error') > 0) this.#payload.emit('error', error);
  }
}

const tooSlow = (least: number): ApiError =>
  new ApiError(408, `The body of the request arrived at less than ${least} bytes a second`);
