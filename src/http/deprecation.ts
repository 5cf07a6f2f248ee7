import type { onRequestHookHandler } from 'fastify';

const WARNING = '299 - "Deprecated: See https://docs.hiro.so/stacks/api for more information"';

/** Marks every response of a route, whatever its status, as deprecated upstream (docs/spec/http.md#deprecation). */
export const deprecated: onRequestHookHandler = (_request, reply, done) => {
  reply.header('warning', WARNING);
  done();
};
