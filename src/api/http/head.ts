import { Readable } from 'node:stream';
import type { RouteOptions } from 'fastify';

/**
 * Lets a route for GET take HEAD too, which has the headers of GET and no body: Node.js sends none. Fastify would make a second route of it, with
 * all hooks, and a start of the server would take a tenth longer.
 */
export function takeHead(route: RouteOptions): void {
  route.method = ['GET', 'HEAD'];
}

/** @returns the body for HEAD, of which Fastify counts the bytes. A stream would be read to its end, so it is ended */
export function bodyForHead(status: number, body: unknown): unknown {
  if (body instanceof Readable) {
    endUnread(body);
    return null;
  }
  // Of a response to GET without a body Fastify gives the length 0, of one to HEAD none.
  return status === 204 || status === 304 ? body : (body ?? '');
}

/** Ends a stream whose bytes no client gets. */
export function endUnread(body: Readable): void {
  body.on('error', () => undefined).destroy();
}
