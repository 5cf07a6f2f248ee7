import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type {
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
  preHandlerHookHandler,
  RouteHandlerMethod,
} from 'fastify';
import { BoundedCache } from '../../base/lib/bounded-cache.ts';
import type { Tip, TipSource } from '../../ingest/chain/tip.ts';
import { ApiError } from './errors.ts';
import { KEEP_A_DAY, REVALIDATE, type ResponseHeaders, removeEtag, tipHeaders, weak } from './headers.ts';
import type { HotPages } from './hot-pages.ts';
import { namesBlock, type ShownBlock } from './shown-block.ts';

/**
 * ETags (docs/spec/http.md#etags). The config of a route names what its body depends on; a client that already has the body of that
 * version gets a 304.
 */

/** The parts of the shown state that bodies depend on. */
type Dependence =
  /** Canonical Stacks blocks and their microblocks alone. */
  | 'tip'
  /** Also canonical Bitcoin blocks, which arrive before the Stacks blocks that they elect. */
  | 'tips'
  /** Canonical Stacks blocks, and attachments of their contract calls, such as zone files. */
  | 'attachments'
  /** Also pending and dropped transactions. */
  | 'mempool';

/**
 * What the body of a route depends on. `none`: the route has no ETag. Function: returns the version of this response without quotes,
 * or undefined for no ETag. Quotes and commas are not allowed in it. An error must not have the version of a body.
 */
export type CacheKind = Dependence | DependenceOf | OwnVersion | 'none';

type OwnVersion = (request: FastifyRequest) => string | undefined | Promise<string | undefined>;

/** A dependence that the request decides; `none`: this response has no ETag. */
interface DependenceOf {
  readonly of: (request: FastifyRequest) => Dependence | 'none';
}

/** Supplies the versions of the state that bodies depend on, without a query. A version is never ahead of the database. */
export interface Versions {
  /** Version of the program. */
  readonly version: string;
  readonly tip: TipSource;
  readonly mempool?: MempoolSource | undefined;
}

/** Supplies the version of the mempool without a query. */
export interface MempoolSource {
  /** Undefined while the version is unknown. Like the tip, it is never ahead of the index. */
  version(): string | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    cache?: CacheKind;
    /** Keeps ready bodies (hot-pages.ts), for routes of which many clients request the same pages. `cache` must be a dependence. */
    hot?: boolean;
  }
}

/** The version of everything that depends on the chain alone: its last microblock, or its last block. */
export const tipVersion = ({ microblockHash, indexBlockHash, revision }: Tip): string =>
  (microblockHash ?? indexBlockHash) + (revision === undefined ? '' : `-${revision}`);

/** The current version of a dependence; undefined while the chain is empty. */
function versionNow(dependence: Dependence | 'none', { tip, mempool }: Versions): string | undefined {
  if (dependence === 'none') return undefined;
  if (dependence === 'mempool') return mempool?.version();
  const current = tip.current();
  if (current === undefined) return undefined;
  const { burnTip = 'none', attachments = 0 } = current;
  switch (dependence) {
    case 'tip':
      return tipVersion(current);
    case 'tips':
      return `${tipVersion(current)}:${burnTip}`;
    case 'attachments':
      return `${tipVersion(current)}+${attachments}`;
    default:
      return dependence satisfies never;
  }
}

/** The version of everything that responses depend on: while it stays, all requests show one state. */
export const versionOfAll = (versions: Versions): string =>
  (['tips', 'attachments', 'mempool'] as const).map(dependence => versionNow(dependence, versions)).join(' ');

/**
 * The version of responses as of a block. They change only with late data of blocks below it, and with the program.
 * @param program version of the program
 */
function versionOfPast({ indexBlockHash }: ShownBlock, tip: Tip | undefined, program: string): string {
  const { revision = 0, attachments = 0 } = tip ?? {};
  return `${indexBlockHash}-${revision}+${attachments}@${program}`;
}

/** How routes of a dependence get the versions of their responses. */
export const versionsOf = (
  cache: Dependence | DependenceOf,
  versions: Versions,
): ((request: FastifyRequest) => string | undefined) =>
  typeof cache === 'object' ? request => versionNow(cache.of(request), versions) : () => versionNow(cache, versions);

/**
 * The first hook of a hot route: sends a ready body, if there is one. The URL was validated when the body was made, so
 * the hook reads only the headers for caching from the request. The body may have been made under an earlier tip, if the
 * version did not change with the tip; then a new body would be the same.
 */
export function readyHook(version: OwnVersion, hot: HotPages, tipHeaders: () => ResponseHeaders): onRequestHookHandler {
  return (request, reply, done) => {
    if (request.download !== undefined) return done();
    const current = version(request);
    if (typeof current !== 'string') return done();
    const ready = hot.find(request, current);
    if (ready === undefined) return done();
    if (isFresh(request, reply, current, true)) return;
    // Bypasses Fastify, as the whole head is known.
    reply.hijack();
    reply.raw.writeHead(200, { ...ready.head, ...tipHeaders() }).end(ready.body);
  };
}

/** The last hook of a hot route: keeps its responses. */
export function keepingHook(hot: HotPages): onSendHookHandler {
  return (request, reply, payload, done) => {
    const isBody = typeof payload === 'string' || payload instanceof Uint8Array;
    const { 'server-timing': _, ...head } = reply.getHeaders() as OutgoingHttpHeaders; // is of one request
    if (reply.statusCode === 200 && isBody) hot.keep(request, payload, head);
    done(null, payload);
  };
}

/** Entries of ServedVersions in one generation, and characters of a URL. Longer URLs are rarely requested twice. */
const MOST_SERVED = 2500;
const LONGEST_URL = 300;

