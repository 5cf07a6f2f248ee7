import type { onRequestHookHandler } from 'fastify';

const WARNING = '299 - "Deprecated: See https://docs.hiro.so/stacks/api for more information"';

/** Marks every answer of a route, whatever its status, as deprecated upstream (blocks-transactions-search.md 12.7). */
export const deprecated: onRequestHookHandler = (_request, reply, done) => {
  reply.header('warning', WARNING);
  done();
};
