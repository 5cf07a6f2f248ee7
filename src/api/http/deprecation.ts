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
    /** Of a deprecated route: the path that replaces it upstream, for the text of its mark. */
    successor?: string;
  }
}

/**
 * The header of requests that this process makes itself, and its value, which no client can know: the explorer shows the same pages
 * where deprecated routes are switched off.
 */
export const OWN_REQUEST: Readonly<Record<string, string>> = { 'x-stacks-index-own-request': randomUUID() };

const isOwnRequest = (headers: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(OWN_REQUEST).every(([name, value]) => headers[name] === value);

const GENERAL = 'See https://docs.hiro.so/stacks/api for more information';

/** The hook of a deprecated route, which comes first; undefined where nothing marks or refuses it. */
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
