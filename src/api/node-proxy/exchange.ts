import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endToEnd, type MessageHeaders } from '../../base/lib/end-to-end-headers.ts';
import type { Pause } from '../../base/lib/loop-turns.ts';
import { type Clients, refusedBy } from '../http/clients.ts';
import { ApiError } from '../http/errors.ts';
import { SMALL } from '../http/unsent-bytes.ts';
import { faultOf, type NodeClient, type NodeResponse } from './node-client.ts';
import type { NodePlace, NodeQueue } from './node-queue.ts';
import type { NodeProxySettings } from './settings.ts';

/** Most bytes of a response that is read as a whole: the source of the largest contract is smaller. */
const MOST_WHOLE = 16 * 1024 * 1024;
/** Bytes of a piece: smaller responses never wait for the work of others. */
const PIECE = 256 * 1024;
/** Names of sending requests to the node and reading its responses, for reports of long turns. */
const SENDING = 'requests to the node';
const READING = 'responses of the node';
/** Statuses whose responses end with their heads (RFC 9112 6.3). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);

interface ExchangeParts {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Path with its query, as it was sent. */
  readonly path: string;
  readonly timeoutMs: number;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly settings: NodeProxySettings;
  readonly node: NodeClient;
  readonly queue: NodeQueue;
  readonly clients: Pick<Clients, 'ledger' | 'turns'>;
}

/** One request on its way to the node, and the response on its way back. */
export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #began = performance.now();
  /** Undefined until the request is sent to the node. */
  #place: NodePlace | undefined;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  get request(): FastifyRequest {
    return this.#parts.request;
  }

  get path(): string {
    return this.#parts.path;
  }

  /** Aborted when the client disconnects. */
  get signal(): AbortSignal {
    return this.#parts.signal;
  }

  /** Whether the node gets the client's `Authorization` header. */
  get isAuthorized(): boolean {
    const { request, settings } = this.#parts;
    return settings.passAuthorization && request.headers.authorization !== undefined;
  }

  /** The body of the request as a whole; undefined for a request without one. */
  get body(): Buffer | undefined {
    return (this.#parts.request.body as Buffer | null) ?? undefined;
  }

  /** Waits until the node may get another request. @throws ApiError 429 or 503, NodeFault, or the reason of the signal */
  enter(): Promise<NodePlace> {
    const { request, queue, timeoutMs, signal } = this.#parts;
    return queue.enter(request.client, timeoutMs, signal);
  }

  /** Counts the request as waiting for the node. @returns a function that ends this. @throws ApiError 429 or 503 */
  waitInLine(): () => void {
    return this.#parts.queue.waitInLine(this.#parts.request.client);
  }

  /** Sends the request when the node may get it. @throws errors of `enter`, and NodeFault */
  async send(): Promise<NodeResponse> {
    const { request, settings, signal } = this.#parts;
    this.#place = await this.enter();
    await this.#turn();
    return this.#send(headersForNode(request.headers, settings.passAuthorization), this.#place, signal);
  }

  /** Sends the request without anything specific to this client, as its response is shared. */
  sendForAll(place: NodePlace, signal: AbortSignal): Promise<NodeResponse> {
    const { accept, 'content-type': type } = this.#parts.request.headers;
    return this.#send({ ...(accept && { accept }), ...(type && { 'content-type': type }) }, place, signal);
  }

  /**
   * The body of a response as a whole. While it is read, it counts as unsent bytes of this client.
   * @throws NodeFault if it is cut off or too large; ApiError 429 or 503
   */
  async readWhole(response: NodeResponse): Promise<Buffer> {
    const { request } = this.#parts;
    const { ledger } = this.#parts.clients;
    const holding = ledger.hold('unsent_bytes', request.client, 0);
    if (typeof holding === 'string') throw refusedBy(holding, 'unread responses');
    let counted = 0;
    try {
      const onSize = (size: number) => {
        const more = ledger.atMostShare('unsent_bytes', size <= SMALL ? 0 : size) - counted;
        const refusal = holding.add(more);
        if (refusal !== undefined) throw refusedBy(refusal, 'unread responses');
        counted += more;
      };
      return await readWhole(response, onSize, this.#pause);
    } finally {
      holding.release();
    }
  }

  /** Passes a response on, as it arrives. @throws NodeFault if its body fails before the first byte */
  async pass({ status, headers, body }: NodeResponse): Promise<FastifyReply> {
    const hasBody = !WITHOUT_BODY.has(status) && (await hasBytes(body));
    if (!hasBody) body.on('error', () => undefined).resume(); // a 304 has the length of the client's copy
    if (!hasBody) return this.#respond(status, this.#headersFrom(headers), undefined);
    const isSmall = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= PIECE;
    if (!isSmall) await this.#pause();
    const passed = isSmall ? body : inTurns(body, this.#pause);
    this.#place?.readBy(this.#parts.reply.raw, passed);
    return this.#respond(status, this.#headersFrom(headers), passed);
  }

  /** Sends a body that has been read from a response of the node, or made from it. */
  respond(status: number, headers: IncomingHttpHeaders, body: Buffer): FastifyReply {
    return this.#respond(status, { ...this.#headersFrom(headers), 'content-length': String(body.length) }, body);
  }

  /** Waits for a turn: opening a connection to the node takes as long as a small page, and a hundred clients may arrive at once. */
  #turn(): Promise<void> {
    const { clients, request } = this.#parts;
    return new Promise(resolve => clients.turns.begin(SENDING, request.client, () => resolve()));
  }

  readonly #pause: Pause = () => this.#parts.clients.turns.pause(READING);

  #headersFrom(headers: IncomingHttpHeaders): MessageHeaders {
    return headersForClient(headers, this.#parts.settings.node);
  }

  #send(headers: MessageHeaders, place: NodePlace, signal: AbortSignal): Promise<NodeResponse> {
    const { body } = this;
    const { request, path, timeoutMs, node } = this.#parts;
    return node.send({
      method: request.method,
      path,
      headers: body === undefined ? headers : { ...headers, 'content-length': String(body.length) },
      body,
      timeoutMs,
      waitedMs: performance.now() - this.#began,
      place,
      signal,
    });
  }

  #respond(status: number, headers: MessageHeaders, body: Readable | Buffer | undefined): FastifyReply {
    const { request, reply } = this.#parts;
    // After a response before the end of the request, the connection cannot be reused.
    if (!request.raw.complete) reply.header('connection', 'close');
    return reply.removeHeader('content-type').code(status).headers(headers).send(body);
  }
}

