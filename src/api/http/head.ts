import { Readable } from 'node:stream';
import type { onSendHookHandler, RouteOptions } from 'fastify';

/**
 * Lets a route for GET take HEAD too, which has the headers of GET and no body. Fastify would make a second route of it, with all hooks: a start
 * of the server would take a tenth longer.
 */
export function takeHead(route: RouteOptions): void {
  route.method = ['GET', 'HEAD'];
  route.onSend = [route.onSend ?? [], withoutBody].flat();
}

/** The last hook of a route: those in front of it see the body. */
const withoutBody: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (request.method !== 'HEAD') return done(null, payload);
  if (payload instanceof Readable) payload.on('error', () => undefined).destroy();
  else reply.header('content-length', String(Buffer.byteLength((payload ?? '') as string | Uint8Array)));
  done(null, null);
};
