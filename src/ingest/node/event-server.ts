import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AppError } from '../../base/lib/app-error.ts';
import { http } from '../../base/lib/node-http.ts';
import { fail, ok, type Result } from '../../base/lib/result.ts';
import { isDatabaseError } from '../../base/store/errors.ts';
import { serialQueue } from '../../base/store/query-session.ts';
import type { Delivery } from '../journal/entries.ts';
import { type ConnectionLimits, limitPort } from './connection-limit.ts';
import { checkAccess } from './event-access.ts';
import { defaultEventLimits, type EventError, type EventLimits } from './events/json.ts';
import { type EventSummary, eventSummary, isReadablePath, type NodeEvent, parseEvent } from './events/parse.ts';
import { type BodyParts, drain, readRequestBody, wholeBody } from './request-body.ts';

/** A post of a node, with the time at which its last byte arrived, and the parsed event. */
export interface CheckedDelivery extends Delivery {
  readonly event: NodeEvent;
}

/** A post with a large body, which another thread has checked. */
export interface LargeDelivery extends Post {
  /** With empty lists: see withoutLists. */
  readonly event: NodeEvent;
  /** As eventSummary. */
  readonly summary: EventSummary;
}

/**
 * Checks and stores large bodies outside of this thread: a body of 80 MB, such as the genesis block of mainnet, takes seconds, in which
 * nothing else would run.
 */
export interface LargeBodies {
  /** Takes over the memory of the parts. */
  check(post: Post, body: BodyParts): Promise<Result<LargeDelivery, EventError>>;
  /** As `accept` of the server, for the last checked delivery. */
  accept(delivery: LargeDelivery): Promise<void>;
}

/** Smallest large body, in bytes. Checking smaller ones takes a few milliseconds, and would take longer in another thread. */
const LARGE_BODY = 1_000_000;

interface EventServerLimits extends EventLimits, ConnectionLimits {
  /** How long the headers of a request may take. */
  readonly headersTimeoutMs: number;
  /** How long a request may take until its last byte has arrived. */
  readonly requestTimeoutMs: number;
  /** How long close() waits for requests in progress. */
  readonly closeDeadlineMs: number;
}

export const defaultEventServerLimits: EventServerLimits = {
  ...defaultEventLimits,
  maxConnections: 100,
  // A node opens one connection at a time.
  maxConnectionsPerAddress: 32,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 300_000,
  closeDeadlineMs: 10_000,
};

/** The outcome of an event. */
export type EventOutcome = 'accepted' | 'refused' | 'failed';

/** Where the server listens. */
type Listening =
  /** Port 0: any free port. */
  | { readonly host: string; readonly port: number }
  /** The path of a Unix socket. */
  | { readonly socket: string };

interface EventHandling {
  /** Paths whose events are read, besides those that nodes post. */
  readonly alsoReads?: readonly string[];
  readonly limits: EventServerLimits;
  readonly logger: Logger;
  /** Secret that a sender must present (event-access.ts); undefined: no secret. */
  readonly secret?: string;
  /** Reason to refuse a valid event; undefined to accept it. */
  readonly refuse?: (event: NodeEvent) => EventError | undefined;
  /** Called after every parsed event, with the seconds from its receipt until its response. */
  readonly onEvent?: (path: string, outcome: EventOutcome, seconds: number) => void;
  /**
   * Makes the event durable; the node gets its acknowledgement when it resolves. When it rejects, the node sends the event again.
   */
  readonly accept: (delivery: CheckedDelivery) => Promise<void>;
  /** Takes bodies of more than 1 MB, if given. */
  readonly large?: LargeBodies | undefined;
}

export type EventServerOptions = EventHandling & Listening;

export interface EventServer {
  /** 0 for a socket. */
  readonly port: number;
  /** Refuses new requests, finishes those in progress, and aborts requests that take longer than the deadline. */
  close(): Promise<void>;
}

/** A post without its body. */
type Post = Omit<Delivery, 'body'>;

