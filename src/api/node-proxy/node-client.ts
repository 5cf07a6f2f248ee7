import type { IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { finished, type Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import type { MessageHeaders } from '../../base/lib/end-to-end-headers.ts';
import { NodeFault } from './faults.ts';

export interface NodeRequest {
  readonly method: string;
  /** With its query, exactly as it is sent. */
  readonly path: string;
  readonly headers: MessageHeaders;
  readonly body?: Buffer | undefined;
  /** Longest time until the head of the response, and between two pieces of its body. */
  readonly timeoutMs: number;
  /** The part of this time that has passed already. */
  readonly waitedMs?: number;
  /** Released at the end of the exchange, when the connection is free again. */
  readonly place?: { release(): void } | undefined;
  /** Aborted when no client waits for the response any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface NodeResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The caller must read it to its end, or destroy it. */
  readonly body: Readable;
}

/** Gets a line when the node begins to fail, and a line when it works again. */
export interface NodeLog {
  warn(fields: object, text: string): void;
  info(fields: object, text: string): void;
}

/** Loads the library with the first client: most servers have no node, and loading it would be a tenth of their start. */
const load = createRequire(import.meta.url);

/** Methods that may be sent twice. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** The node closed a connection that was idle: the request may never have reached it. */
const HUNG_UP: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const LATE: ReadonlySet<unknown> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
]);

/** Of HTTP (RFC 9110 15). */
const LAST_STATUS = 599;

/** HTTP/1.1 to one node, over connections that are kept and shared. */
export class NodeClient {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #log: NodeLog;
  readonly #name: string;
  #isDown = false;

  /** @param name of the node in the log */
  constructor(
    { node, maxConnections }: { readonly node: string; readonly maxConnections: number },
    log: NodeLog,
    name = 'the node',
  ) {
    const { origin, pathname } = new URL(node);
    const { Pool } = load('undici') as typeof import('undici');
    this.#pool = new Pool(origin, { connections: maxConnections, pipelining: 1, allowH2: false });
    this.#basePath = pathname.replace(/\/+$/, '');
    this.#log = log;
    this.#name = name;
  }

  /** Resolves with the head of the response, whatever its status. @throws NodeFault, or the reason of the signal */
  async send(request: NodeRequest): Promise<NodeResponse> {
    try {
      const response = await this.#sendInTime(request);
      if (this.#isDown) this.#log.info({}, `${this.#name} responds again`);
      this.#isDown = false;
      return response;
    } catch (error) {
      request.signal?.throwIfAborted();
      const fault = faultOf(error);
      if (!this.#isDown) this.#log.warn({ err: fault }, `${this.#name} fails; requests to it are refused`);
      this.#isDown = true;
      throw fault;
    }
  }

  /** Ends all exchanges. */
  close(): Promise<void> {
    return this.#pool.destroy();
  }

  /** Sends within the time limit, which includes the wait for a connection. */
  async #sendInTime(request: NodeRequest): Promise<NodeResponse> {
    const { method, path, headers, body, timeoutMs, waitedMs = 0, place, signal } = request;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new NodeFault('timeout', undefined)), Math.max(0, timeoutMs - waitedMs));
    const options: Dispatcher.RequestOptions = {
      method: method as Dispatcher.HttpMethod,
      path: this.#basePath + path,
      headers,
      body: body ?? null,
      headersTimeout: 0,
      bodyTimeout: timeoutMs,
    };
    let sent: Promise<{ readonly body: Readable }> | undefined;
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          // Each attempt has a signal of its own: one that ends with its body must not end the next.
          const gone = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
          const response = this.#pool.request({ ...options, signal: gone });
          sent = response;
          const { statusCode, headers, body } = await unlessAborted(response, gone);
          if (statusCode > LAST_STATUS) {
            body.on('error', () => undefined).destroy();
            throw new Error(`the status ${statusCode} does not exist`);
          }
          return { status: statusCode, headers, body };
        } catch (error) {
          const mayRepeat = attempt === 1 && REPEATABLE.has(method) && HUNG_UP.has(codeOf(error));
          if (!mayRepeat || late.signal.aborted || signal?.aborted) throw error;
        }
      }
    } finally {
      clearTimeout(timer);
      if (place !== undefined) whenOver(sent, () => place.release());
    }
  }
}

/** Rejects when the signal is aborted. The library notices that only once the request has a connection. */
async function unlessAborted<T extends { readonly body: Readable }>(sent: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([sent, aborted]);
  } catch (error) {
    sent.then(
      ({ body }) => body.on('error', () => undefined).destroy(),
      () => undefined,
    );
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Calls a function when the last body of an exchange has ended, however it ends. */
function whenOver(sent: Promise<{ readonly body: Readable }> | undefined, release: () => void): void {
  if (sent === undefined) release();
  else sent.then(({ body }) => finished(body, { writable: false }, release), release);
}

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code;

/** The response to the client for an error of an exchange. */
export const faultOf = (error: unknown): NodeFault =>
  error instanceof NodeFault ? error : new NodeFault(LATE.has(codeOf(error)) ? 'timeout' : 'unreachable', error);