/**
 * The versions under which this process sent a body for a URL. The version of a dependence is the same for all URLs, so a match alone does
 * not prove that the URL has a body in that version: the response may be a 404, or a 400 of the handler.
 */
export class ServedVersions {
  readonly #versions = new BoundedCache<string, string>(MOST_SERVED);

  has(url: string, version: string): boolean {
    return this.#versions.get(url) === version;
  }

  add(url: string, version: string): void {
    if (url.length <= LONGEST_URL && !this.has(url, version)) this.#versions.set(url, version);
  }
}

/**
 * Wraps the handler of a route whose body changes with `version`. If the client has that version, and this process sent its body before,
 * the response is a 304 without a query. Else the handler runs first, so that an error is never a 304. A body that was made while the
 * version changed has no ETag.
 * @param version of the response, for requests that name no block
 * @param versions of the state that bodies depend on
 * @param hot keeps responses of a hot route; undefined for other routes
 */
export function withVersion(
  handler: RouteHandlerMethod,
  version: (request: FastifyRequest) => string | undefined,
  {
    versions,
    served,
    hot,
  }: { readonly versions: Versions; readonly served: ServedVersions; readonly hot?: HotPages | undefined },
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const mayBeWeak = hot !== undefined;
  return async function (this: unknown, request, reply) {
    const current = version(request);
    if (current === undefined) return Reflect.apply(handler, this, [request, reply]);
    // The handler looks up the block that the request names; the version and the headers of the response follow from it.
    const isPast = namesBlock(request);
    const isConditional = request.headers['if-none-match'] !== undefined;
    if (isConditional && !isPast && served.has(request.url, current) && isFresh(request, reply, current, mayBeWeak))
      return reply;
    if (!isPast) mark(request, reply, current, mayBeWeak);
    const response = await Reflect.apply(handler, this, [request, reply]);
    if (reply.sent) return response;
    if (reply.statusCode >= 400 || (!isPast && version(request) !== current)) removeEtag(reply);
    else if (reply.statusCode === 200) {
      if (request.shownBlock) {
        const ofPast = versionOfPast(request.shownBlock, versions.tip.current(), versions.version);
        return isFresh(request, reply, ofPast, mayBeWeak) ? reply : response;
      }
      served.add(request.url, current);
      if (isConditional && isFresh(request, reply, current, mayBeWeak)) return reply;
      hot?.expect(request, current);
    }
    return response;
  };
}

/**
 * The hook of a route that computes its own versions; runs after validation and before the handler.
 * @param hot keeps responses of a hot route; undefined for other routes
 */
export function ownVersionHook(version: OwnVersion, hot?: HotPages): preHandlerHookHandler {
  const isDone = (request: FastifyRequest, reply: FastifyReply, current: string | undefined): boolean => {
    if (current === undefined) return false;
    if (isFresh(request, reply, current, hot !== undefined)) return true;
    hot?.expect(request, current);
    return false;
  };
  return (request, reply, done) => {
    if (request.download !== undefined) return done();
    const current = version(request);
    if (!(current instanceof Promise)) {
      if (!isDone(request, reply, current)) done();
      return;
    }
    current.then(
      known => {
        if (!isDone(request, reply, known)) done();
      },
      error => {
        // Without a version, the handler can still send the response, or its error.
        request.log.warn({ err: error, reqId: request.id }, 'response sent without an ETag: the tip could not be read');
        done();
      },
    );
  };
}

/**
 * Marks the response with its version.
 * @param mayBeWeak whether clients may have compressed responses
 * @returns the ETag, with quotes
 */
function mark(request: FastifyRequest, reply: FastifyReply, version: string, mayBeWeak: boolean): string {
  const etag = `"${version}"`;
  // A 304 repeats the tag that the client has.
  const isWeak = mayBeWeak && request.headers['if-none-match']?.includes(weak(etag)) === true;
  reply
    .header('etag', isWeak ? weak(etag) : etag)
    .header('cache-control', request.shownBlock?.isFinal && !mayChange(request) ? KEEP_A_DAY : REVALIDATE);
  return etag;
}

/** Whether the response shows data that may arrive late even for a final block. */
const mayChange = (request: FastifyRequest): boolean => request.routeOptions.config.cache === 'attachments';

/** Marks the response with its version, and sends a 304 at once if the client has it. */
function isFresh(request: FastifyRequest, reply: FastifyReply, version: string, mayBeWeak: boolean): boolean {
  const etag = mark(request, reply, version, mayBeWeak);
  if (!matches(request.headers['if-none-match'], etag)) return false;
  if (request.shownBlock) reply.headers(tipHeaders(request.shownBlock));
  const { 'content-type': _, ...headers } = reply.getHeaders() as OutgoingHttpHeaders;
  // Bypasses Fastify, which would add `Content-Length: 0` to the response to a HEAD.
  reply.hijack();
  reply.raw.writeHead(304, headers).end();
  return true;
}

/**
 * Whether an If-None-Match header names this ETag. Weak tags, lists and tags without quotes are understood; `*` is
 * not special.
 * @param etag with its quotes
 */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true; // the usual form of browsers
  const wanted = etag.slice(1, -1);
  return header.split(',').some(tag => bare(tag) === wanted);
}

const bare = (tag: string): string => tag.trim().replace(/^W\//, '').replace(/^"/, '').replace(/"$/, '');

/**
 * Responses whose ETag is a digest of their content. The body is made before the ETag is compared, and reused for the response. So no
 * ETag outlives its content: a 304 never hides an error, another locale or another token.
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
