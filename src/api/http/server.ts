/** The HTTP server that all routes are added to. Conventions: docs/spec/http.md. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  LogController,
  type onRequestHookHandler,
  type preHandlerHookHandler,
  type preValidationHookHandler,
  type RawServerDefault,
  type RouteOptions,
} from 'fastify';
import type { Subnet } from '../../base/net/client-address.ts';
import { limitConnections } from '../../base/net/connections.ts';
import { limitPipelining } from '../../base/net/pipelining.ts';
import { BodyBuffers } from './body-buffers.ts';
import {
  keepingHook,
  ownVersionHook,
  readyHook,
  ServedVersions,
  type Versions,
  versionsOf,
  withVersion,
} from './caching.ts';
import { type ClientLimits, type Clients, createClients, DEFAULT_CLIENT_LIMITS, refusedBy } from './clients.ts';
import { clientErrors, openRequest, routerErrors } from './conventions.ts';
import { type Deprecation, deprecationHook } from './deprecation.ts';
import type { DownloadParts } from './download/download.ts';
import { addDownload, downloadableList, withFormat } from './download/lists.ts';
import { handleError, responseTooLarge } from './errors.ts';
import { refusesDownload } from './file-forms.ts';
import { bodyForHead, endUnread, takeHead } from './head.ts';
import { CurrentHeaders, type ResponseHeaders } from './headers.ts';
import { HotPages } from './hot-pages.ts';
import { LargeBody } from './large-body.ts';
import type { LongReadLimits } from './long-reads.ts';
import { inOneState } from './one-state.ts';
import type { SchemaTypes } from './params.ts';
import { ReceivedBytes, type UploadLimits } from './received-bytes.ts';
import type { RequestTiming } from './request-timing.ts';
import { createShedding, type Shedding, type SheddingLimits } from './shedding.ts';
import { hasPast, refusesPast } from './shown-block.ts';
import { type ThroughputLimits, UnsentBytes } from './unsent-bytes.ts';
import { convertParameters, validationMessage, validatorCompiler } from './validation.ts';

/** A server; `request.params` and `request.query` of a route have the types of its TypeBox schemas. */
export type Api = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, SchemaTypes>;

/** Limits on one client. Sizes in bytes, times in milliseconds. */
export interface ServerLimits extends ClientLimits, SheddingLimits, ThroughputLimits, UploadLimits, LongReadLimits {
  /** Most bytes of the request line with the URL, and all headers, together; more is a 431. The only limit on the length of a URL. */
  readonly maxHeadSize: number;
  /** Most characters of a path segment; more is a 414. An asset identifier has at most 41 + 1 + 128 + 2 + 128, a token in hex any number. */
  readonly maxParamLength: number;
  /** Bytes of the body of a request; more is a 413. Faucets and the routes of the node have limits of their own. */
  readonly bodyLimit: number;
  /** Longest time from the first byte of a request to its last; more is a 408. */
  readonly requestTimeout: number;
  /** How long an idle connection is kept; longer than the 60 s after which load balancers drop theirs. */
  readonly keepAliveTimeout: number;
  /** Time after which a connection without traffic is closed, also one whose client does not read the response. */
  readonly connectionTimeout: number;
  /** Bytes of a body; a larger response is replaced by a 400 with an explanation. */
  readonly maxResponseSize: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  ...DEFAULT_CLIENT_LIMITS,
  maxHeadSize: 16 * 1024,
  maxParamLength: 1024,
  bodyLimit: 256 * 1024, // a long transaction in hex
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionTimeout: 120_000,
  maxResponseSize: 64 * 1024 * 1024,
  maxPipelinedRequests: 100,
  maxWait: 1000,
  maxRowsSearched: 200_000,
  minThroughput: 1000,
  throughputWindow: 30_000,
  minUpload: 1000,
  uploadWindow: 10_000,
};

export interface ServerOptions extends Versions, Deprecation {
  /** Version of this program, without `v`; for X-API-Version. */
  readonly version: string;
  /** Gets failures, with the request id. */
  readonly logger?: FastifyBaseLogger;
  readonly limits?: Partial<ServerLimits>;
  /** Proxies in front of this server, whose X-Forwarded-For names the client. */
  readonly trustProxy?: readonly Subnet[];
  /** Processes that serve the same port; each has an equal part of what clients may hold. */
  readonly processes?: number;
  /** Called after a turn of the event loop of more than 50 ms, with the work that took most of it. */
  readonly onHold?: (by: string, milliseconds: number) => void;
  /** Called after every response; `route` is the path with placeholders, empty for an unknown one. */
  readonly onResponse?: (route: string, status: number, seconds: number) => void;
  /** A `validatorCompiler` to share; by default a server has its own. */
  readonly validators?: ReturnType<typeof validatorCompiler>;
  /** Measures what requests cost; without it nothing is measured. */
  readonly timing?: RequestTiming | undefined;
}

/** Bytes of the buffers between a source and a slow reader: those of both sockets, and of the source itself. */
const STREAM_BUFFERS = 128 * 1024;