/**
 * Waits for the first byte of a body, or its end: until then the server can still respond with an error. @throws
 * NodeFault
 */
async function hasBytes(body: Readable): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const done = () => resolve();
  if (body.destroyed) reject(body.errored);
  body.on('readable', done).on('end', done).on('error', reject);
  try {
    await promise;
    return body.readableLength > 0;
  } catch (error) {
    throw faultOf(error);
  } finally {
    body.off('readable', done).off('end', done).off('error', reject);
  }
}

/**
 * A body whose pieces take turns with the work of other clients. The kernel buffers some megabytes of a response for a client that does not
 * read; for a hundred such clients at once, copying these takes a second.
 */
function inTurns(body: Readable, pause: Pause): Readable {
  const paced = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const later = pause();
      if (later === undefined) done(null, chunk);
      else later.then(() => done(null, chunk));
    },
  });
  return pipeline(body, paced, () => undefined);
}

/** Pauses after each piece. @returns a function that takes the number of read bytes, and returns a promise to await */
function inPieces(pause: Pause): (size: number) => Promise<void> | undefined {
  let read = 0;
  return size => {
    read += size;
    if (read < PIECE) return undefined;
    read = 0;
    return pause();
  };
}

/**
 * The body of a response as a whole. @param onSize called with the announced length, or a greater received length; if it throws, so does this function
 * @param pause awaited for each piece that arrives
 * @throws NodeFault if it is cut off or too large
 */
export async function readWhole(
  { headers, body }: NodeResponse,
  onSize?: (size: number) => void,
  pause?: Pause,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const pauseAfter = pause && inPieces(pause);
  let size = Number(headers['content-length'] ?? 0);
  const check = () => {
    if (size > MOST_WHOLE) throw new Error(`the response has more than ${MOST_WHOLE} bytes`);
    onSize?.(size);
  };
  try {
    check(); // do not read a response that announces too much
    let read = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      read += chunk.length;
      if (read > size) {
        size = read;
        check();
      }
      chunks.push(chunk);
      await pauseAfter?.(chunk.length);
    }
  } catch (error) {
    body.on('error', () => undefined).destroy();
    throw error instanceof ApiError ? error : faultOf(error);
  }
  return Buffer.concat(chunks);
}

/** The path without query and fragment. */
export const plainPath = (path: string): string => path.split(/[?#]/, 1)[0] ?? path;

/** Headers of the client's connection to this server: the node gets its own. Cookies belong to this server's site. */
const OF_THIS_SERVER: ReadonlySet<string> = new Set(['host', 'expect', 'content-length', 'cookie']);

/** Headers by which a proxy names the origin, path or method of the original request; clients must not set them. */
const OF_PROXIES =
  /^(forwarded|x[-_](forwarded.*|real[-_]ip|original[-_].*|rewrite[-_].*|http[-_]method.*|method[-_]override))$/;

/** Headers that this server sets itself on every response. */
const OURS = /^(access-control-|x-api-version$|x-stacks-(tip|burn-block)-)/;

/** The headers of a client's request that go to the node; the length of the body is for the sender to add. */
function headersForNode(headers: IncomingHttpHeaders, passAuthorization: boolean): MessageHeaders {
  const isDropped = (name: string) =>
    OF_THIS_SERVER.has(name) || OF_PROXIES.test(name) || (name === 'authorization' && !passAuthorization);
  return endToEnd(headers, isDropped);
}

/** The headers of the node's response that go to the client. @param node its URL, which no client learns */
function headersForClient(headers: IncomingHttpHeaders, node: string): MessageHeaders {
  const { location } = headers;
  const kept = endToEnd(headers, name => OURS.test(name));
  return location === undefined ? kept : { ...kept, location: redirectedHere(location, node) };
}

/** A redirect of the node to itself becomes a redirect to the same path of this server. */
function redirectedHere(location: string, node: string): string {
  const base = new URL(node);
  const target = URL.parse(location, node);
  if (target?.origin !== base.origin) return location;
  const path = target.pathname + target.search + target.hash;
  const before = base.pathname.replace(/\/$/, '');
  return path.startsWith(`${before}/`) ? path.slice(before.length) : path;
}
