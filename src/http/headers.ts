import type { onRequestHookHandler } from 'fastify';

/** Header values that several modules send (docs/spec/http.md#headers). */
export const JSON_TYPE = 'application/json; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';
export const HTML_TYPE = 'text/html; charset=utf-8';
export const YAML_TYPE = 'application/yaml; charset=utf-8';
export const NO_STORE = 'no-store';
export const REVALIDATE = 'public, no-cache, must-revalidate';

/** The headers of every response, whatever its status. */
export function baseHeaders(version: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'X-API-Version',
    'x-api-version': `v${version}`,
    'cache-control': NO_STORE,
    'x-content-type-options': 'nosniff',
  };
}

/** The ETag of the same response in another form, such as compressed (RFC 9110 8.8.1). @param etag with its quotes */
export const weak = (etag: string): string => `W/${etag}`;

const WARNING = '299 - "Deprecated: See https://docs.hiro.so/stacks/api for more information"';

/** Marks every response of a route, whatever its status, as deprecated upstream (docs/spec/http.md#deprecation). */
export const deprecated: onRequestHookHandler = (_request, reply, done) => {
  reply.header('warning', WARNING);
  done();
};