/** Methods of requests whose bodies are not read. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

declare module 'fastify' {
  interface FastifyInstance {
    /** Requests refused so far, as too many arrived at once. */
    requestsShed(): number;
    readonly clients: Clients;
    /** Notes that the request waits for another server: it no longer counts as in progress, as that limit is for work of this process. */
    waitsElsewhere(request: FastifyRequest): void;
  }
  interface FastifyRequest {
    /** The address of the client, as limits count it. */
    client: string;
    /** A copy of `routeOptions`, as Fastify makes a new object for each access. */
    route: { readonly url?: string | undefined; readonly config: FastifyContextConfig };
  }
}

/**
 * Makes a server with all conventions and no routes. A route returns JSON text (never objects) or throws an ApiError. Its
 * `schema` has its name, texts, parameters and responses; its `config` defines its ETag.
 */
export function createServer(options: ServerOptions): Api {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const headers = new CurrentHeaders(options.version, options.tip);
  const api = Fastify({
    // By default Node checks for requests over their time limit only every 30 s.
    http: {
      maxHeaderSize: limits.maxHeadSize,
      connectionsCheckingInterval: Math.min(limits.requestTimeout / 2, 5000),
      // By default heads have a limit of their own, of 60 s.
      requestTimeout: limits.requestTimeout,
      headersTimeout: limits.requestTimeout,
      // Else an offer of HTTP/2, as some clients make it with each request, would be taken for a WebSocket.
      shouldUpgradeCallback: request => request.headers.upgrade?.toLowerCase() === 'websocket',
    },
    exposeHeadRoutes: false, // see takeHead
    bodyLimit: limits.bodyLimit,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    connectionTimeout: limits.connectionTimeout,
    routerOptions: {
      maxParamLength: limits.maxParamLength,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: false,
      caseSensitive: true,
    },
    schemaErrorFormatter: (errors, part) => new Error(validationMessage(errors, part)),
    frameworkErrors: routerErrors(headers.all),
    clientErrorHandler: clientErrors(headers.all),
    logController: new FailuresOnly(),
    ...(options.logger && { loggerInstance: withoutChildren(options.logger) }),
  }).withTypeProvider<SchemaTypes>();
  api.setValidatorCompiler(options.validators ?? validatorCompiler());
  // Records are stored as JSON text; serialising them again costs several times the rest of the request.
  api.setSerializerCompiler(() => JSON.stringify);
  const { trustProxy = [], processes = 1, onHold, logger } = options;
  const clients = createClients({
    limits,
    trustProxy,
    processes,
    ...(logger && { logger }),
    turns: onHold ? { onHold } : {},
  });
  limitConnections(api.server, clients.ledger, clients.addresses);
  // Twice as many as may wait: so the first request too many still gets its 503.
  limitPipelining(api.server, 2 * limits.maxPipelinedRequests);
  api.decorate('clients', clients);
  api.decorateRequest('client', '');
  api.decorateRequest('route', undefined as never); // the first hook sets it
  api.decorateRequest('shownBlock', undefined);
  api.decorateRequest('download', undefined);
  const shedding = createShedding(limits, clients);
  api.decorate('requestsShed', () => shedding.count());
  api.decorate('waitsElsewhere', request => shedding.release(request));
  api.addHook('onRequest', openRequest(headers.all, clients.addresses));
  addLoadHooks(api, shedding, limits, options.onResponse);
  options.timing?.addHooks(api); // after the load hooks: a request from the queue continues in the async context of another one
  const hot = new HotPages();
  const caching = { versions: options, served: new ServedVersions(), hot, tipHeaders: headers.ofTip };
  let isStopping = false;
  api.addHook('preClose', async () => {
    isStopping = true;
  });
  const downloads = { tip: options.tip, clients, isStopping: () => isStopping };
  const received = new ReceivedBytes(limits, clients, shedding.release);
  api.addHook('onRoute', route => {
    if (![route.method].flat().every(method => WITHOUT_BODY.has(method)))
      route.preParsing = [received.preParsing].concat(route.preParsing ?? []);
    applyConventions(route, { caching, downloads, deprecation: options });
    if (route.method === 'GET') takeHead(route);
  });
  api.setErrorHandler(handleError);
  return api;
}

