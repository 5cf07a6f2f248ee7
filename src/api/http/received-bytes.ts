import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import type { Closable, Holding } from '../../base/net/ledger.ts';
import { type Clients, refusedBy } from './clients.ts';
import { ApiError, overloaded } from './errors.ts';

/** How slowly clients may send bodies of requests. */
export interface UploadLimits {
  /** Bytes a second that a client sends at least, over `uploadWindow`; a slower one gets a 408. */
  readonly minUpload: number;
  /** Milliseconds. */
  readonly uploadWindow: number;
}

/** Milliseconds over which the rate of an upload is computed at least: in the first ones, it is a matter of chance. */
const LEAST_ELAPSED = 1000;

/** Whether a request has a body that is still to come. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Counts the bodies of requests that Fastify reads, of all routes: from their first byte until the response is sent, or the client
 * has disconnected. While a body arrives its request takes no place of those in progress, as its client decides how long that takes.
 */
export class ReceivedBytes {
  readonly #limits: UploadLimits;
  readonly #clients: Pick<Clients, 'ledger' | 'turns'>;
  readonly #release: (request: FastifyRequest) => void;
  readonly #uploads = new Set<Upload>();
  #timer: NodeJS.Timeout | undefined;

  /** @param release gives back the place of a request among those in progress */
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
    const holding = ledger.hold('received_bytes', request.client, 0, upload) as Holding; // nothing fits always
    payload.on('data', (chunk: Buffer) => {
      if (upload.isOver) return; // what is refused is thrown away
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

  /** An upload that began since the last check is judged at the next but one. */
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

/** A body that arrives. */
class Upload implements Closable {
  received = 0;
  /** Whether it is complete, or has got an error as its response. */
  isOver = false;
  readonly #payload: NodeJS.ReadableStream;
  readonly #began = performance.now();
  #checked: number | undefined;

  constructor(payload: NodeJS.ReadableStream) {
    this.#payload = payload;
  }

  /** Undefined once it is complete: then the server works with it. */
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
