/**
 * ETags (blocks-transactions-search.md 12.3). A route says in its config where its ETag comes from; a request that
 * already has that version is answered 304 before the handler runs.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import type { Tip, TipSource } from '../chain/tip.ts';
import { REVALIDATE } from './headers.ts';

/**
 * `tip`: the answer changes only when the tip does; taken from memory, no query.
 * Function: gives the version of this answer without quotes, or undefined for no ETag. Quotes and commas are not allowed in it.
 */
export type CacheKind = 'tip' | ((request: FastifyRequest) => Promise<string | undefined>);

declare module 'fastify' {
  interface FastifyContextConfig {
    cache?: CacheKind;
  }
}

/** The version of everything that depends on the chain alone: its last microblock, or its last block. */
export const tipVersion = (tip: Tip): string => tip.microblockHash ?? tip.indexBlockHash;

/** The hook that a route of this kind needs, to run after validation and before the handler. */
export function cacheHook(kind: CacheKind, tip: TipSource): preHandlerHookHandler {
  if (kind === 'tip') {
    return (request, reply, done) => {
      const current = tip.current();
      if (current === undefined || !isFresh(request, reply, tipVersion(current))) done();
    };
  }
  return (request, reply, done) => {
    kind(request).then(
      version => {
        if (version === undefined || !isFresh(request, reply, version)) done();
      },
      error => {
        // Whoever cannot tell the version can still give the answer, or its error.
        request.log.warn({ err: error, reqId: request.id }, 'no ETag');
        done();
      },
    );
  };
}

/** Marks the answer with its version, and answers 304 at once if the client has it. */
function isFresh(request: FastifyRequest, reply: FastifyReply, version: string): boolean {
  const etag = `"${version}"`;
  reply.header('etag', etag).header('cache-control', REVALIDATE);
  if (!matches(request.headers['if-none-match'], etag)) return false;
  const headers = reply.removeHeader('content-type').getHeaders() as OutgoingHttpHeaders;
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