/** Limits the requests in progress and the unsent bytes, and calls `onResponse` for every response. */
function addLoadHooks(
  api: Api,
  shedding: Shedding,
  limits: ServerLimits,
  onResponse: ServerOptions['onResponse'],
): void {
  api.addHook('onRequest', shedding.onRequest);
  const buffers = new BodyBuffers();
  const unsent = new UnsentBytes(limits, api.clients.ledger);
  api.addHook('onSend', (request, reply, payload, done) => {
    shedding.release(request);
    const body = typeof payload === 'string' ? buffers.encode(payload, reply.raw) : payload;
    const size = reply.statusCode === 200 ? sizeOf(body) : 0;
    if (size !== undefined && size > limits.maxResponseSize) done(responseTooLarge(size, limits.maxResponseSize));
    else {
      const refusal = unsent.hold(reply.raw, request.client, heldBytes(body, size, reply));
      if (refusal === undefined) {
        if (body instanceof LargeBody) reply.header('content-length', body.bytes);
        return done(null, request.method === 'HEAD' ? bodyForHead(reply.statusCode, body) : body);
      }
      if (body instanceof Readable) endUnread(body);
      done(refusedBy(refusal, 'unread responses'));
    }
  });
  if (onResponse) {
    api.addHook('onResponse', (request, reply, done) => {
      onResponse(request.route.url ?? '', reply.statusCode, reply.elapsedTime / 1000);
      done();
    });
  }
}

/** Bytes of a body; undefined for a stream. */
function sizeOf(body: unknown): number | undefined {
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (body instanceof Uint8Array) return body.length;
  if (body instanceof LargeBody) return body.bytes;
  return body ? undefined : 0;
}

/** Bytes of a body that are in memory while its reader is slower than its source. @param size undefined for a stream */
function heldBytes(body: unknown, size: number | undefined, reply: FastifyReply): number {
  if (body instanceof LargeBody) return body.heldBytes + STREAM_BUFFERS;
  return size ?? Math.min(STREAM_BUFFERS, Number(reply.getHeader('content-length') ?? STREAM_BUFFERS));
}

/** The parts of the server that the conventions of a route need. */
interface Conventions {
  readonly caching: Caching;
  readonly downloads: DownloadParts;
  readonly deprecation: Deprecation;
}

/** Gives a route the hooks that its schema and its config require. */
function applyConventions(route: RouteOptions, { caching, downloads, deprecation }: Conventions): void {
  const list = downloadableList(route);
  const isList = typeof list === 'object';
  if (isList && route.schema) route.schema = withFormat(route.schema, Object.keys(list.presets));
  const { params, querystring } = route.schema ?? {};
  const isPast = hasPast(querystring);
  const isRead = route.method === 'GET';
  const before: preValidationHookHandler[] = [convertParameters(params, querystring)];
  if (!isPast && isRead && route.schema?.operationId !== undefined) before.push(refusesPast);
  if (typeof list === 'string') before.push(refusesDownload(list));
  route.preValidation = before.concat(route.preValidation ?? []);
  if (isRead) route.handler = inOneState(route.handler, caching.versions.tip, isPast, caching.tipHeaders);
  addCaching(route, caching);
  if (isList) addDownload(route, list, downloads);
  const vary = [...(isList ? ['Accept'] : []), ...(route.config?.hot ? ['Accept-Encoding'] : [])];
  const mark = deprecationHook(route, deprecation);
  // These hooks come first, as a ready body ends the chain of hooks.
  const first = [...(mark ? [mark] : []), ...(vary.length > 0 ? [varyHook(vary.join(', '))] : [])];
  route.onRequest = first.concat(route.onRequest ?? []);
}

/** Adds `Vary`: the request headers on which a response depends, in addition to the URL. */
const varyHook =
  (names: string): onRequestHookHandler =>
  (_request, reply, done) => {
    reply.header('vary', names);
    done();
  };

/** Sources of versions and bodies for routes with ETags. */
interface Caching {
  readonly versions: Versions;
  readonly served: ServedVersions;
  readonly hot: HotPages;
  readonly tipHeaders: () => ResponseHeaders;
}

function addCaching(route: RouteOptions, { versions, served, hot, tipHeaders }: Caching): void {
  const { cache = 'none', hot: isHot } = route.config ?? {};
  if (cache === 'none') return;
  const kept = isHot === true ? hot : undefined;
  const version = typeof cache === 'function' ? cache : versionsOf(cache, versions);
  if (typeof cache === 'function') {
    const check: preHandlerHookHandler[] = [ownVersionHook(cache, kept)];
    route.preHandler = check.concat(route.preHandler ?? []);
  } else route.handler = withVersion(route.handler, versionsOf(cache, versions), { versions, served, hot: kept });
  if (kept === undefined) return;
  route.onRequest = [readyHook(version, kept, tipHeaders)].concat(route.onRequest ?? []);
  route.onSend = [keepingHook(kept)].concat(route.onSend ?? []);
}

/**
 * A logger that is its own child: Fastify would create one for every request, but log lines here name their request
 * anyway.
 */
function withoutChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  const alone: FastifyBaseLogger = Object.create(logger, { child: { value: () => alone } });
  return alone;
}

/** No line per request: that is for metrics and for the proxy in front. */
class FailuresOnly extends LogController {
  override incomingRequest(): void {}
  override requestCompleted(): void {}
  override routeNotFound(): void {}
  /** Logs streams that the server ends, not clients that disconnect: a hundred may disconnect at once. */
  override streamError(...[error, request, reply]: Parameters<LogController['streamError']>): void {
    if (!request.raw.socket.destroyed) super.streamError(error, request, reply);
  }
}
