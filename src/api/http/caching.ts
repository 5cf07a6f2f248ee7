import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type {
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
  preHandlerHookHandler,
} from 'fastify';
import type { Tip, TipSource } from '../../ingest/chain/tip.ts';
import { ApiError } from './errors.ts';
import { REVALIDATE, type ResponseHeaders, weak } from './headers.ts';
import type { HotPages } from './hot-pages.ts';

/**
 * ETags (docs/spec/http.md#etags). The config of a route names the source of its ETag; a request that already has that
 * version gets a 304 before the handler runs.
 */

/**
 * `tip`: the response changes only when the tip does; taken from memory, no query.
 * Function: gives the version of this response without quotes, or undefined for no ETag. Quotes and commas are not allowed in it.
 */
type CacheKind = 'tip' | ((request: FastifyRequest) => string | undefined | Promise<string | undefined>);

/** The request header that selects the body of a hot page, beside the URL. */
const VARY = 'Accept-Encoding';

declare module 'fastify' {
  interface FastifyContextConfig {
    cache?: CacheKind;
    /**
     * Keeps ready bodies (hot-pages.ts), for routes whose same pages many clients request. `cache` must give the
     * version at once, without a promise.
     */
    hot?: boolean;
  }
}

/** The version of everything that depends on the chain alone: its last microblock, or its last block. */
export const tipVersion = ({ microblockHash, indexBlockHash, revision }: Tip): string =>
  (microblockHash ?? indexBlockHash) + (revision === undefined ? '' : `-${revision}`);

/** The version of a response. */
type VersionOf = Exclude<CacheKind, 'tip'>;

/** How a route gets the version of its response; a version of `tip` is undefined while the chain is empty. */
export function versionOf(kind: CacheKind, tip: TipSource): VersionOf {
  if (kind !== 'tip') return kind;
  return () => {
    const current = tip.current();
    return current && tipVersion(current);
  };
}

/**
 * The first hook of a hot route: sends a ready body, if there is one. The URL was validated when the body was made, so
 * only the headers for caching are read from the request. If the version outlives tips, the body was made under another
 * tip, but under this one it would be the same.
 */
export function readyHook(version: VersionOf, hot: HotPages, tipHeaders: () => ResponseHeaders): onRequestHookHandler {
  return (request, reply, done) => {
    const current = version(request);
    if (typeof current !== 'string') return done();
    const ready = hot.find(request, current);
    if (ready === undefined) return done();
    if (isFresh(request, reply.header('vary', VARY), current, true)) return;
    // Written past Fastify, as all of the head is known.
    reply.hijack();
    reply.raw.writeHead(200, { ...ready.head, ...tipHeaders() }).end(ready.body);
  };
}

/** The last hook of a hot route: keeps its responses. */
export function keepingHook(hot: HotPages): onSendHookHandler {
  return (request, reply, payload, done) => {
    const isBody = typeof payload === 'string' || payload instanceof Uint8Array;
    const { 'server-timing': _, ...head } = reply.getHeaders() as OutgoingHttpHeaders; // of this request alone
    if (reply.statusCode === 200 && isBody) hot.keep(request, payload, head);
    done(null, payload);
  };
}

/**
 * The hook of a route whose responses have versions, to run after validation and before the handler.
 * @param hot keeps responses of a hot route; undefined for other routes
 */
export function cacheHook(version: VersionOf, hot?: HotPages): preHandlerHookHandler {
  const isDone = (request: FastifyRequest, reply: FastifyReply, current: string | undefined): boolean => {
    if (current === undefined) return false;
    if (hot !== undefined) reply.header('vary', VARY);
    if (isFresh(request, reply, current, hot !== undefined)) return true;
    hot?.expect(request, current);
    return false;
  };
  return (request, reply, done) => {
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
        // Without a version, the handler can still give the response, or its error.
        request.log.warn({ err: error, reqId: request.id }, 'response sent without an ETag: the tip could not be read');
        done();
      },
    );
  };
}

/**
 * Marks the response with its version, and sends a 304 at once if the client has it.
 * @param mayBeWeak whether clients have compressed responses, too
 */
function isFresh(request: FastifyRequest, reply: FastifyReply, version: string, mayBeWeak: boolean): boolean {
  const etag = `"${version}"`;
  const known = request.headers['if-none-match'];
  // The 304 names the one that the client has.
  reply
    .header('etag', mayBeWeak && known?.includes(weak(etag)) ? weak(etag) : etag)
    .header('cache-control', REVALIDATE);
  if (!matches(known, etag)) return false;
  const { 'content-type': _, ...headers } = reply.getHeaders() as OutgoingHttpHeaders;
  // Written past Fastify, which would add `Content-Length: 0` to the response to a HEAD.
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
