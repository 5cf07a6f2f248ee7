import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Tip, TipSource } from '../../ingest/chain/tip.ts';
import { tipHeaders as headersOf, type ResponseHeaders, TIP_HASH } from './headers.ts';
import { linkToNext } from './next-page.ts';

/** Most tries for a response; the last one is sent in any case. So fast blocks do not delay a client. */
const TRIES = 3;

/**
 * Wraps the handler of a route that shows the chain. If the tip moves while a response is made, the handler runs again: so all reads of
 * a response show one state, which its headers name (docs/spec/http.md#the-tip).
 * @param hasPast whether the route can show the chain as of any block: then a page links to the next page as of its own block
 * @param tipHeaders headers of the current state
 */
export function inOneState(
  handler: RouteHandlerMethod,
  tip: TipSource,
  hasPast: boolean,
  tipHeaders: () => ResponseHeaders,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  return async function (this: unknown, request, reply) {
    for (let tries = 1; ; tries++) {
      const before = tip.current();
      const response = await Reflect.apply(handler, this, [request, reply]);
      if (reply.sent) return response; // a stream, or the response of another server
      if (!areSame(before, tip.current()) && tries < TRIES) continue;
      if (request.shownBlock) reply.headers(headersOf(request.shownBlock));
      else if (!hasHeaders(reply, tipHeaders())) reply.headers(tipHeaders());
      // A page with transactions of microblocks shows more than its block.
      const shown = request.shownBlock ?? (before?.microblockHash === null ? before : undefined);
      const link =
        hasPast && shown && typeof response === 'string' && linkToNext(request, response, shown.indexBlockHash);
      if (link) reply.header('link', link);
      return response;
    }
  };
}

/** Whether a response has the headers of this tip already. Nearly all have, as their requests arrived under it. */
const hasHeaders = (reply: FastifyReply, ofTip: ResponseHeaders): boolean =>
  reply.getHeader(TIP_HASH) === ofTip[TIP_HASH];

const areSame = (one: Tip | undefined, other: Tip | undefined): boolean =>
  one === other ||
  (one?.indexBlockHash === other?.indexBlockHash &&
    one?.microblockHash === other?.microblockHash &&
    one?.burnTip === other?.burnTip &&
    one?.attachments === other?.attachments);
