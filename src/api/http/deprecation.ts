import { randomUUID } from 'node:crypto';
import type { onRequestHookHandler, RouteOptions } from 'fastify';
import { JSON_TYPE } from './headers.ts';

/** Routes that are deprecated upstream (docs/spec/http.md#deprecation): how a server marks them, or refuses them. */
export interface Deprecation {
  /** Whether they have a `Warning` header; true by default. */
  readonly deprecationHeaders?: boolean;
  /** Whether they are served; true by default. */
  readonly deprecatedRoutes?: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Path that replaces a deprecated route upstream, for the text of its mark. */
    successor?: string;
  }
}

/**
 * The header, with a secret value, of requests that this process sends to itself: so the explorer works even if deprecated routes are
 * switched off.
 */
export const OWN_REQUEST: Readonly<Record<string, string>> = { 'x-stacks-index-own-request': randomUUID() };

const isOwnRequest = (headers: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(OWN_REQUEST).every(([name, value]) => headers[name] === value);

const GENERAL = 'See https://docs.hiro.so/stacks/api for more information';

/** The first hook of a deprecated route; undefined if the route is neither marked nor refused. */
export function deprecationHook(
  { schema, config }: RouteOptions,
  { deprecationHeaders = true, deprecatedRoutes = true }: Deprecation,
): onRequestHookHandler | undefined {
  if (!schema?.deprecated || (deprecatedRoutes && !deprecationHeaders)) return undefined;
  const successor = config?.successor;
  const text = successor === undefined ? GENERAL : `Use ${successor} instead`;
  const warning = `299 - "Deprecated: ${text}"`;
  const gone = JSON.stringify({ error: 'Gone', message: `This endpoint has been disabled. ${text}` });
  return (request, reply, done) => {
    if (deprecationHeaders) reply.header('warning', warning);
    if (deprecatedRoutes || isOwnRequest(request.headers)) return done();
    reply.code(410).header('content-type', JSON_TYPE).send(gone);
  };
}