interface Checked {
  readonly summary: EventSummary;
  readonly store: () => Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

const ready = { status: 'ready' };
const received = { result: 'ok' };
/** The node retries by its own clock; this is for other senders. */
const retrySoon: Headers = { 'retry-after': '1' };
/** A refused sender may go on sending; it gets this much to notice the response. */
const drainBytes = 64_000_000;
const drainMs = 5_000;

/**
 * The HTTP server a node posts its events to (docs/spec/ingestion.md#delivery). 200 means accepted, anything else makes the node send
 * the same body again. Events reach `accept` one at a time, in the order in which their bodies were complete; the same body
 * may come again while the first is in progress. Rejects when the port cannot be listened on.
 */
export async function startEventServer(options: EventServerOptions): Promise<EventServer> {
  const { limits, logger, secret, accept, large, onEvent = () => {}, refuse = () => undefined } = options;
  const { alsoReads = [] } = options;
  const isRead = (path: string): boolean => isReadablePath(path) || alsoReads.includes(path);
  const inTurn = serialQueue();
  const inProgress = new Set<ServerResponse>();
  let closing = false;

  const respond = (response: ServerResponse, status: number, body: object, headers: Headers = {}): void => {
    if (response.writableEnded || response.destroyed) return;
    const text = JSON.stringify(body);
    response.writeHead(status, { ...jsonHeaders(text), ...(closing ? { connection: 'close' } : {}), ...headers });
    response.end(text);
  };

  /** Sends the reason, which the node's operator finds in the node's log. */
  const respondUnavailable = (response: ServerResponse, error?: unknown): void => {
    const known = isDatabaseError(error) || error instanceof NotAccepted ? error : undefined;
    const message = `The event was not accepted. Send it again.${known ? ` (${known.message})` : ''}`;
    respond(response, 503, errorBody(503, 'not_accepted', message, known?.hint), retrySoon);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const access = checkAccess(pathOf(request), request.headers, secret);
    if (!access.allowed) {
      logger.warn({ from: request.socket.remoteAddress, reason: access.reason }, 'event refused');
      const hint = 'The endpoint of an observer may end with the secret: endpoint = "host:port/SECRET".';
      return refuseAndClose(request, response, 403, errorBody(403, 'forbidden', access.reason, hint));
    }
    const { path } = access;
    if (request.method === 'POST') return receive(path, request, response);
    request.resume();
    if (path === '/' && (request.method === 'GET' || request.method === 'HEAD')) return respond(response, 200, ready);
    if (!isRead(path)) return respond(response, 404, errorBody(404, 'not_found', `Nothing at ${path}.`));
    const body = errorBody(405, 'method_not_allowed', `Events are posted to ${path}.`);
    respond(response, 405, body, { allow: 'POST' });
  };

  const receive = async (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const outcome = await readRequestBody(request, limits.maxBodyBytes, isRead(path));
    const receivedAt = Date.now() * 1000;
    switch (outcome.kind) {
      case 'aborted':
        logger.warn({ path }, 'event cut off by its sender');
        return;
      case 'too_large':
        return refuseTooLarge(path, request, response);
      case 'complete':
        if (isRead(path)) return enqueue({ path, receivedAt }, outcome.body, outcome.bytes, response);
        logger.debug({ path, bytes: outcome.bytes }, 'event acknowledged, not stored');
        return respond(response, 200, received);
      default:
        return outcome satisfies never;
    }
  };

  /** A node that has waited too long closes the connection and sends the same body again: a request that has not started by then is dropped. */
  const enqueue = (post: Post, body: BodyParts, bytes: number, response: ServerResponse): Promise<void> => {
    let waiting: BodyParts | undefined = body;
    response.once('close', () => {
      waiting = undefined;
    });
    return inTurn(async () => {
      if (waiting === undefined) logger.warn({ path: post.path }, 'event skipped: its sender has hung up');
      else if (closing) respondUnavailable(response);
      else await deliver(post, waiting, bytes, response);
    });
  };

  /** Checks a body in this thread. @returns a function that makes it durable, and its log line */
  const checkHere = async (post: Post, parts: BodyParts): Promise<Result<Checked, EventError>> => {
    const body = wholeBody(parts);
    const read = parseEvent(post.path, body, limits);
    if (!read.ok) return read;
    const event = read.value;
    const refused = refuse(event);
    return refused
      ? fail(refused)
      : ok({ summary: eventSummary(event), store: () => accept({ ...post, body, event }) });
  };

  const checkElsewhere = async (
    { check, accept }: LargeBodies,
    post: Post,
    parts: BodyParts,
  ): Promise<Result<Checked, EventError>> => {
    const checked = await check(post, parts);
    if (!checked.ok) return checked;
    return ok({ summary: checked.value.summary, store: () => accept(checked.value) });
  };

  const deliver = async (post: Post, body: BodyParts, bytes: number, response: ServerResponse): Promise<void> => {
    const { path } = post;
    const start = performance.now();
    const facts = () => ({ path, bytes, ms: Math.round((performance.now() - start) * 10) / 10 });
    try {
      const checked = await (large && bytes > LARGE_BODY ? checkElsewhere(large, post, body) : checkHere(post, body));
      if (!checked.ok) {
        const { code, message, hint } = checked.error;
        logger.warn({ ...facts(), code, reason: message }, 'event refused');
        onEvent(path, 'refused', secondsSince(start));
        return respond(response, 400, errorBody(400, code, message, hint));
      }
      await checked.value.store();
      logger.info({ ...facts(), ...checked.value.summary }, 'event accepted');
      onEvent(path, 'accepted', secondsSince(start));
      respond(response, 200, received);
    } catch (error) {
      logger.error({ ...facts(), err: error }, 'event not accepted');
      onEvent(path, 'failed', secondsSince(start));
      respondUnavailable(response, error);
    }
  };

  const refuseTooLarge = (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const message = `body is larger than ${limits.maxBodyBytes} bytes`;
    logger.warn({ path, code: 'body_too_large', reason: message }, 'event refused');
    const hint = 'Raise the body limit if the node really sends blocks of this size.';
    return refuseAndClose(request, response, 413, errorBody(413, 'body_too_large', message, hint));
  };

  /** The whole response goes out at once; the connection is closed later, or its reset could overtake the response. */
  const refuseAndClose = async (
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    body: object,
  ): Promise<void> => {
    const text = JSON.stringify(body);
    response.writeHead(status, { ...jsonHeaders(text), connection: 'close' });
    response.write(text);
    await drain(request, drainBytes, drainMs);
    response.end();
  };

  const server = http.createServer(
    {
      requestTimeout: limits.requestTimeoutMs,
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      // How often Node.js checks for requests that take too long.
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      request.on('error', () => {}); // a broken connection: 'close' follows
      response.on('error', () => {});
      inProgress.add(response);
      response.once('close', () => inProgress.delete(response));
      handle(request, response).catch((error: unknown) => {
        logger.error({ err: error }, 'event server failed');
        respondUnavailable(response);
      });
    },
  );
  limitPort(server, limits, from =>
    logger.warn({ from }, 'closed the quietest connection of the event port: there are too many'),
  );
  if ('socket' in options) server.listen(options.socket);
  else server.listen(options.port, options.host);
  await once(server, 'listening');
  server.on('error', error => logger.error({ err: error }, 'event server failed'));

  const close = async (): Promise<void> => {
    closing = true;
    const closed = once(server, 'close');
    server.close();
    const deadline = new AbortController();
    const responses = [...inProgress].map(response => new Promise(resolve => response.once('close', resolve)));
    const finished = Promise.all([...responses, inTurn(async () => {})]);
    await Promise.race([
      finished,
      delay(limits.closeDeadlineMs, undefined, { signal: deadline.signal }).catch(() => {}),
    ]);
    deadline.abort();
    server.closeAllConnections();
    await closed;
  };

  let closed: Promise<void> | undefined;
  return {
    port: portOf(server.address()),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' ? (address?.port ?? 0) : 0;

const secondsSince = (start: number): number => (performance.now() - start) / 1000;

/** The path without its query. */
function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

function jsonHeaders(text: string): Headers {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    'x-content-type-options': 'nosniff',
  };
}

const statusNames: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  503: 'Service Unavailable',
};

function errorBody(statusCode: number, code: string, message: string, hint?: string): object {
  return { statusCode, code, error: statusNames[statusCode], message, ...(hint === undefined ? {} : { hint }) };
}

/** Thrown by `accept` of the event server, which responds with the reason; the node sends the event again. */
export class NotAccepted extends AppError {
  override readonly name = 'NotAccepted';
  override readonly kind = 'response';

  /** @param hint for the operator, who finds it in the log of the node */
  constructor(message: string, hint: string) {
    super(message, { code: 'not_accepted', statusCode: 503, hint });
  }
}
