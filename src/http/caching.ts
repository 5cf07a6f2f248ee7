/**
 * ETags (blocks-transactions-search.md 12.3). A route says in its config where its ETag comes from; a request that
 * already has that version is answered 304 before the handler runs.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest, onSendHookHandler, preHandlerHookHandler } from 'fastify';
import type { Tip, TipSource } from '../chain/tip.ts';
import { REVALIDATE } from './headers.ts';
import type { HotPages } from './hot-pages.ts';

/**
 * `tip`: the answer changes only when the tip does; taken from memory, no query.
 * Function: gives the version of this answer without quotes, or undefined for no ETag. Quotes and commas are not allowed in it.
 */
export type CacheKind = 'tip' | ((request: FastifyRequest) => Promise<string | undefined>);

declare module 'fastify' {
  interface FastifyContextConfig {
    cache?: CacheKind;
    /** Many ask for the same pages of this route: ready bodies are kept (hot-pages.ts). */
    hot?: boolean;
  }
}

/** The hook that keeps the answers of hot routes. */
export function keepingHook(hot: HotPages): onSendHookHandler {
  return (request, reply, payload, done) => {
    const isBody = typeof payload === 'string' || payload instanceof Uint8Array;
    if (reply.statusCode === 200 && isBody) hot.keep(request, payload);
    done(null, payload);
  };
}

/** The version of everything that depends on the chain alone: its last microblock, or its last block. */
export const tipVersion = ({ microblockHash, indexBlockHash, revision }: Tip): string =>
  (microblockHash ?? indexBlockHash) + (revision === undefined ? '' : `-${revision}`);

/**
 * The hook that a route of this kind needs, to run after validation and before the handler.
 * @param hot where ready bodies are kept; undefined for none
 */
export function cacheHook(kind: CacheKind, tip: TipSource, hot?: HotPages): preHandlerHookHandler {
  const answered = (request: FastifyRequest, reply: FastifyReply, version: string): boolean => {
    if (hot !== undefined) reply.header('vary', 'Accept-Encoding');
    if (isFresh(request, reply, version, hot !== undefined)) return true;
    const ready = hot?.find(request, version);
    if (ready?.coding !== undefined)
      reply.header('content-encoding', ready.coding).header('etag', weak(`"${version}"`));
    if (ready !== undefined) reply.send(ready.body);
    return ready !== undefined;
  };
  if (kind === 'tip') {
    return (request, reply, done) => {
      const current = tip.current();
      if (current === undefined || !answered(request, reply, tipVersion(current))) done();
    };
  }
  return (request, reply, done) => {
    kind(request).then(
      version => {
        if (version === undefined || !answered(request, reply, version)) done();
      },
      error => {
        // Whoever cannot tell the version can still give the answer, or its error.
        request.log.warn({ err: error, reqId: request.id }, 'no ETag');
        done();
      },
    );
  };
}

const weak = (etag: string): string => `W/${etag}`;

/**
 * Marks the answer with its version, and answers 304 at once if the client has it.
 * @param mayBeWeak whether clients have compressed answers, too
 */
function isFresh(request: FastifyRequest, reply: FastifyReply, version: string, mayBeWeak: boolean): boolean {
  const etag = `"${version}"`;
  const known = request.headers['if-none-match'];
  // What was compressed has the weak form (RFC 9110 8.8.1): the 304 names the one that the client has.
  reply
    .header('etag', mayBeWeak && known?.includes(weak(etag)) ? weak(etag) : etag)
    .header('cache-control', REVALIDATE);
  if (!matches(known, etag)) return false;
  const { 'content-type': _, ...headers } = reply.getHeaders() as OutgoingHttpHeaders;
  // Written past Fastify, which would add `Content-Length: 0` to the answer to a HEAD.
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
  if (header === etag) return true; // what a browser sends
  const wanted = etag.slice(1, -1);
  return header.split(',').some(tag => bare(tag) === wanted);
}

const bare = (tag: string): string => tag.trim().replace(/^W\//, '').replace(/^"/, '').replace(/"$/, '');
