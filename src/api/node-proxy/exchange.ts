import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endToEnd, type MessageHeaders } from '../../base/lib/end-to-end-headers.ts';
import { faultOf, type NodeClient, type NodeResponse } from './node-client.ts';
import { bodyOf, declaredLength, type HeldBytes, holdBody } from './request-body.ts';
import type { NodeProxySettings } from './settings.ts';

/** Bytes of a response that is read as a whole: the source of the largest contract is smaller. */
const MOST_WHOLE = 16 * 1024 * 1024;
/** Statuses whose responses end with their heads (RFC 9112 6.3). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);

interface ExchangeParts {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** With the query, as it was sent. */
  readonly path: string;
  readonly timeoutMs: number;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly settings: NodeProxySettings;
  readonly node: NodeClient;
  readonly held: HeldBytes;
}

/** One request on its way to the node, and the response on its way back. */
export class Exchange {
  readonly #parts: ExchangeParts;

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

  /** The body of the request as a whole. @throws ApiError 413, 503, 400 */
  hold(): Promise<Buffer> {
    const { request, reply, settings, held } = this.#parts;
    return holdBody(request, reply, settings.maxRequestBytes, held);
  }

  /**
   * Sends the request: streamed where its length is known. Nodes want to know the length, so a body without one is read first.
   * @throws NodeFault, ApiError, or the reason of the signal
   */
  async forward(): Promise<NodeResponse> {
    const { request } = this.#parts;
    const body = bodyOf(request);
    if (body === undefined) return this.#send(undefined, undefined);
    const length = declaredLength(request);
    return length === undefined ? this.send(await this.hold()) : this.#send(body, length);
  }

  /** Sends the request with this body. @throws NodeFault, or the reason of the signal */
  send(body: Buffer): Promise<NodeResponse> {
    return this.#send(body, body.length);
  }

  /** Sends the request without anything specific to this client, as its response is shared. */
  sendForAll(body: Buffer | undefined, signal: AbortSignal): Promise<NodeResponse> {
    const { request, path, timeoutMs, node } = this.#parts;
    const { accept, 'content-type': type } = request.headers;
    const length = body && { 'content-length': String(body.length) };
    const headers = { ...(accept && { accept }), ...(type && { 'content-type': type }), ...length };
    return node.send({ method: request.method, path, headers, body, timeoutMs, signal });
  }

  /** Passes a response on, as it arrives. @throws NodeFault if its body fails before the first byte */
  async pass({ status, headers, body }: NodeResponse): Promise<FastifyReply> {
    const hasBody = !WITHOUT_BODY.has(status) && (await hasBytes(body));
    if (!hasBody) body.on('error', () => undefined).resume(); // a 304 has the length of the client's copy
    return this.#respond(status, this.#headersFrom(headers), hasBody ? body : undefined);
  }

  /** Sends a body that has been read from a response of the node, or made from it. */
  respond(status: number, headers: IncomingHttpHeaders, body: Buffer): FastifyReply {
    return this.#respond(status, { ...this.#headersFrom(headers), 'content-length': String(body.length) }, body);
  }

  #headersFrom(headers: IncomingHttpHeaders): MessageHeaders {
    return headersForClient(headers, this.#parts.settings.node);
  }

  #send(body: Readable | Buffer | undefined, length: number | undefined): Promise<NodeResponse> {
    const { request, path, timeoutMs, signal, settings, node } = this.#parts;
    const headers = headersForNode(request.headers, settings.passAuthorization);
    return node.send({
      method: request.method,
      path,
      headers: length === undefined ? headers : { ...headers, 'content-length': String(length) },
      body,
      timeoutMs,
      signal,
    });
  }

  #respond(status: number, headers: MessageHeaders, body: Readable | Buffer | undefined): FastifyReply {
    const { request, reply } = this.#parts;
    // A response that comes before the end of the request: the connection cannot be used again.
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

/** The body of a response as a whole. @throws NodeFault if it is cut off, or larger than such a response is */
export async function readWhole({ body }: NodeResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MOST_WHOLE) throw new Error(`the response has more than ${MOST_WHOLE} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw faultOf(error);
  }
  return Buffer.concat(chunks);
}

/** Without query and fragment. */
export const plainPath = (path: string): string => path.split(/[?#]/, 1)[0] ?? path;

/** Of the client's connection to this server: the node gets its own. */
const OF_THIS_SERVER: ReadonlySet<string> = new Set(['host', 'expect', 'content-length']);

/** Headers that this server sets itself on every response. */
const OURS = /^(access-control-|x-api-version$|x-stacks-(tip|burn-block)-)/;

/** The headers of a client's request that go to the node; the length of the body is for the sender to add. */
function headersForNode(headers: IncomingHttpHeaders, passAuthorization: boolean): MessageHeaders {
  return endToEnd(headers, name => OF_THIS_SERVER.has(name) || (name === 'authorization' && !passAuthorization));
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
